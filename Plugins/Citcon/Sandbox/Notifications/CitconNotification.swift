import PaymentCore
import PaymentCrypto

extension CitconSandbox {
    /// A notification (IPN) about a charge or a refund.
    public struct Notification: Sendable, Hashable {
        /// Where it is sent.
        public let url: String
        /// The charge that it is about.
        public let charge: String
        /// The status it tells, in the words that notifications use.
        public let status: String
        /// The body: the same bytes every time.
        public let body: [UInt8]
        /// How often it was sent.
        public internal(set) var attempts = 0
        /// Whether the receiver accepted it.
        public internal(set) var isDelivered = false
    }
}

/// The body of a notification.
struct CitconNotificationBody {
    /// The names that are signed, in the order of the body. An empty text stands for what there is not.
    private let values: [(String, WireJSON, String)]

    init(_ values: [(name: String, value: WireJSON, signed: String)]) {
        self.values = values.map { ($0.name, $0.value, $0.signed) }
    }

    /// The JSON, signed with `secret`.
    func bytes(secret: String) -> [UInt8] {
        let names = values.map(\.0).joined(separator: ",")
        let signed = (values.map { ($0.0, $0.2) } + [("fields", names)])
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\($0)=\($1)" }
        let text = signed.joined(separator: "&") + "&secret=" + secret
        let signature = Hex.encode(Digest.sha256.hash(Array(text.utf8)))
        return WireJSON.object(
            values.map { ($0.0, $0.1) } + [("fields", .text(names)), ("sign", .text(signature))]
        ).bytes
    }
}
