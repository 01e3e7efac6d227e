import Foundation
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 5.7: the defaults of every style and text.
@Suite struct ComponentStyleTests {
    @Test("Stored instruments look as the vendor's do")
    func storedInstruments() {
        let style = StoredInstrumentsStyle.defaultStyle
        #expect(style.backgroundColor == .clear)
        #expect(style.itemBackgroundColor == .systemBackground)
        #expect(style.selectedItemBackgroundColor == .systemGray6)
        #expect(style.labelTextColor == .label)
        #expect(style.labelFont == .systemFont(ofSize: 16))
        #expect(style.itemCornerRadius == 8 && style.itemSpacing == 8)
        #expect(style.itemPadding == UIEdgeInsets(top: 12, left: 16, bottom: 12, right: 16))
        let button = StoredInstrumentButtonStyle.defaultStyle
        #expect(style.buttonStyle == button)
        #expect(button.backgroundColor == .systemBlue && button.textColor == .white)
        #expect(button.font == .systemFont(ofSize: 16, weight: .medium))
        #expect(button.cornerRadius == 8 && button.height == 44 && button.borderWidth == 0)
        #expect(button.borderColor == .clear)
        #expect(button.contentEdgeInsets == UIEdgeInsets(top: 8, left: 16, bottom: 8, right: 16))
        let delete = DeleteButtonStyle.defaultStyle
        #expect(style.deleteButtonStyle == delete)
        #expect(delete.backgroundColor == .systemRed && delete.textColor == .white)
        #expect(delete.font == .systemFont(ofSize: 14) && delete.cornerRadius == 4)
        #expect(delete.size == StyleSize(width: 32, height: 32))
        let update = UpdateButtonStyle.defaultStyle
        #expect(style.updateButtonStyle == update)
        #expect(update.backgroundColor == .systemBlue && update.textColor == .white)
        #expect(update.font == .systemFont(ofSize: 14) && update.cornerRadius == 4)
        #expect(update.size == StyleSize(width: 32, height: 32))
    }

    @Test("Texts are the vendor's")
    func translations() {
        let texts = StoredInstrumentsTranslations()
        #expect(texts.cardPrefix == "Card ending in" && texts.paypalPrefix == "PayPal")
        #expect(texts.buttonTranslations.label == "Pay")
        #expect(texts.buttonTranslations.processingLabel == "Processing...")
        #expect(CardPaymenButtonTranslations().label == "Pay")
        let card = CardTranslations.defaults
        let fields: [(CardFieldType, String, String)] = [
            (.CARDHOLDER_NAME, "Enter name as it appears on card", "Full Name"),
            (.CARD_NUMBER, "Enter a valid card number", "Card Number"),
            (.EXPIRATION_DATE, "Enter a valid expiry date (MM/YY)", "MM/YY"),
            (.CVV, "Enter the 3 or 4 digit code", "CVV"), (.EXPIRATION_MONTH, "Enter a valid month", "MM"),
            (.EXPIRATION_YEAR, "Enter a valid year", "YYYY"),
        ]
        for (field, error, placeholder) in fields {
            #expect(card.error?[field] == error && card.placeholders?[field] == placeholder)
            #expect(card.labels?[field] == nil && !field.accessibleName.isEmpty)
        }
        #expect(card.labels?.saveInstrument == "Save card")
        let custom = CardTranslations(error: CardTranslations.ErrorMessages(values: [.CVV: "Code?"]))
        let merged = custom.merged(over: .defaults)
        #expect(merged.error?[.CVV] == "Code?" && merged.error?[.CARD_NUMBER] == "Enter a valid card number")
        #expect(merged.labels?.saveInstrument == "Save card")
    }

