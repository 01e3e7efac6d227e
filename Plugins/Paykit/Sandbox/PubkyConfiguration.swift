extension PubkySandbox {
    /// Who may sign up at the homeserver.
    @nonexhaustive
    public enum SignUp: Sendable, Hashable {
        /// Everybody.
        case open
        /// Whoever has a token; see ``PubkySandbox/createSignUpToken()``.
        case tokenRequired
    }

    /// Of which chain the users' invoices and addresses are.
    @nonexhaustive
    public enum Chain: Sendable, Hashable {
        /// Bitcoin's. Nobody has the keys of the addresses: real money sent there is lost.
        case mainnet
        /// A developer's own, whose coins are worth nothing.
        case regtest

        var prefix: String { self == .mainnet ? "bc" : "bcrt" }
    }

    /// How the network behaves.
    public struct Configuration: Sendable {
        /// Who may sign up.
        public var signUp = SignUp.open
        /// What the homeserver speaks at first.
        public var generation = Generation.cookies
        /// How long a session that a grant opened lasts, in seconds.
        public var bearerLifetime: UInt64 = 3600
        /// How far a token's time may be from the homeserver's, in seconds. Those that take grants allow 180 at least.
        public var tokenWindow: UInt64 = 45
        /// How long a session lasts, in seconds. The real ones end with their cookie, after a year.
        public var sessionLifetime: UInt64 = 31_536_000
        /// How many bytes each user may store; nil for as many as they like.
        public var quota: Int?
        /// The most bytes of a file.
        public var fileLimit = 100 << 20
        /// The port that the homeserver says it is at; nil for that of each request, which is right wherever the
        /// sandbox is served.
        public var port: UInt16?
        /// How long it takes to store a packet: meanwhile nobody else can publish for the key.
        public var publishTime = Duration.zero
        /// How long somebody waits at `/link` for the other side.
        public var linkTimeout = Duration.seconds(600)
        /// How long somebody waits at `/inbox` for a message or for its receipt.
        public var inboxTimeout = Duration.seconds(25)
        /// How long a message lies at `/inbox`, in seconds.
        public var inboxLifetime: UInt64 = 300
        /// The most messages and waiting requests of `/link` and `/inbox`, each.
        public var inboxCapacity = 10_000
        /// How long the scenario ``Scenario/slow`` takes for each answer.
        public var slowness = Duration.seconds(5)
        /// Of which chain invoices and addresses are.
        public var chain = Chain.regtest
        /// How long an invoice can be paid, in seconds.
        public var invoiceLifetime: UInt64 = 24 * 3600

        /// Creates a configuration with the rules of the real services.
        public init() {}
    }
}
