public import PayrailsProvider

/// The frame of a field.
public enum FieldVariant: Sendable, Hashable, CaseIterable {
    /// A border on all sides.
    case outlined
    /// A background and a line below.
    case filled
}

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
