public import PaykitProvider
public import PaymentCore
import PaymentCrypto
public import PaymentTesting

/// A simulated part of the Pubky network at one address: a pkarr relay below `/pkarr`, a homeserver at the root, and
/// the relays for authorisations by another device below `/link` and `/inbox`. It works offline, without money.
///
/// Its users have key pairs, profiles, contacts and payment endpoints, and behave as their ``Scenario`` says. Apps
/// reach it with `PubkyNetwork.sandbox(_:)`. Signatures, sessions, capabilities and paths are checked as the real
/// services check them, and refused with their words.
public actor PubkySandbox: SandboxService {
    /// The key of the homeserver, as users' records name it.
    public nonisolated let homeserver: PubkyKey
    /// The status of the payments to users' endpoints. Payments are named by the keys of their payees.
    public private(set) var ledger = SandboxLedger()

    let configuration: Configuration
    let clock: any PaymentClock
    let random: any RandomSource
    let keys: PubkyKeys

    // The relay.
    var packets: [PubkyKey: SignedPacket] = [:]
    /// The homeserver's own packets, by the port that they name.
    var ownPackets: [UInt16: SignedPacket] = [:]
    /// The keys that are being published at this moment.
    var publishing: Set<PubkyKey> = []
    /// Older packets that a relay returns again, and the keys whose newer packet it has returned before.
    var oldPackets: [PubkyKey: SignedPacket] = [:]
    var seenNewest: Set<PubkyKey> = []

    /// Payees that can be asked over a private channel.
    var listening: [Task<Void, Never>] = []

    /// Users' apps with private links.
    var linkAccounts: [PubkyKey: LinkAccount] = [:]

    // The homeserver.
    var tenants: [PubkyKey: PubkyTenant] = [:]
    /// The sessions by their secrets.
    var sessions: [String: PubkySessionRecord] = [:]
    /// The times of the signatures of used tokens, by their ids.
    var usedTokens: [[UInt8]: UInt64] = [:]
    /// Sign-up tokens, each with true if it was used.
    var signUpTokens: [String: Bool] = [:]
    /// The homeserver's interface at this moment.
    var generation: Generation
    var grantBook = PubkyGrantStore()
    var events: [PubkyEvent] = []

    // The relays of authorisations.
    var waiting = PubkyWaiting()
    var inbox: [String: PubkyInboxEntry] = [:]

    // Users.
    /// All users, in the order of their creation.
    var people: [PubkyKey] = []
    var users: [PubkyKey: User] = [:]
    /// The payments received by users, oldest first.
    var received: [PubkyKey: [PubkyReceived]] = [:]
    var plans: [PubkyKey: Scenario.Plan] = [:]
    var userCount: UInt64 = 0
    /// The invoices that users published, by their payment hashes.
    var invoices: [String: PubkyInvoice] = [:]
    /// Payees by their addresses on the chain.
    var payees: [String: PubkyKey] = [:]
    /// The payments under payers' keys.
    var settlements: [String: KeyedPayment] = [:]
    /// The payees of transactions on the chain, by their ids.
    var transactions: [String: PubkyKey] = [:]

    /// Creates a network without users.
    ///
    /// - Parameters:
    ///   - configuration: its rules and time limits.
    ///   - clock: determines the age of tokens, sessions and packets, and measures waits.
    ///   - random: creates all users' keys and the secrets of sessions. The same seed creates the same users.
    public init(
        _ configuration: Configuration = Configuration(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
        keys = PubkyKeys(random)
        homeserver = keys.homeserver.publicKey
        generation = configuration.generation
    }

    /// Answers one request; a connection that the sandbox drops is status 500 here.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard case .response(let response) = await answer(to: request) else { return HTTPResponse(status: 500) }
        return response
    }

    /// Answers one request, or drops the connection at a port without a listener.
    public func answer(to request: HTTPRequest) async -> SandboxAnswer {
        // In the same process every request arrives here, whatever its port.
        guard request.url.port != Self.deadPort else { return .drop }
        do throws(PubkySandboxError) { return .response(try await route(request)) } catch {
            return .response(error.response)
        }
    }

    private func route(_ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        let words = request.url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
            String.init)
        switch (words.first, words.count) {
        case ("pkarr", 2): return try await relay(words[1], request)
        case ("link", 2): return try await link(words[1], request)
        case ("inbox", 2): return try await inbox(words[1], request)
        case ("inbox", 3): return try await acknowledgement(words[1], words[2], request)
        case ("sandbox", 3...4) where words[1] == "paykit" && words[2] == "links":
            return try await linkConsole(request, Array(words.dropFirst(3)))
        case ("sandbox", 3...4) where words[1] == "paykit" && ["payees", "payer"].contains(words[2]):
            return try peerConsole(request, Array(words.dropFirst(2)))
        case ("sandbox", 3) where words[1] == "paykit" && words[2] == "settlements":
            return try settlement(ofEndpoint: request)
        case ("sandbox", 3) where words[1] == "paykit": return try settle(words[2], request)
        case ("sandbox", 4) where words[1] == "paykit" && words[2] == "settlements":
            return try settlement(words[3], request)
        default: return try await homeserver(request)
        }
    }

    /// A port without a listener: the port of homeservers that are down.
    static let deadPort: UInt16 = 1

    /// Microseconds since 1970.
    var now: UInt64 { clock.now.microseconds }

    func record(_ event: SandboxLedger.Event, of key: PubkyKey) { ledger.record(event, of: key.text) }
}