    @Test("The card form looks as the vendor's does")
    func cardForm() {
        let config = CardFormConfig()
        #expect(!config.showNameField && !config.showSaveInstrument && !config.showCardIcon)
        #expect(config.showRequiredAsterisk && config.cardIconAlignment == .left && config.fieldVariant == .outlined)
        #expect(config.layout == nil && config.styles == nil && config.translations == nil)
        #expect(CardFormConfig.defaultConfig.showNameField)
        let style = CardFormStylesConfig.defaultConfig
        #expect(style.wrapperStyle == .defaultStyle && style.errorTextStyle?.textColor == .systemRed)
        #expect(style.wrapperStyle?.borderColor == .separator && style.wrapperStyle?.borderWidth == 1)
        #expect(style.wrapperStyle?.cornerRadius == 8 && style.wrapperStyle?.padding == StyleInsets(all: 16))
        #expect(style.fieldSpacing == 10 && style.sectionSpacing == 16)
        for field in CardFieldType.cardFields { #expect(style.labelStyle(for: field)?.textColor == .secondaryLabel) }
        let input = style.effectiveInputStyles(for: .CVV)
        #expect(input.base?.cornerRadius == 2 && input.base?.padding == StyleInsets(all: 10))
        #expect(input.base?.borderWidth == 1 && input.base?.textAlignment == .left && input.base?.textColor == .label)
        #expect(input.focus?.borderColor == .systemBlue && input.completed?.borderColor == .systemGreen)
        #expect(input.invalid?.borderColor == .systemRed)
        #expect(StyleInsets.fieldInsets() == StyleInsets(top: 0, left: 6, bottom: 0, right: 6))
        let button = CardButtonStyle.defaultStyle
        #expect(button.backgroundColor == .systemBlue && button.textColor == .white && button.cornerRadius == 8)
        #expect(button.height == nil && CardButtonStyle.fallbackHeight == 44)
    }

    @Test("Styles merge field by field")
    func mergingIsFieldByField() {
        let plain = CardStyle()
        #expect(plain.cardIconAlignment == .left && plain.borderColor == nil)
        let top = CardStyle(borderColor: .white)
        let merged = top.merged(over: CardStyle(borderColor: .black, borderWidth: 3, cardIconAlignment: .right))
        #expect(merged.borderColor == .white && merged.borderWidth == 3)
        #expect(merged.cardIconAlignment == .left, "the upper style decides it unless it is nil")
        let own = CardFormStylesConfig(
            inputFieldStyles: [.CVV: CardFieldSpecificStyles(base: CardStyle(borderWidth: 4))],
            labelStyles: [.EXPIRATION_DATE: CardStyle(textColor: .white)]
        ).merged(over: .defaultConfig)
        #expect(own.effectiveInputStyles(for: .CVV).base?.borderWidth == 4)
        #expect(own.effectiveInputStyles(for: .CVV).base?.cornerRadius == 2)
        #expect(own.effectiveInputStyles(for: .CARD_NUMBER).base?.borderWidth == 1)
        let labels = CardFormStylesConfig(labelStyles: [.EXPIRATION_DATE: CardStyle(textColor: .white)])
        #expect(labels.labelStyle(for: .EXPIRATION_MONTH)?.textColor == .white)
        #expect(labels.labelStyle(for: .CVV) == nil)
    }

    /// WCAG 2.2, success criteria 1.4.3 (text, 4.5) and 1.4.11 (borders, 3).
    @Test("The legible style has enough contrast", arguments: [false, true])
    func legibleStyleHasContrast(onDark isDark: Bool) throws {
        let ground: KeyPath<StyleColor, StyleColor.Components> = isDark ? \.dark : \.light
        let style = CheckoutStyle.legible
        let list = style.instruments
        let form = style.cardForm
        let page = StyleColor.systemBackground
        let input = form.effectiveInputStyles(for: .CARD_NUMBER)
        let texts: [(StyleColor?, StyleColor?)] = [
            (list.labelTextColor, list.itemBackgroundColor), (list.labelTextColor, list.selectedItemBackgroundColor),
            (list.buttonStyle.textColor, list.buttonStyle.backgroundColor),
            (list.deleteButtonStyle.textColor, list.deleteButtonStyle.backgroundColor),
            (list.updateButtonStyle.textColor, list.updateButtonStyle.backgroundColor),
            (style.cardButton.textColor, style.cardButton.backgroundColor), (form.errorTextStyle?.textColor, page),
            (form.labelStyle(for: .CVV)?.textColor, page), (input.base?.textColor, input.base?.backgroundColor),
            (input.base?.placeholderColor, input.base?.backgroundColor),
        ]
        for (text, behind) in texts {
            #expect(Self.contrast(try #require(text)[keyPath: ground], try #require(behind)[keyPath: ground]) >= 4.5)
        }
        for border in [input.base, input.focus, input.completed, input.invalid] {
            let color = try #require(border?.borderColor)
            #expect(Self.contrast(color[keyPath: ground], page[keyPath: ground]) >= 3)
        }
    }

    /// The contrast of two opaque colours (WCAG 2.2, definition of contrast ratio).
    private static func contrast(_ one: StyleColor.Components, _ other: StyleColor.Components) -> Double {
        func luminance(_ color: StyleColor.Components) -> Double {
            func linear(_ byte: UInt8) -> Double {
                let value = Double(byte) / 255
                return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
        }
        let (high, low) = (max(luminance(one), luminance(other)), min(luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)
    }

    @Test("Values become harmless CSS")
    func cssOfValues() {
        #expect(CSSText.color(StyleColor.systemOrange.light) == "#ff9500")
        #expect(CSSText.color(StyleColor.systemBlue.withAlphaComponent(0.1).light) == "rgb(0 122 255 / 0.1)")
        #expect(CSSText.color(StyleColor.clear.dark) == "rgb(0 0 0 / 0)")
        #expect(CSSText.length(12.5) == "12.5px" && CSSText.length(0) == "0")
        for strange in [Double.nan, .infinity, -3] { #expect(CSSText.length(strange) == "0") }
        #expect(CSSText.length(1e300) == "10000px")
        #expect(CSSText.insets(StyleInsets(top: 1, left: 4, bottom: 3, right: 2)) == "1px 2px 3px 4px")
        let font = CSSText.font(StyleFont(family: "A\"};</style>", size: 16, weight: .bold))
        #expect(font == "700 16px/1.4 \"A\\22 \\7d \\3b \\3c \\2f style\\3e \",system-ui,sans-serif")
    }
}
