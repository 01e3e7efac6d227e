import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitLaboratory
@testable import PaykitProvider
@testable import PaykitSandbox

/// A user who pays requests over a private link through routers: the state that outlives one process.
final class RequestWorld: Sendable {
    static let bolt11 = "btc-lightning-bolt11"

    let clock = VirtualClock()
    let sandbox: PubkySandbox
    let url: HTTPURL
    /// The payer's stored state of the link.
    let states = InMemoryRecords()
    let journal = InMemoryJournal()
    let payer: LinkUser
    let payee: LinkUser
    /// The settlers' requests to pay: by which name, at which endpoint.
    private let asked = Mutex<[Settlement]>([])

    init() async throws {
        url = try HTTPURL("http://localhost:6286")
        var rules = PubkySandbox.Configuration()
        rules.invoiceLifetime = 365 * 86_400
        sandbox = PubkySandbox(rules, clock: clock, random: SeededRandomSource(seed: 1))
        let shop = await sandbox.createUser(.thirdGeneration)
        payee = try await Self.user(shop.keyPair, "shop/server", InMemoryRecords(), sandbox, clock, url)
        payer = try await Self.user(PubkySamples.pair(7), "router/wallet", states, sandbox, clock, url)
        try await deliver()
    }

    private static func user(
        _ pair: PubkyKeyPair, _ app: String, _ states: any RecordStore, _ sandbox: PubkySandbox,
        _ clock: VirtualClock, _ url: HTTPURL
    ) async throws -> LinkUser {
        try await LinkUser(
            pair, as: #require(PaykitReceiverPath(app)), secret: Redacted(Digest.sha256.hash(pair.publicKey.bytes)),
            states, at: sandbox, over: SandboxTransport(sandbox), url, clock: clock,
            random: SeededRandomSource(seed: UInt64(pair.publicKey.bytes[0])))
    }

    /// Returns a world in which the payer has read a request over 2,100 satoshi, with the router's link to it.
    static func asked() async throws -> (world: RequestWorld, id: String, link: String) {
        let world = try await RequestWorld()
        let id = try await world.ask()
        return (world, id, try world.link(id))
    }

    /// Both poll until every message has arrived.
    func deliver() async throws { try await LinkUser.deliver(payer, payee) }

    // MARK: The payee

    var asPayee: PrivateLinkParty { get throws { try payee.flow.party(payer.key, payer.receiver) } }
    var asPayer: PrivateLinkParty { get throws { try payer.flow.party(payee.key, payee.receiver) } }

    func invoice(_ satoshis: UInt64?) async -> PaykitEndpoint {
        PaykitEndpoint(methodID: Self.bolt11, endpoint: await sandbox.createInvoice(satoshis, for: payee.key))
    }

    /// Requests a payment, and lets the payer read the request.
    ///
    /// - Parameter endpoints: the endpoints to pay it at; nil for an invoice over it.
    func ask(
        _ satoshis: UInt64 = 2100, for reference: String = "tea", until end: PrivateLinkTime? = nil,
        recurring recurrence: PrivateLinkRecurrence? = nil, at endpoints: [PaykitEndpoint]? = nil
    ) async throws -> String {
        let amount = try Money(minorUnits: UInt128(satoshis), currency: .satoshi)
        let terms = PaymentTerms(
            try PrivateLinkAmount(amount.decimalText, "btc"), reference: reference, expiresAt: end,
            recurrence: recurrence,
            identifiers: [Self.bolt11, "btc-regtest-p2wpkh"].compactMap { PaykitIdentifier($0) })
        let list: [PaykitEndpoint]
        if let endpoints { list = endpoints } else { list = [await invoice(satoshis)] }
        let id = try await payee.flow.ask(for: terms, at: list, asPayee)
        try await deliver()
        return id
    }

    /// Sends another way to pay.
    func offer(_ endpoint: PaykitEndpoint) async throws {
        try await payee.flow.offer([endpoint], asPayee)
        try await deliver()
    }

