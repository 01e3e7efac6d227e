public import PaykitProvider
public import PaymentCore
import PaymentCrypto
public import PaymentTesting

/// A simulated part of the Pubky network at one address: a pkarr relay below `/pkarr`, a homeserver at the root, and
/// the relays through which another device authorises an app below `/link` and `/inbox`. Offline; no money.
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
    /// The times at which used tokens were signed, by their ids.
    var usedTokens: [[UInt8]: UInt64] = [:]
    /// Sign-up tokens, each with true if it was used.
    var signUpTokens: [String: Bool] = [:]
    /// The homeserver's interface at this moment.
    var generation: Generation
    var grantBook = PubkyGrantStore()
    var events: [PubkyEvent] = []

    // The relays of the other device.
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
