public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a webhook is rejected.
enum WebhookDefect: Error, Sendable, Hashable, CustomStringConvertible {
    case noSecret
    case tooLarge
    /// A header field is missing, repeated or malformed.
    case headers
    case notFresh(seconds: Int)
    /// The signature does not match.
    case forged
    case notJSON
    /// A required value is missing or invalid.
    case unreadable(String)
    case otherMode(WalletConnectPayMerchant.Mode)
    case otherMerchant

    var description: String {
        switch self {
        case .noSecret: "there is no secret to check it with"
        case .tooLarge: "it is larger than \(SignedWebhook.maximumLength) bytes"
        case .headers: "it lacks the id, time and signature of a webhook, or has one of them twice"
        case .notFresh(let seconds):
            "it was signed \(abs(seconds)) seconds \(seconds > 0 ? "ago" : "ahead of this clock"), and "
                + "\(SignedWebhook.tolerance) are the most; where that goes on, check the clock"
        case .forged: "its signature does not match"
        case .notJSON: "it is not one JSON object, every member once"
        case .unreadable(let name): "its '\(name)' cannot be read"
        case .otherMode(let mode): "it is from the \(mode.rawValue) world, which this merchant's key does not open"
        case .otherMerchant: "it is about another merchant's payment"
        }
    }
}

/// The signature of a webhook: HMAC-SHA256 over id, time and the body byte for byte. (Protocol 7.2; Standard Webhooks.)
enum SignedWebhook {
    static let maximumLength = 256 << 10
    /// The maximum distance of the signing time from now, in seconds and in either direction.
    static let tolerance = 300
    /// The maximum number of entries, more than rotations could leave.
    private static let mostEntries = 16
    /// The prefixes of the header fields: two pages of the documentation differ.
    private static let spellings = ["svix", "webhook"]

    /// Checks that `notification` is genuine and fresh.
    static func check(
        _ notification: IncomingNotification, secrets: [WalletConnectPayMerchant.WebhookSecret], now: Date
    ) throws(WebhookDefect) {
        guard !secrets.isEmpty else { throw .noSecret }
        guard notification.body.count <= maximumLength else { throw .tooLarge }
        var defect = WebhookDefect.headers
        // A whole set of one spelling counts, never a mixture of both.
        for spelling in spellings {
            guard let set = HeaderSet(notification.headers, spelling) else { continue }
            do throws(WebhookDefect) { return try set.check(notification.body, secrets, now) } catch { defect = error }
        }
        throw defect
    }

    /// The three header fields, in one spelling.
    private struct HeaderSet {
        let id: String
        let timestamp: String
        let seconds: Int64
        let signatures: [[UInt8]]

        init?(_ headers: HTTPHeaders, _ spelling: String) {
            func only(_ name: String) -> String? {
                let values = headers.values("\(spelling)-\(name)")
                return values.count == 1 ? values[0] : nil
            }
            guard let id = only("id"), let timestamp = only("timestamp"), let signature = only("signature"),
                !id.isEmpty, id.utf8.count <= 256, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                timestamp.utf8.count <= 15, timestamp.utf8.allSatisfy(\.isASCIIDigit),
                let seconds = Int64(timestamp)
            else { return nil }
            self.id = id
            self.timestamp = timestamp
            self.seconds = seconds
            let entries = signature.split(separator: " ")
            guard entries.count <= mostEntries else { return nil }
            signatures = entries.filter { $0.hasPrefix("v1,") }.map { Array($0.dropFirst(3).utf8) }
        }

        func check(
            _ body: [UInt8], _ secrets: [WalletConnectPayMerchant.WebhookSecret], _ now: Date
        ) throws(WebhookDefect) {
            let age = now.timeIntervalSince1970 - Double(seconds)
            // A clock may be wrong by more than a whole number holds.
            guard abs(age) <= Double(tolerance) else { throw .notFresh(seconds: Int(max(-1e12, min(1e12, age)))) }
            var isGenuine = false
            for secret in secrets {
                let expected = Array(
                    Data(signature(of: body, id: id, timestamp: timestamp, key: secret.bytes.reveal()))
                        .base64EncodedString().utf8)
                // The loop always covers all signatures, in constant time.
                for signature in signatures where ConstantTime.equal(signature, expected) { isGenuine = true }
            }
            guard isGenuine else { throw .forged }
        }
    }

    static func signature(of body: [UInt8], id: String, timestamp: String, key: [UInt8]) -> [UInt8] {
        Digest.sha256.authenticate(Array("\(id).\(timestamp).".utf8) + body, key: key)
    }
}

extension WalletConnectPayMerchant {
    /// The secret of a webhook endpoint, from the service's dashboard: `whsec_` and base64. Test and live have one
    /// each.
    public struct WebhookSecret: Sendable, Hashable {
        /// The bytes of the key, decoded from the text.
        let bytes: Redacted<[UInt8]>

        /// Creates a secret from its text.
        ///
        /// - Throws: ``PaymentError`` with code `unauthorized` when the text is not such a secret. The error does not
        ///   contain the text.
        public init(_ text: Redacted<String>) throws(PaymentError) {
            let text = text.reveal()
            guard text.hasPrefix("whsec_"), let data = Data(base64Encoded: String(text.dropFirst(6))),
                (16...128).contains(data.count)
            else {
                throw PaymentError(
                    .unauthorized, "this is no webhook secret: they are whsec_ and the base64 of 16 bytes or more")
            }
            bytes = Redacted(Array(data))
        }
    }
}