    /// Cancels a request, and lets the payer read the cancellation.
    func cancel(_ id: String) async throws {
        try await payee.flow.cancel(id, reason: nil, asPayee)
        try await deliver()
    }

    /// The payee's requests, and the payer's view of them.
    var requests: [PrivateLinkRequest] {
        get async throws { try await payee.flow.requests(with: payer.key, payer.receiver) }
    }
    var readRequests: [PrivateLinkRequest] {
        get async throws { try await payer.flow.requests(with: payee.key, payee.receiver) }
    }

    /// The proofs of a request that the payee has read.
    func proofs(_ id: String) async throws -> [PaykitProof] {
        try await deliver()
        let request = try await requests.first { $0.id == id }
        return request?.state.proofs.compactMap { PaykitProof($0) } ?? []
    }

    func phase(_ id: String) async throws -> RequestState.Phase? {
        try await readRequests.first { $0.id == id }?.state.phase
    }

    /// The number of payments to the payee.
    var captures: Int { get async { await sandbox.ledger.captures(of: payee.key.text) } }
    var settled: [Settlement] { asked.withLock { $0 } }

    // MARK: The payer

    /// Loses the payer's stored state of the link.
    func loseLink() { states.content = InMemoryRecords.Content() }

    static let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)

    /// The payer's node.
    var node: SandboxSettler { SandboxSettler(at: url, over: SandboxTransport(sandbox)) }

    /// A settler that pays nothing, and does not answer.
    var silent: ScriptedSettler { ScriptedSettler(base: node, settle: { _ in throw NoWord() }) }

    /// True if a request to the settler that was held up on its way, and arrives now, pays nothing.
    func settlesNothingLater() async throws -> Bool {
        if case .nothingSent = try await node.settle(#require(settled.first)) { true } else { false }
    }

    /// Pays a request without a router.
    @discardableResult
    func payDirectly(_ id: String, with settler: (any PaymentSettler)? = nil) async throws -> PaykitProof {
        try await payer.flow.pay(id, asPayer, with: settler ?? node, check: Self.check)
    }

    func link(_ id: String, recurs: Bool = false) throws -> String {
        try #require(PaykitRequestURL(id, from: payee.key, app: payee.receiver, recurs: recurs)).text
    }

    func process(
        _ lifetime: ProcessLifetime = ProcessLifetime(), journal: InMemoryJournal? = nil, limit: UInt64? = nil,
        seed: UInt64 = 2, settler: (any PaymentSettler)? = nil, isPrivateOnly: Bool = false
    ) throws -> RoutingProcess {
        let transport = SandboxTransport(sandbox)
        let provider = PaykitProvider(
            network: try .sandbox(url), reader: StandardsReader(),
            privately: isPrivateOnly
                ? try PaykitChannelPayments(
                    as: PubkySamples.pair(7), over: LocalStreams(),
                    store: InMemoryRecords(), use: .only, chain: .regtest) : nil,
            links: try PaykitLinkPayments(
                as: payer.key, receiver: payer.receiver, secret: payer.secret,
                store: CrashingRecords(base: states, lifetime: lifetime), chain: .regtest))
        let base = settler ?? node
        let crashing = CrashingSettler(base: base, lifetime: lifetime) { [weak self] one in
            self?.asked.withLock { $0.append(one) }
        }
        let autoPay = try limit.map {
            AutoPay(
                within: [SpendingLimit(try Money(minorUnits: UInt128($0), currency: .satoshi), per: .day)],
                timeZone: .gmt)
        }
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: transport,
            journal: CrashingJournal(base: journal ?? self.journal, lifetime: lifetime), readers: [StandardsReader()],
            clock: clock, random: SeededRandomSource(seed: seed), autoPay: autoPay)
        return RoutingProcess(
            router: router, provider: provider,
            payer: Payer(policy: limit == nil ? .firstWhateverItCosts : nil, settler: crashing))
    }
}
