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
