import PayrailsProvider

/// The look of a whole checkout.
public struct CheckoutStyle: Sendable, Hashable {
    /// The style of the stored instruments.
    public let instruments: StoredInstrumentsStyle
    /// The style of the card form's pay button.
    public let cardButton: CardButtonStyle
    /// The style of the card form, where its own configuration has none.
    public let cardForm: CardFormStylesConfig

    /// Creates a style.
    public init(
        instruments: StoredInstrumentsStyle = .defaultStyle, cardButton: CardButtonStyle = .defaultStyle,
        cardForm: CardFormStylesConfig = .defaultConfig
    ) {
        self.instruments = instruments
        self.cardButton = cardButton
        self.cardForm = cardForm
    }

    /// The vendor's look. Its buttons, labels and borders have less contrast than WCAG 2.2 level AA requires.
    public static let vendor = CheckoutStyle()

    /// The vendor's look with colours that have the contrast of WCAG 2.2 level AA, on light and on dark ground.
    public static let legible: CheckoutStyle = {
        func color(_ light: UInt32, _ dark: UInt32) -> StyleColor {
            StyleColor(light: StyleColor.Components(hex: light), dark: StyleColor.Components(hex: dark))
        }
        let blue = color(0x0058B8, 0x0A5FC4)
        let red = color(0xB3261E, 0xFF8A80)
        let green = color(0x1B6E2F, 0x57D37A)
        let grey = color(0x4A4A4F, 0xC7C7CC)
        let line = color(0x76767B, 0x8E8E93)
        let focus = color(0x0058B8, 0x5AA9FF)
        let labels = Dictionary(
            uniqueKeysWithValues: CardFieldType.cardFields.map { ($0, CardStyle(textColor: grey)) })
        return CheckoutStyle(
            instruments: StoredInstrumentsStyle(
                buttonStyle: StoredInstrumentButtonStyle(backgroundColor: blue),
                deleteButtonStyle: DeleteButtonStyle(
                    backgroundColor: color(0xB3261E, 0xA3211A), size: StyleSize(width: 44, height: 44)),
                updateButtonStyle: UpdateButtonStyle(backgroundColor: blue, size: StyleSize(width: 44, height: 44))),
            cardButton: CardButtonStyle(backgroundColor: blue, textColor: .white, cornerRadius: 8),
            cardForm: CardFormStylesConfig(
                wrapperStyle: CardWrapperStyle(borderColor: line), errorTextStyle: CardStyle(textColor: red),
                allInputFieldStyles: CardFieldSpecificStyles(
                    base: CardStyle(
                        borderColor: line, textColor: .label, backgroundColor: .systemBackground,
                        placeholderColor: grey),
                    focus: CardStyle(borderColor: focus), completed: CardStyle(borderColor: green),
                    invalid: CardStyle(borderColor: red)),
                labelStyles: labels
            ).merged(over: .defaultConfig))
    }()
}
