/// Text on its way into a page.
package enum HTMLText {
    /// Returns `text` as it may stand between tags and inside quoted attributes. Control characters, of which HTML has
    /// none, are replaced, and so are those that turn the direction of the text behind them (Unicode, UAX 9).
    ///
    /// - Parameter keepingLines: True if the text can be edited in its own field: line breaks, tabs and directions
    ///   stay.
    package static func escape(_ text: String, keepingLines: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\r", "\t": escaped.unicodeScalars.append(keepingLines ? scalar : "\u{FFFD}")
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped += "\u{FFFD}"
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                escaped.unicodeScalars.append(keepingLines ? scalar : "\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
