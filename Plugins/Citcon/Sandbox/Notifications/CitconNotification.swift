import PaymentCore
import PaymentCrypto

extension CitconSandbox {
    /// A notification (IPN) about a charge or a refund.
    public struct Notification: Sendable, Hashable {
        /// The address of its receiver.
        public let url: String
        /// The id of the charge that it is about.
        public let charge: String
        /// The status, in the terms of notifications.
        public let status: String
        /// The body: the same bytes every time.
        public let body: [UInt8]
        /// The number of times it was sent.
        public internal(set) var attempts = 0
        /// True if the receiver accepted it.
        public internal(set) var isDelivered = false
    }
}

/// The body of a notification.
struct CitconNotificationBody {
    /// The signed members, in the order of the body. An empty text stands for an absent value.
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
