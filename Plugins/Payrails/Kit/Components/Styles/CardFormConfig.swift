public import PayrailsProvider

/// The content and the look of the card form.
public struct CardFormConfig: Sendable, Hashable {
    /// True if the form asks for the name on the card. A custom layout overrides this.
    public let showNameField: Bool
    /// True if the payer may choose to store the card.
    public let showSaveInstrument: Bool
    /// True if the brand's mark is shown.
    public let showCardIcon: Bool
    /// True if an asterisk marks required fields. All fields are required.
    public let showRequiredAsterisk: Bool
    /// The position of the brand's mark.
    public let cardIconAlignment: CardIconAlignment
    /// The kind of frame of the fields.
    public let fieldVariant: FieldVariant
    /// The arrangement of the fields; nil is the default one.
    public let layout: CardLayoutConfig?
    /// The styles, merged over ``CardFormStylesConfig/defaultConfig``.
    public let styles: CardFormStylesConfig?
    /// The texts, merged over ``CardTranslations/defaults``.
    public let translations: CardTranslations?

    /// Creates a configuration.
    public init(
        showNameField: Bool = false, showSaveInstrument: Bool = false, showCardIcon: Bool = false,
        showRequiredAsterisk: Bool = true, cardIconAlignment: CardIconAlignment = .left,
        fieldVariant: FieldVariant = .outlined, layout: CardLayoutConfig? = nil, styles: CardFormStylesConfig? = nil,
        translations: CardTranslations? = nil
    ) {
        self.showNameField = showNameField
        self.showSaveInstrument = showSaveInstrument
        self.showCardIcon = showCardIcon
        self.showRequiredAsterisk = showRequiredAsterisk
        self.cardIconAlignment = cardIconAlignment
        self.fieldVariant = fieldVariant
        self.layout = layout
        self.styles = styles
        self.translations = translations
    }

    /// The vendor's configuration, which asks for the name. A form that is created without a configuration does not.
    public static let defaultConfig = CardFormConfig(showNameField: true)

    /// The fields, row by row.
    public var rows: [[CardFieldType]] {
        layout?.rows(showNameField: showNameField) ?? CardLayoutConfig.defaultRows(showNameField: showNameField)
    }

    /// The styles with every default filled in.
    public var effectiveStyles: CardFormStylesConfig {
        styles?.merged(over: .defaultConfig) ?? .defaultConfig
    }

    /// The texts with every default filled in.
    public var effectiveTranslations: CardTranslations {
        translations?.merged(over: .defaults) ?? .defaults
    }

    /// Returns a copy with another value of `showSaveInstrument`.
    package func with(showSaveInstrument: Bool) -> CardFormConfig {
        CardFormConfig(
            showNameField: showNameField, showSaveInstrument: showSaveInstrument, showCardIcon: showCardIcon,
            showRequiredAsterisk: showRequiredAsterisk, cardIconAlignment: cardIconAlignment,
            fieldVariant: fieldVariant, layout: layout, styles: styles, translations: translations)
    }
}

/// The frame of a field.
public enum FieldVariant: Sendable, Hashable, CaseIterable {
    /// A border on all sides.
    case outlined
    /// A background and a line below.
    case filled
}

/// The fields of the card form, row by row.
public struct CardLayoutConfig: Sendable, Hashable {
    /// The arrangements that need no list of fields.
    public enum Preset: Sendable, Hashable, CaseIterable {
        /// Number, name, then the rest in one row.
        case standard
        /// Number, expiry and code in one row, name last.
        case compact
        /// Number, expiry and code; never a name.
        case minimal
    }

    private enum Source: Sendable, Hashable {
        case preset(Preset)
        case custom([[CardFieldType]])
    }

    private let source: Source
    private let isCombined: Bool

    /// Number, name if wanted, then code, month and year in one row.
    public static let standard = preset(.standard)
    /// Number, then expiry as one field and code, then name if wanted.
    public static let compact = preset(.compact, useCombinedExpiryDateField: true)
    /// Number, then expiry as one field and code.
    public static let minimal = preset(.minimal, useCombinedExpiryDateField: true)

    /// Returns a preset arrangement.
    ///
    /// - Parameters:
    ///   - preset: the preset.
    ///   - useCombinedExpiryDateField: true if month and year are one field.
    public static func preset(_ preset: Preset, useCombinedExpiryDateField: Bool = false) -> CardLayoutConfig {
        CardLayoutConfig(source: .preset(preset), isCombined: useCombinedExpiryDateField)
    }

    /// Returns a custom arrangement. If it lacks number, code or expiry, or has the expiry both as one field and as
    /// two, the form uses the default rows instead.
    public static func custom(
        _ rows: [[CardFieldType]], useCombinedExpiryDateField: Bool = false
    ) -> CardLayoutConfig {
        CardLayoutConfig(source: .custom(rows), isCombined: useCombinedExpiryDateField)
    }

    /// Returns the rows of a form without a layout.
    public static func defaultRows(showNameField: Bool) -> [[CardFieldType]] {
        let rest: [CardFieldType] = [.CVV, .EXPIRATION_MONTH, .EXPIRATION_YEAR]
        return showNameField ? [[.CARD_NUMBER], [.CARDHOLDER_NAME], rest] : [[.CARD_NUMBER], rest]
    }

    /// Returns the rows to show.
    ///
    /// - Parameter showNameField: true if presets include the name. A custom arrangement includes it by listing it.
    public func rows(showNameField: Bool) -> [[CardFieldType]] {
        let fallback = Self.defaultRows(showNameField: showNameField)
        let wanted: [[CardFieldType]]
        switch source {
        case .preset(.standard): wanted = fallback
        case .preset(.compact):
            wanted =
                [[.CARD_NUMBER], [.EXPIRATION_MONTH, .EXPIRATION_YEAR, .CVV]]
                + (showNameField ? [[.CARDHOLDER_NAME]] : [])
        case .preset(.minimal): wanted = [[.CARD_NUMBER], [.EXPIRATION_MONTH, .EXPIRATION_YEAR, .CVV]]
        case .custom(let rows): wanted = rows
        }
        let rows = Self.arranged(wanted, isCombined: isCombined)
        return Self.isUsable(rows) ? rows : fallback
    }

    /// Returns `rows` without fields that no card form has, without repetitions and, if wanted, with one field for the
    /// expiry.
    private static func arranged(_ rows: [[CardFieldType]], isCombined: Bool) -> [[CardFieldType]] {
        var seen: Set<CardFieldType> = []
        return rows.map { row in
            row.filter(CardFieldType.cardFields.contains).map { field in
                let isPart = field == .EXPIRATION_MONTH || field == .EXPIRATION_YEAR
                return isCombined && isPart ? .EXPIRATION_DATE : field
            }.filter { seen.insert($0).inserted }
        }.filter { !$0.isEmpty }
    }

    private static func isUsable(_ rows: [[CardFieldType]]) -> Bool {
        let fields = Set(rows.joined())
        guard fields.contains(.CARD_NUMBER), fields.contains(.CVV) else { return false }
        let parts = fields.intersection([.EXPIRATION_MONTH, .EXPIRATION_YEAR]).count
        return fields.contains(.EXPIRATION_DATE) ? parts == 0 : parts == 2
    }
}

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

    /// The labels above fields and next to switches.
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
