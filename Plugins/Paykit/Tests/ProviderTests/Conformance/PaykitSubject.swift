import BitcoinProvider
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentSettlement
import PaymentStandards
import PaymentTesting
import Synchronization

enum Subjects {
    static let secret = "canary-4f1c9e"

    /// A user's key or an invoice, both paid by an invoice, so that it is taken once for all callers.
    static func paykit(byKey: Bool) throws -> ConformanceSubject {
        let url = try HTTPURL("http://127.0.0.1:6287")
        // The settler belongs to the backend, which does not exist yet.
        let current = CurrentSettler()
        return ConformanceSubject(
            PaykitProvider(network: try .sandbox(url), reader: StandardsReader()), payer: Payer(settler: current),
            canaries: [secret]
        ) { behaviour, clock, random in
            let sandbox = PubkySandbox(clock: clock, random: random)
            let user = await sandbox.createUser(.registryJSON)
            let invoice = await sandbox.createInvoice(2100, for: user.key)
            current.set(
                SandboxSettler(at: url, over: DirectTransport(service: sandbox)), neverEnds: behaviour == .neverSettles)
            return ConformanceSubject.Backend(
                link: byKey ? user.link : "paykit:invoice?method=lightning&data=\(invoice)",
                services: ["127.0.0.1:6287": sandbox, "localhost:6287": sandbox]
            ) {
                await sandbox.ledger.events(of: user.key.text).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }

    /// Bare texts of Bitcoin and Lightning, paid at the same sandbox. They call no service.
    static func bitcoin() throws -> ConformanceSubject {
        let url = try HTTPURL("http://127.0.0.1:6287")
        let current = CurrentSettler()
        return ConformanceSubject(
            StandardlessLinks(), payer: Payer(settler: current), canaries: [secret]
        ) { behaviour, clock, random in
            let sandbox = PubkySandbox(clock: clock, random: random)
            let user = await sandbox.createUser(.emptyDirectory)
            let invoice = await sandbox.createInvoice(2100, for: user.key)
            current.set(
                SandboxSettler(at: url, over: DirectTransport(service: sandbox)), neverEnds: behaviour == .neverSettles)
            return ConformanceSubject.Backend(link: "lightning:\(invoice)", services: [:]) {
                await sandbox.ledger.events(of: user.key.text).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
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
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        try await base.quote(request, in: context)
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await base.pay(attempt, in: context)
    }
}

/// The settler of the running trial.
final class CurrentSettler: PaymentSettler {
    private let state = Mutex<(settler: (any PaymentSettler)?, neverEnds: Bool)>((nil, false))

    func set(_ settler: any PaymentSettler, neverEnds: Bool) { state.withLock { $0 = (settler, neverEnds) } }

    let name = "sandbox"

    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    func register(_ name: String) async throws { try await state.withLock { $0.settler }?.register(name) }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        state.withLock { $0.settler }?.canSettle(kind, on: network) ?? false
    }

    func order(named name: String) async throws -> SettlementOrder? {
        try await report { try await $0.order(named: name) }
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await report { try await $0.order(paying: endpoint) }
    }

    private func report(
        _ ask: (any PaymentSettler) async throws -> SettlementOrder?
    ) async throws -> SettlementOrder? {
        let (settler, neverEnds) = state.withLock { $0 }
        guard let settler, let known = try await ask(settler) else { return nil }
        guard neverEnds, case .settled = known.state else { return known }
        return SettlementOrder(
            name: known.name, endpoint: known.endpoint, amount: known.amount, state: .inFlight(retryAfter: nil))
    }

    func abandon(_ name: String) async throws -> SettlementState {
        try await state.withLock { $0.settler }?.abandon(name) ?? .nothingSent(reason: nil)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let (settler, neverEnds) = state.withLock { $0 }
        let known = try await settler?.settle(settlement) ?? .nothingSent(reason: nil)
        return neverEnds ? .inFlight(retryAfter: nil) : known
    }
}
