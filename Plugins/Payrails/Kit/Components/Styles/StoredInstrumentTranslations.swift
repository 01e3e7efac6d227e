/// The texts of a list of stored instruments.
public struct StoredInstrumentsTranslations: Sendable, Hashable {
    /// The beginning of a card's label.
    public let cardPrefix: String
    /// The beginning of a PayPal account's label.
    public let paypalPrefix: String
    /// The pay button's texts.
    public let buttonTranslations: StoredInstrumentButtonTranslations

    /// Creates texts; omitted ones are the vendor's English.
    public init(
        cardPrefix: String = "Card ending in", paypalPrefix: String = "PayPal",
        buttonTranslations: StoredInstrumentButtonTranslations = StoredInstrumentButtonTranslations()
    ) {
        self.cardPrefix = cardPrefix
        self.paypalPrefix = paypalPrefix
        self.buttonTranslations = buttonTranslations
    }
}

/// The texts of a stored instrument's pay button.
public struct StoredInstrumentButtonTranslations: Sendable, Hashable {
    /// The button's text.
    public let label: String
    /// The button's text while the payment is in progress.
    public let processingLabel: String

    /// Creates texts; omitted ones are the vendor's English.
    public init(label: String = "Pay", processingLabel: String = "Processing...") {
        self.label = label
        self.processingLabel = processingLabel
    }
}

/// The text of a card form's pay button. The name is the vendor's, misspelling included.
public struct CardPaymenButtonTranslations: Sendable, Hashable {
    /// The button's text.
    public let label: String?

    /// Creates texts.
    public init(label: String? = "Pay") { self.label = label }
}
