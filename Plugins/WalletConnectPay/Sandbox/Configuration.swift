public import PaymentCore

extension WalletConnectPaySandbox {
    /// The behaviour of the sandbox.
    public struct Configuration: Sendable {
        /// The number of status queries before an ordinary settlement ends.
        public var settlementPolls = 2
        /// The minimum duration of a slow settlement, in seconds. Default: longer than wallets usually wait.
        public var slowSettlement: Int64 = 90
        /// The stated pause between queries of an open payment, in milliseconds. During settlement it is twice as long.
        public var pollInMs: Int64 = 1000
        /// The maximum time for which a request with `maxPollMs` is held, in milliseconds. The service's own limit is
        /// not known; this one is below the 30 s after which the vendor's client abandons a request.
        public var longestHoldMs: Int64 = 25_000
        /// The lifetime of a payment, in seconds.
        public var lifetime: Int64 = 900
        /// The lifetime of a native coin's price, in seconds.
        public var quoteLifetime: Int64 = 300
        /// The same in the scenario ``Scenario/quoteExpired``, for all its options. Zero: expired when it is offered.
        public var shortQuoteLifetime: Int64 = 0
        /// The number of requests of each kind that the scenario ``Scenario/rateLimited`` refuses before it answers.
        public var rateLimitedRequests = 2
        /// The `Retry-After` of rate limit errors, in seconds.
        public var retryAfter: Int64 = 1
        /// The API keys of the test environment.
        public var testKeys: Set<String> = [WalletConnectPaySandbox.testKey.reveal()]
        /// The API keys of the live environment.
        public var liveKeys: Set<String> = [WalletConnectPaySandbox.liveKey.reveal()]
        /// True if payments offer one option only, a token that no table of wallets knows: a wallet signs for it only
        /// where its owner allows it by name.
        public var offersUnlistedTokenOnly = false
        /// The maximum price of a payment, in US cents. The service has such a limit; its value is not known.
        public var largestAmount: UInt128?
        /// The endpoint for webhooks of the test environment; nil for none.
        public var testWebhooks: WebhookEndpoint?
        /// The endpoint for webhooks of the live environment; nil for none.
        public var liveWebhooks: WebhookEndpoint?
        /// The transport of webhooks. If nil, they are only kept.
        public var webhookTransport: (any HTTPTransport)?
        /// The pauses before a webhook is sent again.
        public var webhookPauses: [Duration] = [
            .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000),
            .seconds(36_000),
        ]
        /// The address of the form for payers' data. If nil, the sandbox itself when it is reached on loopback,
        /// otherwise the real service's host.
        public var formBaseURL: HTTPURL?

        /// Creates a configuration with the timing of the real service.
        public init() {}
    }
}
