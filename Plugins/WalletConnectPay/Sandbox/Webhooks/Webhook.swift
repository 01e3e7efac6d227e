public import PaymentCore

extension WalletConnectPaySandbox {
    /// The receiver of one environment's webhooks, with the signing secrets.
    public struct WebhookEndpoint: Sendable {
        /// The names of the header fields: pages of the documentation differ.
        @nonexhaustive
        public enum Spelling: Sendable, Hashable, CaseIterable {
            /// `svix-id` and so on.
            case svix
            /// `webhook-id` and so on.
            case standard
            /// Both sets.
            case both
        }

        /// The receiver's address; if nil, webhooks are only kept, see ``WalletConnectPaySandbox/webhooks``.
        public var url: HTTPURL?
        /// The current secret and, if there is one, its predecessor: each signs.
        public var secrets = [WalletConnectPaySandbox.webhookSecret]
        /// The names of the header fields.
        public var spelling = Spelling.both
        /// The kinds of events that are sent; nil for all.
        public var kinds: Set<String>?

        /// Creates an endpoint.
        public init(url: HTTPURL? = nil) { self.url = url }
    }

    /// An event of a merchant's payment, sent or yet to be sent.
    public struct Webhook: Sendable, Hashable {
        /// The delivery's id in the header fields, the same for all attempts.
        public let deliveryID: String
        /// The service's raw value of the event.
        public let kind: String
        /// The payment's id.
        public let payment: String
        /// The body: the same bytes every time.
        public let body: [UInt8]
        let world: World
        /// The number of times it was sent.
        public internal(set) var attempts = 0
        /// True if the receiver accepted it.
        public internal(set) var isDelivered = false
    }
}
