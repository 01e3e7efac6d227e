import BitcoinProvider
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentSettlement
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport

/// Paykit with a payer whose settler pays at the simulated network: a user's key or an invoice, both paid by an invoice,
/// so that it is taken once for all callers.
struct SimulatedPaykit: SimulatedVendor {
    /// What is paid.
    enum Target: String, CaseIterable {
        case key, invoice
        /// A bare text of Lightning, which calls no service.
        case text
    }

    private static let url = "http://127.0.0.1:6287"

    let scenarios =
        Target.allCases.map { SimulatedScenario($0.rawValue, "it is paid", ending: .paid) } + [
            SimulatedScenario("endless", "it stays in flight", ending: .open)
        ]
    let target: Target
    let services: [any PaymentService]
    let sandbox: PubkySandbox
    private let settler: TestSettler

    var payer: Payer { Payer(settler: settler) }

    init(clock: any PaymentClock, random: any RandomSource) throws { try self.init(.key, clock: clock, random: random) }

    init(_ target: Target, clock: any PaymentClock, random: any RandomSource) throws {
        let url = try HTTPURL(Self.url)
        self.target = target
        sandbox = PubkySandbox(clock: clock, random: random)
        services = [
            target == .text
                ? StandardlessLinks() : PaykitProvider(network: try .sandbox(url), reader: StandardsReader())
        ]
        settler = TestSettler(SandboxSettler(at: url, over: DirectTransport(service: sandbox)))
    }

    var hosts: [String: any SandboxService] {
        target == .text ? [:] : ["127.0.0.1:6287": sandbox, "localhost:6287": sandbox]
    }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        settler.neverEnds = scenario.ending == .open
        let user = await sandbox.createUser(target == .text ? .emptyDirectory : .registryJSON)
        let invoice = await sandbox.createInvoice(2100, for: user.key)
        let link =
            switch target {
            case .key: user.link
            case .invoice: "paykit:invoice?method=lightning&data=\(invoice)"
            case .text: "lightning:\(invoice)"
            }
        return PayeePayment(sandbox: sandbox, payee: user.key, link: link)
    }
}

/// A payment that is recorded with its payee.
struct PayeePayment: SimulatedPayment {
    let sandbox: PubkySandbox
    let payee: PubkyKey
    let link: String

    var reference: PaymentReference { PaymentReference(provider: PaykitProvider.id, id: payee.text) }
    var links: [String] { [link] }

    func truth() async -> PaymentTruth {
        PaymentTruth(await sandbox.ledger.events(of: payee.text)) { amount in
            amount.split(separator: " ").first.flatMap { try? Money(minorUnitText: String($0), currency: .satoshi) }
        }
    }
}

/// The provider of bare texts with a separate claim on `lightning:`, because the probes' routers read no standards.
private struct StandardlessLinks: SettlingProvider, PayeeProvider {
    private let base = BitcoinProvider(reader: StandardsReader())

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: base.descriptor.id, name: "Bitcoin", patterns: [.scheme("lightning")], outboundHosts: [])
    }
    func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }
    func payee(of option: PaymentMethodOption) -> String? { base.payee(of: option) }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await base.quote(request, in: context)
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await base.pay(attempt, in: context)
    }
}

/// A settler whose payments may stay in flight.
final class TestSettler: ForwardingSettler {
    let base: any PaymentSettler
    private let isEndless = Atomic(false)

    init(_ base: any PaymentSettler) { self.base = base }

    /// True if a payment that was made is never called settled.
    var neverEnds: Bool {
        get { isEndless.load(ordering: .relaxed) }
        set { isEndless.store(newValue, ordering: .relaxed) }
    }

    func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name).map(shown) }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint).map(shown)
    }

    private func shown(_ order: SettlementOrder) -> SettlementOrder {
        guard neverEnds, case .settled = order.state else { return order }
        return SettlementOrder(
            name: order.name, endpoint: order.endpoint, amount: order.amount, state: .inFlight(retryAfter: nil))
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let state = try await base.settle(settlement)
        return neverEnds ? .inFlight(retryAfter: nil) : state
    }
}
