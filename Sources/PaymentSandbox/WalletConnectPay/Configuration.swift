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
        /// The longest that a request with `maxPollMs` is held, in milliseconds, whatever it asks for. The service's own
        /// limit is not known; this one is below the 30 s after which the vendor's client gives up.
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
        /// Where payers find the form for their data. Nil: at the sandbox itself where it is reached on loopback, else
        /// at the real service's host.
        public var formBaseURL: HTTPURL?

        /// Creates a configuration with the pace of the real service.
        public init() {}
    }
}
