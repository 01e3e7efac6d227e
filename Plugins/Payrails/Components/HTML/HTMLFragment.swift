/// A piece of HTML that is safe to send: text and attribute values can only get into it escaped.
struct HTMLFragment: Sendable, Equatable {
    /// The piece as it is sent.
    private(set) var source: String

    private init(source: String) { self.source = source }

    /// Nothing.
    static let empty = HTMLFragment(source: "")

    /// Text, escaped.
    static func text(_ text: String) -> HTMLFragment { HTMLFragment(source: escape(text)) }

    /// Text of unknown origin: escaped, and isolated so that its writing direction stays its own.
    static func isolated(_ text: String) -> HTMLFragment { element("bdi", [:], .text(text)) }

    /// What the library itself wrote, such as its script. Never anything that came from elsewhere.
    static func trusted(_ source: StaticString) -> HTMLFragment { HTMLFragment(source: "\(source)") }

    /// A style sheet of ours: its only free values were made safe by ``CSSText``.
    static func styleSheet(_ sheet: CheckoutStyleSheet, nonce: ContentNonce) -> HTMLFragment {
        HTMLFragment(source: "<style nonce=\"\(nonce.text)\">\(sheet.text)</style>\n")
    }

    /// An element with content. An attribute that is nil is left out; one that is empty is a flag.
    static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>, _ content: HTMLFragment...
    ) -> HTMLFragment {
        HTMLFragment(source: open(name, attributes) + content.map(\.source).joined() + "</\(name)>")
    }

    /// An element without content, such as `input`.
    static func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) -> HTMLFragment {
        HTMLFragment(source: open(name, attributes))
    }

    /// Pieces one after the other, each on its line.
    static func lines(_ pieces: [HTMLFragment]) -> HTMLFragment {
        HTMLFragment(source: pieces.filter { !$0.source.isEmpty }.map { $0.source + "\n" }.joined())
    }

    static func + (left: HTMLFragment, right: HTMLFragment) -> HTMLFragment {
        HTMLFragment(source: left.source + right.source)
    }

    private static func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) -> String {
        var text = "<\(name)"
        for (attribute, value) in attributes {
            guard let value else { continue }
            text +=
                value.isEmpty && flags.contains("\(attribute)") ? " \(attribute)" : " \(attribute)=\"\(escape(value))\""
        }
        return text + ">"
    }

    private static let flags: Set<String> = [
        "disabled", "required", "checked", "hidden", "autofocus", "novalidate", "open", "inert",
    ]

    /// `text` as it may stand between tags and inside quoted attributes.
    ///
    /// Control characters, of which HTML has none, and marks that turn the writing direction of what follows, with
    /// which one text can pass for another, are replaced.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
