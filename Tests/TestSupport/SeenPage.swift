package import PaymentCore

/// A page as a browser sees it.
package struct SeenPage: Sendable {
    package let answer: PayAnswer

    package init(answer: PayAnswer) { self.answer = answer }

    package var html: String { answer.text }

    /// The tags with the names of their attributes and nothing else: `<input type name value>`. The content of a page
    /// must not change them.
    package var structure: [String] {
        html.matches(of: /<[^>]*>/).map { tag in String(tag.output).replacing(/="[^"]*"/, with: "") }
    }

    /// Names and values of the inputs, as a browser reads them.
    package var inputs: [String: String] {
        let pairs = html.matches(of: /name="([^"]*)" value="([^"]*)"/).map { match in
            (String(match.output.1), Self.unescape(match.output.2))
        }
        let choices = html.matches(of: /<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/).map { match in
            let chosen = match.output.2.firstMatch(of: /<option value="([^"]*)" selected>/)?.output.1 ?? ""
            return (String(match.output.1), Self.unescape(chosen))
        }
        return Dictionary(pairs + choices) { first, _ in first }
    }

    /// The page's message to the wallet around it.
    package var message: JSONValue? {
        guard let text = html.firstMatch(of: /<main data-message="([^"]*)">/)?.output.1 else { return nil }
        return try? JSONValue(parsing: Array(Self.unescape(text).utf8))
    }

    private static func unescape(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
