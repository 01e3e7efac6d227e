import PayrailsProvider

/// The page's style sheet: the components' styles, and a plain frame around them.
///
/// Colours are custom properties, defined once for light and once for dark ground. Everything else is defined once.
struct CheckoutStyleSheet: Sendable {
    /// The style sheet.
    let text: String

    init(style: CheckoutStyle, card: CardFormConfig?) {
        let form = card?.styles?.merged(over: style.cardForm) ?? style.cardForm
        var sheet = Builder()
        sheet.frame()
        sheet.instruments(style.instruments)
        // The link to the bank resumes the payment, and looks like the button that began it.
        sheet.button("section.card button.pay,a.open", "card-pay", style.cardButton)
        sheet.card(form)
        for field in CardFieldType.cardFields {
            sheet.field(field, form.effectiveInputStyles(for: field), label: form.labelStyle(for: field))
        }
        text =
            ":root{color-scheme:light dark;" + sheet.light + "}\n@media (prefers-color-scheme:dark){:root{" + sheet.dark
            + "}}\n" + Self.layout + sheet.rules
    }

    /// Collects rules and colours.
    private struct Builder {
        var light = ""
        var dark = ""
        var rules = ""

        /// A reference to a colour.
        mutating func color(_ name: String, _ color: StyleColor) -> String {
            light += "--\(name):\(CSSText.color(color.light));"
            dark += "--\(name):\(CSSText.color(color.dark));"
            return "var(--\(name))"
        }

        mutating func rule(_ selector: String, _ declarations: [String?]) {
            let present = declarations.compactMap(\.self)
            if !present.isEmpty { rules += selector + "{" + present.joined(separator: ";") + "}\n" }
        }

        mutating func frame() {
            rule("body", ["background:\(color("ground", .systemBackground))", "color:\(color("text", .label))"])
        }

        mutating func instruments(_ style: StoredInstrumentsStyle) {
            rule(".instruments", ["background:\(color("list", style.backgroundColor))"])
            rule(
                ".row",
                [
                    "background:\(color("row", style.itemBackgroundColor))",
                    "color:\(color("row-text", style.labelTextColor))",
                    "font:\(CSSText.font(style.labelFont))", "border-radius:\(CSSText.length(style.itemCornerRadius))",
                    "margin-bottom:\(CSSText.length(style.itemSpacing))",
                    "padding:\(CSSText.insets(style.itemPadding))",
                ])
            rule(".row:has(input:checked)", ["background:\(color("row-on", style.selectedItemBackgroundColor))"])
            button(".row button.pay", "row-pay", CardButtonStyle(style.buttonStyle))
            let delete = style.deleteButtonStyle
            rule(
                "button.delete,button.danger",
                [
                    "background:\(color("delete", delete.backgroundColor))",
                    "color:\(color("delete-text", delete.textColor))", "font:\(CSSText.font(delete.font))",
                    "border-radius:\(CSSText.length(delete.cornerRadius))",
                    "min-width:\(CSSText.length(delete.size.width))",
                    "min-height:\(CSSText.length(delete.size.height))",
                ])
        }

        mutating func button(_ selector: String, _ name: String, _ style: CardButtonStyle) {
            rule(
                selector,
                [
                    style.backgroundColor.map { "background:\(color("\(name)-ground", $0))" },
                    style.textColor.map { "color:\(color("\(name)-text", $0))" },
                    style.font.map { "font:\(CSSText.font($0))" },
                    style.cornerRadius.map { "border-radius:\(CSSText.length($0))" },
                    style.borderWidth.map { "border-style:solid;border-width:\(CSSText.length($0))" },
                    style.borderColor.map { "border-color:\(color("\(name)-border", $0))" },
                    style.contentEdgeInsets.map { "padding:\(CSSText.insets($0))" },
                    "min-height:\(CSSText.length(style.height ?? CardButtonStyle.fallbackHeight))",
                ])
        }

        mutating func card(_ style: CardFormStylesConfig) {
            let frame = style.wrapperStyle ?? CardWrapperStyle()
            rule(
                "section.card form",
                [
                    frame.backgroundColor.map { "background:\(color("card-ground", $0))" },
                    frame.borderWidth.map { "border-style:solid;border-width:\(CSSText.length($0))" },
                    frame.borderColor.map { "border-color:\(color("card-border", $0))" },
                    frame.cornerRadius.map { "border-radius:\(CSSText.length($0))" },
                    frame.padding.map { "padding:\(CSSText.insets($0))" },
                    style.sectionSpacing.map { "row-gap:\(CSSText.length($0))" },
                ])
            rule(".fields", [style.fieldSpacing.map { "column-gap:\(CSSText.length($0))" }])
            if let error = style.errorTextStyle { self.text(".error,.problem", "error", error) }
        }

