import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The derivation of the key that signs an address's notifications from its secret. The documentation's secret is a
/// sequence of hexadecimal digits, and does not say whether they are the key or spell it: both are tried.
@nonexhaustive
public enum PayrailsKeyReading: String, Sendable, Hashable, Codable, CaseIterable {
    /// The characters of the secret are the key.
    case text
    /// The secret spells the key in hexadecimal digits.
    case hexadecimal

    /// Returns the key; nil if the secret does not have this form.
    func key(_ secret: Redacted<String>) -> [UInt8]? {
        let text = secret.reveal()
        switch self {
        case .text: return text.isEmpty ? nil : Array(text.utf8)
        case .hexadecimal:
            // Keys shorter than the digest could be guessed; and the prefix of other notations does not belong to a
            // secret.
            guard text.utf8.count >= 64, !text.lowercased().hasPrefix("0x") else { return nil }
            return Hex.decode(text)
        }
    }
}

/// The reason that a notification is not accepted.
enum NotificationDefect: Error, Sendable, Hashable, CustomStringConvertible {
    case noSecret
    case tooLarge
    /// There is no `X-Signature`, more than one, or one that is not base64.
    case noSignature
    /// The signature does not match.
    case forged
    case notJSON
    /// A required member is missing or malformed.
    case unreadable(String)
    /// It is about another workspace.
    case foreign
    /// The time differs too much from the clock's.
    case stale

    var description: String {
        switch self {
        case .noSecret: "no secret is configured to check it with"
        case .tooLarge: "it is larger than \(SignedNotification.maximumLength) bytes"
        case .noSignature: "it has not exactly one 'X-Signature', base64 with padding"
        case .forged: "its signature does not match; check that the body is the raw one, and the secret the address's"
        case .notJSON: "it is not one JSON text, every member once"
        case .unreadable(let name): "its '\(name)' is missing or cannot be read"
        case .foreign: "it is about another workspace than this merchant's"
        case .stale: "its time is too far from this machine's clock: it is a repetition, or the clock is wrong"
        }
    }
}

/// The signature of a notification: HMAC-SHA256 over the body as received (Protocol 7.1).
enum SignedNotification {
    static let maximumLength = 256 << 10
    private static let header = "X-Signature"

    /// Checks the signature before reading any of the body.
    ///
    /// - Returns: the reading of the secret with which the signature is valid.
    static func check(
        _ notification: IncomingNotification, _ secrets: [Redacted<String>]
    ) throws(NotificationDefect) -> PayrailsKeyReading {
        guard !secrets.isEmpty else { throw .noSecret }
        guard notification.body.count <= maximumLength else { throw .tooLarge }
        let values = notification.headers.values(header)
        // Decoders are lenient; the service writes one form.
        guard values.count == 1, let value = values.first, let bytes = Data(base64Encoded: value),
            bytes.base64EncodedString() == value
        else { throw .noSignature }
        var holding: PayrailsKeyReading?
        // Tries all of them, so that the time does not reveal the matching one.
        for secret in secrets {
            for reading in PayrailsKeyReading.allCases {
                guard let key = reading.key(secret) else { continue }
                let code = Digest.sha256.authenticate(notification.body, key: key)
                if ConstantTime.equal(code, bytes) { holding = holding ?? reading }
            }
        }
        guard let holding else { throw .forged }
        return holding
    }
}
