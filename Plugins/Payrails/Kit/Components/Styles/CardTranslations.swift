public import PayrailsProvider

/// The texts of the card form. A nil value leaves the vendor's English.
public struct CardTranslations: Sendable, Hashable {
    /// The placeholders of empty fields.
    public let placeholders: Placeholders?
    /// The labels above fields.
    public let labels: Labels?
    /// The error texts below fields.
    public let error: ErrorMessages?

    /// Creates texts.
    public init(placeholders: Placeholders? = nil, labels: Labels? = nil, error: ErrorMessages? = nil) {
        self.placeholders = placeholders
        self.labels = labels
        self.error = error
    }

    /// The placeholders of empty fields.
    public struct Placeholders: Sendable, Hashable {
        /// The texts, by field.
        public let values: [CardFieldType: String]
        /// Creates texts.
        public init(values: [CardFieldType: String] = [:]) { self.values = values }
        /// The text of a field.
        public subscript(field: CardFieldType) -> String? { values[field] }
    }

    /// The error texts below fields.
    public struct ErrorMessages: Sendable, Hashable {
        /// The texts, by field.
        public let values: [CardFieldType: String]
        /// Creates texts.
        public init(values: [CardFieldType: String] = [:]) { self.values = values }
        /// The text of a field.
        public subscript(field: CardFieldType) -> String? { values[field] }
    }

    /// The labels above fields and beside switches.
    public struct Labels: Sendable, Hashable {
        /// The texts, by field.
        public let values: [CardFieldType: String]
        /// The label of the switch that stores the card.
        public let saveInstrument: String?
        /// Kept for code written for the vendor's SDK, which does not show it either.
        public let storeInstrument: String?
        /// Kept for code written for the vendor's SDK, which does not show it either.
        public let paymentInstallments: String?

        /// Creates texts.
        public init(
            values: [CardFieldType: String] = [:], saveInstrument: String? = nil, storeInstrument: String? = nil,
            paymentInstallments: String? = nil
        ) {
            self.values = values
            self.saveInstrument = saveInstrument
            self.storeInstrument = storeInstrument
            self.paymentInstallments = paymentInstallments
        }

        /// The text of a field.
        public subscript(field: CardFieldType) -> String? { values[field] }
    }

    /// The vendor's English.
    public static let defaults = CardTranslations(
        placeholders: Placeholders(values: [
            .CARDHOLDER_NAME: "Full Name", .CARD_NUMBER: "Card Number", .EXPIRATION_DATE: "MM/YY", .CVV: "CVV",
            .EXPIRATION_MONTH: "MM", .EXPIRATION_YEAR: "YYYY",
        ]),
        labels: Labels(
            saveInstrument: "Save card", storeInstrument: "Remember card",
            paymentInstallments: "Pay in installments"),
        error: ErrorMessages(values: [
            .CARDHOLDER_NAME: "Enter name as it appears on card", .CARD_NUMBER: "Enter a valid card number",
            .EXPIRATION_DATE: "Enter a valid expiry date (MM/YY)", .CVV: "Enter the 3 or 4 digit code",
            .EXPIRATION_MONTH: "Enter a valid month", .EXPIRATION_YEAR: "Enter a valid year",
        ]))

    /// Returns these texts with their missing values replaced by those of `other`.
    public func merged(over other: CardTranslations) -> CardTranslations {
        func merge(_ mine: [CardFieldType: String]?, _ theirs: [CardFieldType: String]?) -> [CardFieldType: String] {
            (theirs ?? [:]).merging(mine ?? [:]) { $1 }
        }
        return CardTranslations(
            placeholders: Placeholders(values: merge(placeholders?.values, other.placeholders?.values)),
            labels: Labels(
                values: merge(labels?.values, other.labels?.values),
                saveInstrument: labels?.saveInstrument ?? other.labels?.saveInstrument,
                storeInstrument: labels?.storeInstrument ?? other.labels?.storeInstrument,
                paymentInstallments: labels?.paymentInstallments ?? other.labels?.paymentInstallments),
            error: ErrorMessages(values: merge(error?.values, other.error?.values)))
    }
}
