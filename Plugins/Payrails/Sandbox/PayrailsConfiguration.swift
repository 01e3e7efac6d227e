public import PaymentCore

extension PayrailsSandbox {
    /// The behaviour of the sandbox, and the credentials that it accepts.
    public struct Configuration: Sendable {
        /// The origin of the links of sessions that ``PayrailsSandbox/createSession(_:amount:holder:base:)`` creates
        /// without an address. Nil: a host name of the real service, for clients whose transport is the sandbox.
        public var baseURL: HTTPURL?
        /// The lifetime of a client's token, in seconds. The service's own is unknown; the default is the lifetime that
        /// the service documents for its card encryption key.
        public var tokenLifetime: Int64 = 3300
        /// The lifetime of a merchant's access token, in seconds.
        public var accessTokenLifetime: Int64 = 3600
        /// The maximum time that a request with `waitWhile` is held. The service's own limit is unknown.
        public var longestHold = Duration.seconds(30)
        /// The age at which merchants cancel unpaid executions, as shops clear orders away. Nil: they never do.
        public var abandonedAfter: Duration?
        /// The merchant's client id, as in the path of `/auth/token/…`.
        public var clientID = "sandbox-merchant"
        /// The merchant's secret, as sent in `x-api-key`.
        public var clientSecret = Redacted("sandbox-secret")
        /// The secret that notifications are signed with.
        public var webhookSecret = Redacted("sandbox-webhook-secret")
        /// True if the secret spells the key in hexadecimal digits; false if it is the key. The service's own form is
        /// unknown.
        public var spellsWebhookKey = false
        /// The addresses that receive notifications. Executions keep the addresses of the time of their creation.
        public var notificationURLs: [String] = []
        /// The transport for notifications. Nil: they are only kept, see ``PayrailsSandbox/notifications``.
        public var notificationTransport: (any HTTPTransport)?
        /// The pauses before a notification is sent again. Up to ten repetitions with growing pauses in about six hours
        /// are documented; the pauses themselves are not.
        public var notificationPauses: [Duration] = (0..<10).map { .seconds(21 << $0) }
        /// True if the service states the records of payments.
        public var statesRecords = true
        /// The delay from authorisation to automatic capture. Nil: the merchant requests the capture.
        public var capturesAfter: Duration?

        /// Creates a configuration with the pace of the real service.
        public init() {}
    }
}
