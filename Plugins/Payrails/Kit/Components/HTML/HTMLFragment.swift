/// A piece of HTML that is safe to send: text and attribute values enter it only escaped.
struct HTMLFragment: Sendable, Equatable {
    /// The HTML source.
    private(set) var source: String

    private init(source: String) { self.source = source }

    /// An empty fragment.
    static let empty = HTMLFragment(source: "")

    /// Text, escaped.
    static func text(_ text: String) -> HTMLFragment { HTMLFragment(source: escape(text)) }

    /// Text of unknown origin: escaped, and isolated so that its writing direction affects no other text.
    static func isolated(_ text: String) -> HTMLFragment { element("bdi", [:], .text(text)) }

    /// Source that the library itself wrote, such as its script. Never text from elsewhere.
    static func trusted(_ source: StaticString) -> HTMLFragment { HTMLFragment(source: "\(source)") }

    /// A style sheet of this library: ``CSSText`` made its variable values safe.
    static func styleSheet(_ sheet: CheckoutStyleSheet, nonce: ContentNonce) -> HTMLFragment {
        HTMLFragment(source: "<style nonce=\"\(nonce.text)\">\(sheet.text)</style>\n")
    }

    /// An element with content. An attribute that is nil is omitted; a flag with an empty value is written without a
    /// value.
    static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>, _ content: HTMLFragment...
    ) -> HTMLFragment {
        HTMLFragment(source: open(name, attributes) + content.map(\.source).joined() + "</\(name)>")
    }

    /// An element without content, such as `input`.
    static func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) -> HTMLFragment {
        HTMLFragment(source: open(name, attributes))
    }

    /// The pieces in order, each on its own line.
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

    /// Returns `text` in a form that is safe between tags and inside quoted attributes.
    ///
    /// Replaces control characters, which HTML does not allow. Also replaces marks that change the direction of the
    /// following text: with them one text could pass for another.
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

/// The nonce that allows only the page's own style and script to run (Content Security Policy, `nonce-`).
///
/// Each answer needs a new one, from a source that cannot be guessed.
public struct ContentNonce: Sendable, Hashable {
    /// The nonce as written in the header and in the page.
    public let text: String

    /// Creates a nonce from 16 to 128 characters of base64 or base64url; nil for any other text, which could end the
    /// header's value or the attribute.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (16...128).contains(bytes.count) else { return nil }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "="):
                continue
            default: return nil
            }
        }
        self.text = text
    }
}