        mutating func field(_ field: CardFieldType, _ styles: CardFieldSpecificStyles, label: CardStyle?) {
            let column = field.column
            if let label { text(".\(column) label", "\(column)-label", label) }
            if let base = styles.base { input("#\(column)", "\(column)-base", base) }
            if let completed = styles.completed {
                input("#\(column)[data-state=completed]", "\(column)-completed", completed)
            }
            if let invalid = styles.invalid {
                input("#\(column)[aria-invalid=true]", "\(column)-invalid", invalid)
            }
            if let focus = styles.focus { input("#\(column):focus", "\(column)-focus", focus) }
        }

        private mutating func input(_ selector: String, _ name: String, _ style: CardStyle) {
            text(selector, name, style)
            rule(
                selector + "::placeholder",
                [style.placeholderColor.map { "color:\(color("\(name)-placeholder", $0));opacity:1" }])
        }

        private mutating func text(_ selector: String, _ name: String, _ style: CardStyle) {
            let shadow = style.boxShadow.map { shadow in
                light += "--\(name)-shadow:\(CSSText.shadow(shadow, shadow.color.light));"
                dark += "--\(name)-shadow:\(CSSText.shadow(shadow, shadow.color.dark));"
                return "box-shadow:var(--\(name)-shadow)"
            }
            rule(
                selector,
                [
                    style.borderColor.map { "border-color:\(color("\(name)-border", $0))" },
                    style.cornerRadius.map { "border-radius:\(CSSText.length($0))" },
                    style.padding.map { "padding:\(CSSText.insets($0))" },
                    style.borderWidth.map { "border-style:solid;border-width:\(CSSText.length($0))" },
                    style.font.map { "font:\(CSSText.font($0))" },
                    style.textAlignment.map { "text-align:\($0.css)" },
                    style.textColor.map { "color:\(color("\(name)-text", $0))" }, shadow,
                    style.backgroundColor.map { "background:\(color("\(name)-ground", $0))" },
                    style.minWidth.map { "min-width:\(CSSText.length($0))" },
                    style.maxWidth.map { "max-width:\(CSSText.length($0))" },
                    style.minHeight.map { "min-height:\(CSSText.length($0))" },
                    style.maxHeight.map { "max-height:\(CSSText.length($0))" },
                    style.cursorColor.map { "caret-color:\(color("\(name)-caret", $0))" },
                    style.width.map { "width:\(CSSText.length($0))" },
                    style.height.map { "height:\(CSSText.length($0))" },
                    style.fieldInsets.map { "margin:\(CSSText.insets($0))" },
                ])
        }
    }

