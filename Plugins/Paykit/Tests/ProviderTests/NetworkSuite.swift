import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport

/// A simulated network that is called in the same process, and its time.
struct TestNetwork: Sendable {
    static let url = "http://localhost:6286"

    let clock = VirtualClock()
    let sandbox: PubkySandbox

    init(_ generation: PubkySandbox.Generation? = nil) {
        var configuration = PubkySandbox.Configuration()
        if let generation { configuration.generation = generation }
        sandbox = PubkySandbox(configuration, clock: clock, random: SeededRandomSource(seed: 1))
    }
}

/// The common parts of the suites of applications at a simulated network.
protocol NetworkSuite {
    var network: TestNetwork { get }
}

extension NetworkSuite {
    var sandbox: PubkySandbox { network.sandbox }
    var clock: VirtualClock { network.clock }

    static var secret: String { String(repeating: "11", count: 32) }
    /// The key of ``secret``.
    static var me: String { "4bfmrcuwfq4ksqoupn6wcfxrh5enr1izdeyszmhfrntuf1mzoh5o" }

    /// Signs the user up, or in.
    func signedIn(_ client: PaykitClient) async throws -> PaykitClient {
        // Homeservers identify tokens by key and time: another sign-in needs another time.
        clock.advance(by: .milliseconds(1))
        try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        return client
    }

    /// The failure of `work`; nil if it succeeds.
    func failure(_ work: () async throws -> Void) async -> PaykitNetworkError? { await networkFailure(work) }

    /// The ids of the payment methods that a client finds.
    func methods(_ client: PaykitClient, _ pubkey: String) async throws -> [String] {
        let found: [PaykitSupportedMethod] = try await client.getSupportedMethods(pubkey: pubkey).methods
        return found.map(\.methodId)
    }

    /// The number of payments to a user.
    func captures(of user: PubkyKey) async -> Int { await sandbox.ledger.captures(of: user.text) }
}

extension TestNetwork {
    /// A settler that pays at the sandbox.
    var settler: SandboxSettler {
        get throws { SandboxSettler(at: try HTTPURL(Self.url), over: SandboxTransport(sandbox)) }
    }

    /// Returns a router with Paykit's provider and `others`.
    func router(
        with others: [any PaymentService] = [], callbacks: [String] = [], privately: PaykitChannelPayments? = nil,
        links: PaykitLinkPayments? = nil, journal: InMemoryJournal = InMemoryJournal(), seed: UInt64 = 2,
        autoPay: AutoPay? = nil
    ) throws -> PaymentRouter {
        let provider = PaykitProvider(
            network: try .sandbox(HTTPURL(Self.url)), reader: StandardsReader(), callbacks: callbacks,
            privately: privately, links: links)
        return PaymentRouter(
            registry: try ProviderRegistry([provider] + others), transport: SandboxTransport(sandbox),
            journal: journal, readers: [StandardsReader()], clock: clock, random: SeededRandomSource(seed: seed),
            autoPay: autoPay)
    }
}

extension PaymentRouter {
    private struct NotRouted: Error {}

    /// Routes a link, and returns its quote.
    func quote(_ link: String, as payer: Payer) async throws -> PaymentQuote {
        guard case .matched(let route) = route(link) else { throw NotRouted() }
        return try await quote(route, as: payer)
    }
}

/// Values in the order in which they were noted.
final class Noted<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }
    func note(_ value: Value) { values.withLock { $0.append(value) } }
}
