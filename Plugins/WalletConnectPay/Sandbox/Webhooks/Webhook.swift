public import PaymentCore

extension WalletConnectPaySandbox {
    /// Where webhooks of one world go, and how they are signed.
    public struct WebhookEndpoint: Sendable {
        /// How the header fields are spelt: pages of the documentation differ.
        @nonexhaustive
        public enum Spelling: Sendable, Hashable, CaseIterable {
            /// `svix-id` and so on.
            case svix
            /// `webhook-id` and so on.
            case standard
            /// Both sets.
            case both
        }

        /// Where they are sent to; nil keeps them only, see ``WalletConnectPaySandbox/webhooks``.
        public var url: HTTPURL?
        /// The secret, and the one that it has just replaced, if there is one: each signs.
        public var secrets = [WalletConnectPaySandbox.webhookSecret]
        /// How the header fields are spelt.
        public var spelling = Spelling.both
        /// The kinds of events that are sent; nil for all.
        public var kinds: Set<String>?

        /// Creates an endpoint.
        public init(url: HTTPURL? = nil) { self.url = url }
    }

    /// An event that a merchant was, or is to be, told of.
    public struct Webhook: Sendable, Hashable {
        /// What is called the delivery's id in the header fields, the same for all attempts.
        public let deliveryID: String
        /// What has happened, in the service's word.
        public let kind: String
        /// The payment.
        public let payment: String
        /// The body: the same bytes every time.
        public let body: [UInt8]
        let world: World
        /// How often it was sent.
        public internal(set) var attempts = 0
        /// Whether the receiver accepted it.
        public internal(set) var isDelivered = false
    }
}