extension PubkySandbox {
    /// The paths at which it answers, for sharing one address; see ``SharedAddress``. The homeserver handles every path
    /// that no other service handles: let it come last.
    public static let paths = ["/pkarr", "/link", "/inbox", "/sandbox/paykit", "/"]
}

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
        /// The port that the homeserver publishes; nil for the port of each request, which is right at every address of
        /// the sandbox.
        public var port: UInt16?
        /// The time to store a packet. During it no other request can publish for the key.
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

/// A failure of the network to do what a request asks.
struct PubkySandboxError: Error, Sendable {
    let status: Int
    let text: String
    var headers: HTTPHeaders = [:]

    init(_ status: Int, _ text: String = "", headers: HTTPHeaders = [:]) {
        self.status = status
        self.text = text
        self.headers = headers
    }

    static let notFound = PubkySandboxError(404, "Not Found")
    static let wrongMethod = PubkySandboxError(405)

    var response: HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
        if !text.isEmpty { response.headers["Content-Type"] = "text/plain; charset=utf-8" }
        return response
    }
}

/// The query of a request as the services read it: the last of several values counts.
struct PubkyQuery: Sendable {
    private(set) var items: [(name: String, value: String)] = []

    init(_ request: HTTPRequest) {
        for item in QueryItems(Substring(request.url.query ?? "")) {
            items.append(
                (
                    PercentCoding.decodeLeniently(item.name, plusIsSpace: true),
                    PercentCoding.decodeLeniently(item.value, plusIsSpace: true)
                ))
        }
    }

    subscript(_ name: String) -> String? { items.last { $0.name == name }?.value }

    /// Returns a yes or no; an empty value is a yes.
    func flag(_ name: String) throws(PubkySandboxError) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false", "no", "0": return false
        case "true", "yes", "1", "": return true
        default: throw PubkySandboxError(400, "Invalid boolean parameter")
        }
    }

    /// Returns the number of requested entries; a value that cannot be read is ignored.
    func limit(usual: Int, most: Int) -> Int {
        min(self["limit"].flatMap { UInt16($0) }.map(Int.init) ?? usual, most)
    }
}

/// All users' keys and secrets, derived from one random root, so that the same seed creates the same users in every
/// run.
struct PubkyKeys: Sendable {
    private let root: [UInt8]
    let homeserver: PubkyKeyPair

    init(_ random: any RandomSource) {
        root = random.bytes(32)
        homeserver = Self.pair(Self.derive("homeserver", root))
    }

    /// Returns 32 bytes that belong to `name`.
    func bytes(_ name: String) -> [UInt8] { Self.derive(name, root) }

    func pair(_ name: String) -> PubkyKeyPair { Self.pair(bytes(name)) }

    private static func derive(_ name: String, _ root: [UInt8]) -> [UInt8] { Digest.sha256.hash(root + name.utf8) }

    private static func pair(_ seed: [UInt8]) -> PubkyKeyPair {
        // Any 32 bytes are a seed; only a system without memory or cryptography fails here.
        guard let pair = try? PubkyKeyPair(seed: seed) else { preconditionFailure("no Ed25519 on this system") }
        return pair
    }
}

/// Crockford's base 32, as homeservers write secrets and sign-up tokens.
enum Crockford {
    private static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Returns `count` random characters.
    static func random(_ count: Int, _ random: any RandomSource) -> String {
        String((0..<count).map { _ in characters[Int(random.next() >> 59)] })
    }

    /// Returns 16 random bytes: 26 characters; the last carries three bits.
    static func secret(_ random: any RandomSource) -> String {
        Self.random(25, random) + String(characters[Int(random.next() >> 61) << 2])
    }

    static func isText(_ text: some StringProtocol) -> Bool { text.allSatisfy(characters.contains) }
}
