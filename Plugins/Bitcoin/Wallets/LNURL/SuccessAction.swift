public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A service's message to a payer who has paid (LUD-09, LUD-10): show it as the payee's own words.
@nonexhaustive
public enum SuccessAction: Sendable, Hashable {
    /// A text of at most 144 characters.
    case message(String)
    /// A text, and a page of the service's own host.
    case page(String, HTTPURL)
    /// A text, and what was bought itself, such as a voucher's code: the service sent it encrypted, and the proof of
    /// the payment opened it.
    case secret(String, Redacted<String>)
}

extension SuccessAction {
    /// Reads the action of a paid invoice; nil for none, and for one that breaks the rules.
    ///
    /// - Parameters:
    ///   - body: the member `successAction` of the service's answer.
    ///   - host: the host that made the invoice: a page of any other is not shown.
    ///   - preimage: the proof of the payment, in hexadecimal digits.
    init?(_ body: JSONValue, from host: String, preimage: String) {
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
        case "aes":
            guard let words = text("description"), let secret = Self.secret(in: body, preimage) else { return nil }
            self = .secret(words, Redacted(secret))
        default: return nil
        }
    }

    /// Decrypts with AES-256-CBC under the preimage (LUD-10).
    private static func secret(in body: JSONValue, _ preimage: String) -> String? {
        guard let key = Hex.decode(preimage), key.count == 32,
            let ciphertext = body["ciphertext"]?.string, ciphertext.utf8.count <= 4096,
            let vector = body["iv"]?.string, vector.utf8.count == 24,
            let (content, start) = Data(base64Encoded: ciphertext).flatMap({ content in
                Data(base64Encoded: vector).map { (Array(content), Array($0)) }
            }), let plain = try? AESCBC.decrypt(content, key: key, vector: start)
        else { return nil }
        return String(validating: plain, as: UTF8.self)
    }
}
