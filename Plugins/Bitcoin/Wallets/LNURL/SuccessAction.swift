public import PaymentCore

/// A service's message to a payer who has paid (LUD-09): show it as the payee's own words.
@nonexhaustive
public enum SuccessAction: Sendable, Hashable {
    /// A text of at most 144 characters.
    case message(String)
    /// A text, and a page of the service's own host.
    case page(String, HTTPURL)
}

extension SuccessAction {
    /// Reads the action of a paid invoice; nil for none, and for one that breaks the rules.
    ///
    /// - Parameters:
    ///   - body: the member `successAction` of the service's answer.
    ///   - host: the host that made the invoice: a page of any other is not shown.
    init?(_ body: JSONValue, from host: String) {
        func text(_ member: String) -> String? {
            guard let text = body[member]?.string, text.unicodeScalars.count <= 144 else { return nil }
            return text
        }
        switch body["tag"]?.string {
        case "message":
            guard let message = text("message") else { return nil }
            self = .message(message)
        case "url":
            guard let words = text("description"), let url = body["url"]?.string.flatMap({ try? HTTPURL($0) }),
                url.host == host, url.isConfidential
            else { return nil }
            self = .page(words, url)
        // An encrypted message (`aes`) is left out.
        default: return nil
        }
    }
}