    /// The rules that do not depend on styles. They come first, so that styles can override them.
    private static let layout = """
        *{box-sizing:border-box}
        body{font:1rem/1.5 system-ui,sans-serif;margin:0;overflow-wrap:anywhere}
        main{max-width:34rem;margin:0 auto;padding:1rem}
        h1{font-size:1.5rem}
        h2{font-size:1.125rem;margin:0}
        section,form#stored{margin:1rem 0}
        fieldset{border:0;margin:0;padding:0}
        legend{padding:0;margin-bottom:.5rem}
        button{font:inherit;border:0;cursor:pointer}
        button svg{display:block;margin:auto}
        button:disabled{cursor:progress;opacity:.6}
        :focus-visible{outline:3px solid;outline-offset:2px}
        .row{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
        .row input{width:1.5rem;height:1.5rem;margin:0}
        .row label{flex:1;min-width:8rem;padding:.5rem 0;cursor:pointer}
        @supports selector(:has(*)){.row:not(:has(input:checked)) button.pay{display:none}}
        section.card form{display:flex;flex-direction:column}
        section.card h2{margin-bottom:.5rem}
        section.card p{margin:0}
        .fields{display:flex;flex-wrap:wrap;gap:.75rem}
        .field{flex:1;min-width:7rem;position:relative}
        .security_code,.expiry_month,.expiry_year,.expiry_date{flex:1 1 4rem;min-width:4rem}
        .field label{display:block}
        .field input{width:100%;font:inherit;border:1px solid}
        .filled .field input{border-width:0 0 1px}
        #brand{position:absolute;right:.5rem;top:2.2rem;font-size:.8125rem}
        #brand.left{left:.5rem;right:auto;top:auto;position:static}
        .error{font-size:.875rem}
        .error::before,.problem::before{content:"\\26A0\\FE0E  " / ""}
        .hint{font-size:.875rem}
        .quiet,.open{display:inline-block;padding:.625rem 1rem;min-height:44px;border:1px solid currentColor;border-radius:8px;background:none;color:inherit}
        .open{display:block;text-align:center;text-decoration:none}
        .save{display:flex;align-items:center;gap:.5rem}
        .save input{width:1.5rem;height:1.5rem;margin:0}
        .save label{padding:.5rem 0;cursor:pointer}
        dialog{max-width:28rem;border:1px solid;border-radius:8px;padding:1rem;background:var(--ground);color:inherit}
        .announcement{margin:0;padding:.375rem 1rem;text-align:center;font-weight:600;color:#2b2200;background:repeating-linear-gradient(-45deg,#ffdc5e 0 14px,#ffcf33 14px 28px)}
        .amount strong{font-size:1.5rem}
        .brand{display:inline-block;padding:0 .375rem;border:1px solid;border-radius:4px;font-size:.8125rem;font-weight:700}
        .until{font-size:.875rem}
        .receipt{border:1px solid;border-radius:8px;padding:1rem}
        .receipt dl{display:grid;grid-template-columns:minmax(5rem,max-content) 1fr;gap:.25rem 1rem;margin:.5rem 0 0}
        .receipt dd{margin:0;min-width:0;font-weight:600}
        .back{display:inline-block;padding:.625rem 0;min-height:44px;color:inherit}
        .danger{border:1px solid currentColor}
        .elsewhere form{margin:.5rem 0}
        .elsewhere button{width:100%}
        dialog form{display:inline-block;margin:.5rem .5rem 0 0}
        dialog .danger{padding:.625rem 1rem}
        dialog .quiet,button.danger.danger{min-width:6rem;min-height:44px;font:inherit}
        dialog::backdrop{background:rgb(0 0 0 / .5)}
        #result p{font-weight:600}
        .good::before{content:"\\2713  " / ""}
        [hidden]{display:none}

        """
}

extension StyleTextAlignment {
    fileprivate var css: String {
        switch self {
        case .left: "left"
        case .center: "center"
        case .right: "right"
        case .natural: "start"
        }
    }
}

/// Style values as CSS text. The text is harmless for any value.
enum CSSText {
    /// A colour of one appearance.
    static func color(_ color: StyleColor.Components) -> String {
        if color.alpha >= 1 {
            return "#" + [color.red, color.green, color.blue].map(hex).joined()
        }
        return "rgb(\(color.red) \(color.green) \(color.blue) / \(number(color.alpha)))"
    }

    /// A length in pixels. A length that is not finite or is negative is 0; the maximum is 10 000.
    static func length(_ points: Double) -> String {
        let text = number(points)
        return text == "0" ? "0" : text + "px"
    }

    /// Four distances, clockwise from the top.
    static func insets(_ insets: StyleInsets) -> String {
        [insets.top, insets.right, insets.bottom, insets.left].map(length).joined(separator: " ")
    }

    /// A `font` value.
    static func font(_ font: StyleFont) -> String {
        let system = "system-ui,sans-serif"
        let family = font.family.map { "\"" + string($0) + "\"," + system } ?? system
        return "\(font.weight.rawValue) \(length(font.size))/1.4 \(family)"
    }

    /// A shadow, with its colour for one appearance.
    static func shadow(_ shadow: StyleShadow, _ color: StyleColor.Components) -> String {
        "\(signed(shadow.x)) \(signed(shadow.y)) \(length(shadow.radius)) \(self.color(color))"
    }

    /// A finite number between 0 and 10 000 with at most three decimals.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, value > 0 else { return "0" }
        let thousandths = Int((min(value, 10_000) * 1000).rounded())
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        guard rest != 0 else { return String(whole) }
        var decimals = String(String(1000 + rest).dropFirst())
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }

    private static func signed(_ points: Double) -> String {
        points < 0 ? "-" + length(-points) : length(points)
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    /// The content of a quoted string: letters, digits, space and hyphen unchanged, everything else as its code point.
    private static func string(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars.prefix(100) {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "-": escaped.unicodeScalars.append(scalar)
            case "\0": continue
            default: escaped += "\\" + String(scalar.value, radix: 16) + " "
            }
        }
        return escaped
    }
}
