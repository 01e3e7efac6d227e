extension PubkySandbox {
    /// The rule for signing up at the homeserver.
    @nonexhaustive
    public enum SignUp: Sendable, Hashable {
        /// Every user may sign up.
        case open
        /// Signing up requires a token; see ``PubkySandbox/createSignUpToken()``.
        case tokenRequired
    }

    /// The chain of the users' invoices and addresses.
    @nonexhaustive
    public enum Chain: Sendable, Hashable {
        /// Bitcoin's. The keys of the addresses do not exist: real money sent there is lost.
        case mainnet
        /// A developer's own, whose coins are worth nothing.
        case regtest

        var prefix: String { self == .mainnet ? "bc" : "bcrt" }
    }

    /// The rules of the network.
    public struct Configuration: Sendable {
        /// The rule for signing up.
        public var signUp = SignUp.open
        /// The homeserver's interface at the start.
        public var generation = Generation.cookies
        /// The lifetime of a session that a grant opened, in seconds.
        public var bearerLifetime: UInt64 = 3600
        /// The largest difference between a token's time and the homeserver's, in seconds. Homeservers with grants
        /// allow at least 180.
        public var tokenWindow: UInt64 = 45
        /// The lifetime of a session, in seconds. The real ones end with their cookie, after a year.
        public var sessionLifetime: UInt64 = 31_536_000
        /// The number of bytes that each user may store; nil for no limit.
        public var quota: Int?
        /// The most bytes of a file.
        public var fileLimit = 100 << 20
        /// The port that the homeserver publishes; nil for that of each request, which is right wherever the sandbox is
        /// served.
        public var port: UInt16?
        /// The time to store a packet: meanwhile no other request can publish for the key.
        public var publishTime = Duration.zero
        /// The longest wait at `/link` for the other side.
        public var linkTimeout = Duration.seconds(600)
        /// The longest wait at `/inbox` for a message or for its receipt.
        public var inboxTimeout = Duration.seconds(25)
        /// The lifetime of a message at `/inbox`, in seconds.
        public var inboxLifetime: UInt64 = 300
        /// The most messages and waiting requests of `/link` and `/inbox`, each.
        public var inboxCapacity = 10_000
        /// The delay of each answer in the scenario ``Scenario/slow``.
        public var slowness = Duration.seconds(5)
        /// The chain of invoices and addresses.
        public var chain = Chain.regtest
        /// The lifetime of an invoice, in seconds.
        public var invoiceLifetime: UInt64 = 24 * 3600

        /// Creates a configuration with the rules of the real services.
        public init() {}
    }
}
