public import PaymentCore

extension WalletConnectPaySandbox {
    /// How the sandbox behaves.
    public struct Configuration: Sendable {
        /// How often the status is asked before an ordinary settlement ends.
        public var settlementPolls = 2
        /// How long a slow settlement takes at least, in seconds. Default: longer than wallets usually wait.
        public var slowSettlement: Int64 = 90
        /// When to ask again while a payment is open, in milliseconds. While it settles, answers say twice as much.
        public var pollInMs: Int64 = 1000
        /// The longest that a request with `maxPollMs` is held, in milliseconds, whatever it asks for. The service's
        /// own limit is not known; this one is below the 30 s after which the vendor's client gives up.
        public var longestHoldMs: Int64 = 25_000
        /// How long a payment can be paid, in seconds.
        public var lifetime: Int64 = 900
        /// How long the price of a native coin is good, in seconds.
        public var quoteLifetime: Int64 = 300
        /// The same in the scenario ``Scenario/quoteExpired``, for all its options. Zero: over when it is offered.
        public var shortQuoteLifetime: Int64 = 0
        /// How many requests of each kind the scenario ``Scenario/rateLimited`` refuses before it answers.
        public var rateLimitedRequests = 2
        /// What refusals by rate say in `Retry-After`, in seconds.
        public var retryAfter: Int64 = 1
        /// The API keys of the world of tests, and of that of real money.
        public var testKeys: Set<String> = [WalletConnectPaySandbox.testKey.reveal()]
        /// See ``testKeys``.
        public var liveKeys: Set<String> = [WalletConnectPaySandbox.liveKey.reveal()]
        /// The most that a payment may cost, in US cents. The service has such a limit; how high it is, is not known.
        public var largestAmount: UInt128?
        /// Where webhooks of the world of tests go; nil for none.
        public var testWebhooks: WebhookEndpoint?
        /// Where webhooks of the world of real money go; nil for none.
        public var liveWebhooks: WebhookEndpoint?
        /// Over what webhooks are sent. Nil: they are only kept.
        public var webhookTransport: (any HTTPTransport)?
        /// The pauses before a webhook is sent again.
        public var webhookPauses: [Duration] = [
            .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000),
            .seconds(36_000),
        ]
        /// Where payers find the form for their data. Nil: at the sandbox itself where it is reached on loopback, else
        /// at the real service's host.
        public var formBaseURL: HTTPURL?

        /// Creates a configuration with the pace of the real service.
        public init() {}
    }
}
