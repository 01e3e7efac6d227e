import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Synchronization
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// A user who pays others of a simulated network over private channels, through a router: the state that outlives one
/// process.
final class RoutedWorld: Sendable {
    static let url = "http://localhost:6288"

    let clock: any PaymentClock
    let sandbox: PubkySandbox
    let streams = LocalStreams()
    let journal = InMemoryJournal()
    let store = InMemoryRecords()
    var receipts: Receipts { Receipts(store) }
    /// The settler's requests to pay.
    private let asked = Mutex<[String]>([])
    private let listeners = Mutex<[Task<Void, Never>]>([])

    init(clock: any PaymentClock = PatientClock(), seed: UInt64 = 1) {
        self.clock = clock
        var rules = PubkySandbox.Configuration()
        rules.slowness = .milliseconds(10)
        rules.invoiceLifetime = 365 * 86_400
        sandbox = PubkySandbox(rules, clock: clock, random: SeededRandomSource(seed: seed))
    }

    deinit { for task in listeners.withLock({ $0 }) { task.cancel() } }

    /// The invoices that the settler was asked to pay, in order.
    var settled: [String] { asked.withLock { $0 } }

    func process(
        _ lifetime: ProcessLifetime = ProcessLifetime(), use: PaykitChannelPayments.Use = .preferred,
        timeout: Duration = .seconds(30), autoPay: AutoPay? = nil, satoshi: UInt128 = 2100, seed: UInt64 = 2,
        secret: UInt8 = 0x11,
        store: (any RecordStore)? = nil, isPrivate: Bool = true
    ) throws -> RoutingProcess {
        let url = try HTTPURL(Self.url)
        let transport = SandboxTransport(sandbox, clock: clock)
        let pair = try PubkyKeyPair(seed: [UInt8](repeating: secret, count: 32))
        let provider = PaykitProvider(
            network: try .sandbox(url), reader: StandardsReader(),
            privately: isPrivate
                ? try PaykitChannelPayments(
                    as: pair, over: streams,
                    store: CrashingRecords(base: store ?? self.store, lifetime: lifetime),
                    use: use, chain: .regtest, timeout: timeout) : nil)
        let settler = CrashingSettler(base: SandboxSettler(at: url, over: transport), lifetime: lifetime) {
            [weak self] one in
            self?.asked.withLock { $0.append(one.endpoint.text) }
        }
        var payer = Payer(policy: .firstWhateverItCosts, settler: settler)
        payer.amountChooser = { _ in try Money(minorUnits: satoshi, currency: .satoshi) }
        if autoPay != nil { payer.policy = nil }
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: transport,
            journal: CrashingJournal(base: journal, lifetime: lifetime), readers: [StandardsReader()], clock: clock,
            random: SeededRandomSource(seed: seed), autoPay: autoPay)
        return RoutingProcess(router: router, provider: provider, payer: payer)
    }

    /// A peer of this manner, which listens as long as the world exists.
    func peer(_ manner: PubkySandbox.PeerManner) async throws -> PubkySandbox.Peer {
        let peer = try await sandbox.createPeer(manner, over: streams)
        listeners.withLock { $0.append(Task { await peer.run() }) }
        return peer
    }

    /// A peer that returns wrong invoices, and listens as long as the world exists.
    func liar(_ lie: LyingPayee.Lie) async throws -> LyingPayee {
        let payee = try await LyingPayee(lie, at: sandbox)
        let socket = try await streams.listen(at: .loopback())
        let identity = try ChannelIdentity(payee.user.keyPair)
        let store: any RecordStore = if lie == .another { ForgetfulRecords() } else { InMemoryRecords() }
        let responder = ReceiptResponder(payee.user.key, payee, Receipts(store))
        var limits = PayeeListener.Limits()
        (limits.gate.attempts, limits.gate.attemptsOfAll) = (.max, .max)
        let listener = PayeeListener(
            socket, as: identity, responder, clock: clock, random: SeededRandomSource(seed: 8), limits)
        let place = PaykitNoiseEndpoint(
            owner: payee.user.key, host: "127.0.0.1", port: socket.localAddress.port, key: identity.publicKey)
        await sandbox.publish(place.wire, at: "/pub/paykit.app/v0/noise", of: payee.user.key)
        listeners.withLock { $0.append(Task { await listener.run() }) }
        return payee
    }

    /// Advances a clock that does not run by itself.
    func wait(_ duration: Duration) { (clock as? PatientClock)?.advance(by: duration) }

    func captures(_ key: PubkyKey) async -> Int { await sandbox.ledger.captures(of: key.text) }

    func published(_ key: PubkyKey) async -> String {
        String(decoding: await sandbox.file(at: "/pub/paykit.app/v0/lightning", of: key) ?? [], as: UTF8.self)
    }

    /// The number of payments to all payees.
    var total: Int {
        get async {
            await sandbox.ledger.entries.count { if case .captured = $0.event { true } else { false } }
        }
    }

    /// Every attempt in the journal.
    var attempts: [AttemptHistory] {
        get async { await journal.attempts(AttemptQuery(limit: 10_000)).histories }
    }
}
