public import PaymentCore

extension PayrailsSandbox {
    /// How the sandbox behaves and what it lets in.
    public struct Configuration: Sendable {
        /// Where the links of sessions lead that ``PayrailsSandbox/createSession(_:amount:holder:base:)`` makes without
        /// an address of their own. Nil: a host name of the real service, for clients whose transport is the sandbox.
        public var baseURL: HTTPURL?
        /// How long a client's token is good, in seconds. The service's own lifetime is not known; this is how long it
        /// says that its card encryption key is good.
        public var tokenLifetime: Int64 = 3300
        /// How long a merchant's access token is good, in seconds.
        public var accessTokenLifetime: Int64 = 3600
        /// The longest that a request with `waitWhile` is held. The service's own limit is not known.
        public var longestHold = Duration.seconds(30)
        /// After how long merchants call off what nobody has paid, as shops clear orders away. Nil: they never do.
        public var abandonedAfter: Duration?
        /// The merchant's client id, as it stands in the path of `/auth/token/…`.
        public var clientID = "sandbox-merchant"
        /// The merchant's secret, as it is sent in `x-api-key`.
        public var clientSecret = Redacted("sandbox-secret")
        /// The secret that notifications are signed with.
        public var webhookSecret = Redacted("sandbox-webhook-secret")
        /// Whether the secret spells the key in hexadecimal digits, rather than being it. Which of the two the service
        /// means is not known.
        public var spellsWebhookKey = false
        /// Where notifications are sent to. Executions keep the addresses of the time at which they were made.
        public var notificationURLs: [String] = []
        /// Over what notifications are sent. Nil: they are only kept, see ``PayrailsSandbox/notifications``.
        public var notificationTransport: (any HTTPTransport)?
        /// The pauses before a notification is sent again. Documented are up to ten repetitions, ever further apart, in
        /// about six hours; the pauses themselves are not.
        public var notificationPauses: [Duration] = (0..<10).map { .seconds(21 << $0) }
        /// When what was authorised is captured. Nil: when the merchant asks for it.
        public var capturesAfter: Duration?

        /// Creates a configuration with the pace of the real service.
        public init() {}
    }
}
