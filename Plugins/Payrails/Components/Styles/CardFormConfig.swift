public import PayrailsTypes

/// How the frame of a field is drawn.
public enum FieldVariant: Sendable, Hashable, CaseIterable {
    /// A border all around.
    case outlined
    /// A ground and a line below.
    case filled
}

/// What the card form shows and how.
public struct CardFormConfig: Sendable, Hashable {
    /// Whether it asks for the name on the card. A custom layout decides for itself.
    public let showNameField: Bool
    /// Whether the payer may choose to keep the card.
    public let showSaveInstrument: Bool
    /// Whether the brand's sign is shown.
    public let showCardIcon: Bool
    /// Whether an asterisk marks fields that must be filled in. All must.
    public let showRequiredAsterisk: Bool
    /// Where the brand's sign stands.
    public let cardIconAlignment: CardIconAlignment
    /// How the fields' frames are drawn.
    public let fieldVariant: FieldVariant
    /// The arrangement, or nil for the usual one.
    public let layout: CardLayoutConfig?
    /// The looks, laid over ``CardFormStylesConfig/defaultConfig``.
    public let styles: CardFormStylesConfig?
    /// The texts, laid over ``CardTranslations/defaults``.
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

    /// The vendor's configuration, which asks for the name. A form that is made without any does not.
    public static let defaultConfig = CardFormConfig(showNameField: true)

    /// The fields, row by row.
    public var rows: [[CardFieldType]] {
        layout?.rows(showNameField: showNameField) ?? CardLayoutConfig.defaultRows(showNameField: showNameField)
    }

    /// The looks with everything filled in.
    public var effectiveStyles: CardFormStylesConfig {
        styles?.merged(over: .defaultConfig) ?? .defaultConfig
    }

    /// The texts with everything filled in.
    public var effectiveTranslations: CardTranslations {
        translations?.merged(over: .defaults) ?? .defaults
    }

    /// The same with another answer to whether the payer may choose to keep the card.
    package func with(showSaveInstrument: Bool) -> CardFormConfig {
        CardFormConfig(
            showNameField: showNameField, showSaveInstrument: showSaveInstrument, showCardIcon: showCardIcon,
            showRequiredAsterisk: showRequiredAsterisk, cardIconAlignment: cardIconAlignment,
            fieldVariant: fieldVariant, layout: layout, styles: styles, translations: translations)
    }
}
