import PaymentCore
import PaymentCrypto
import PaymentSettlement
import Synchronization
import TestSupport

/// A settler with a ledger, with scripted behaviour.
final class TestSettler: PaymentSettler {
    /// The behaviour on a request to pay.
    enum Habit: Sendable {
        case pays
        /// It pays, and its answer is lost.
        case losesAnswer
        /// It does not pay, and its answer is lost.
        case diesBefore
        /// It refuses permanently.
        case refuses
        /// It pays, and proves it with another proof.
        case lies
        /// It pays later: first it reports that.
        case paysLater
        /// It pays when the gate is opened.
        case waits(Gate)
    }

    struct Gone: Error {}

    static let preimage = [UInt8](repeating: 7, count: 32)
    static let hash = Hex.encode(Digest.sha256.hash(preimage))

    private struct State {
        var habit = Habit.pays
        var isSilent = false
        var whileAsked: @Sendable () async throws -> Void = {}
        /// The first settlement of each key, and its state.
        var orders: [String: (settlement: Settlement, state: SettlementState)] = [:]
        /// Keys that were abandoned before anything was begun.
        var abandoned: Set<String> = []
        /// Names that it knows.
        var registered: Set<String> = []
        var lies: Set<String> = []
        var settlements: [Settlement] = []
    }

    private let state = Mutex(State())
    let name: String
    private let fee: UInt128
    private let kinds: Set<SettlementEndpoint.Kind>

    init(
        _ habit: Habit = .pays, kinds: Set<SettlementEndpoint.Kind> = [.bolt11, .bitcoinAddress],
        name: String = "test-orders", fee: UInt128 = 0
    ) {
        self.name = name
        self.fee = fee
        self.kinds = kinds
        state.withLock { $0.habit = habit }
    }

    var habit: Habit {
        get { state.withLock { $0.habit } }
        set { state.withLock { $0.habit = newValue } }
    }

    /// True if it reports no status.
    var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    /// Runs while it is asked for a status.
    var whileAsked: @Sendable () async throws -> Void {
        get { state.withLock { $0.whileAsked } }
        set { state.withLock { $0.whileAsked = newValue } }
    }

    /// Reports the truth about its earlier false statements.
    func repent() { state.withLock { $0.lies = [] } }

    /// The names under which it pays nothing any more.
    var abandoned: Set<String> { state.withLock { $0.abandoned } }
    /// The requests to pay, in order.
    var settlements: [Settlement] { state.withLock { $0.settlements } }
    /// The number of payments made.
    var payments: Int {
        state.withLock { $0.orders.values.count { if case .settled = $0.state { true } else { false } } }
    }

    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        fee == 0 ? nil : .cents(fee, amount.currency)
    }

    func register(_ name: String) async throws { state.withLock { _ = $0.registered.insert(name) } }

    /// Pays under a name after all, although it had said otherwise.
    func pay(_ name: String) {
        state.withLock { state in
            guard let order = state.orders[name] else { return }
            state.orders[name]?.state = .settled(Self.proof(of: order.settlement))
        }
    }

    /// Loses its memory, as by a file that was deleted. What it paid stays paid.
    func forget() {
        state.withLock { state in
            (state.orders, state.abandoned, state.registered) = ([:], [], [])
        }
    }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { kinds.contains(kind) }

    func order(named name: String) async throws -> SettlementOrder? {
        try await whileAsked()
        return try state.withLock { state in
            if state.isSilent { throw Gone() }
            if state.abandoned.contains(name) {
                return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .nothingSent(reason: "abandoned"))
            }
            guard let order = state.orders[name] else {
                guard state.registered.contains(name) else { return nil }
                return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered)
            }
            if case .inFlight = order.state { state.orders[name]?.state = .settled(Self.proof(of: order.settlement)) }
            return Self.report(name, state)
        }
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try state.withLock { state in
            if state.isSilent { throw Gone() }
            return Self.payer(of: endpoint, state).flatMap { Self.report($0, state) }
        }
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        state.withLock { $0.settlements.append(settlement) }
        if case .waits(let gate) = habit { await gate.pass() }
        return try state.withLock { state in
            let name = settlement.key
            if state.abandoned.contains(name) { return .nothingSent(reason: "abandoned") }
            if let order = state.orders[name] {
                guard case .settled = order.state else { return order.state }
                preconditionFailure("asked to pay what is paid")
            }
            let habit = state.habit
            if case .diesBefore = habit { throw PaymentError(.cancelled, "gone", phase: .beforeSend) }
            var answer = SettlementState.settled(Self.proof(of: settlement))
            if case .refuses = habit { answer = .nothingSent(reason: "there is no route") }
            if case .paysLater = habit { answer = .inFlight(retryAfter: nil) }
            if let other = Self.payer(of: settlement.endpoint, state) { answer = .settledElsewhere(name: other) }
            state.orders[name] = (settlement, answer)
            if case .losesAnswer = habit { throw PaymentError(.cancelled, "gone", phase: .beforeSend) }
            if case .lies = habit { state.lies.insert(name) }
            return Self.report(name, state)?.state ?? answer
        }
    }

    func abandon(_ name: String) async throws -> SettlementState {
        state.withLock { state in
            if let order = state.orders[name] { return order.state }
            state.abandoned.insert(name)
            return .nothingSent(reason: "abandoned")
        }
    }

    /// The key under which an invoice was paid, or is being paid.
    private static func payer(of endpoint: SettlementEndpoint, _ state: State) -> String? {
        guard endpoint.paymentHash != nil else { return nil }
        return state.orders.first { _, order in
            switch order.state {
            case .settled, .inFlight: order.settlement.endpoint == endpoint
            default: false
            }
        }?.key
    }

    private static func report(_ name: String, _ state: State) -> SettlementOrder? {
        guard let (settlement, known) = state.orders[name] else { return nil }
        let lie = SettlementState.settled(.preimage(String(repeating: "00", count: 32)))
        return SettlementOrder(
            name: name, endpoint: settlement.endpoint, amount: settlement.amount,
            state: state.lies.contains(name) ? lie : known)
    }

    private static func proof(of settlement: Settlement) -> SettlementProof {
        settlement.endpoint.paymentHash == nil
            ? .transaction("tx-" + settlement.key.prefix(8)) : .preimage(Hex.encode(preimage))
    }
}

/// A settler that settles everything without a fee, and knows no endpoint: a double adds the rest.
protocol StubSettler: PaymentSettler {}

extension StubSettler {
    var name: String { "test-orders" }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }
    func register(_ name: String) async throws {}
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? { nil }
}

/// A settler in front of another one, of which a double replaces some methods; the rest is forwarded.
protocol PassingSettler: StubSettler {
    var base: TestSettler { get }
}

extension PassingSettler {
    var name: String { base.name }
    func register(_ name: String) async throws { try await base.register(name) }
    func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name) }
    func settle(_ settlement: Settlement) async throws -> SettlementState { try await base.settle(settlement) }
    func abandon(_ name: String) async throws -> SettlementState { try await base.abandon(name) }
}

/// Its links name an invoice (`?id=`), or a payee with an address (`?payee=`).
struct InvoiceProvider: SettlingProvider, PayeeProvider {
    var amount = Money.cents(2100, .satoshi)
    /// The provider's outcome after the settlement.
    var afterwards: @Sendable (PaymentAttempt, SettlementProof) -> ServiceReport = { attempt, proof in
        .succeeded(
            PaymentReceipt(
                reference: attempt.reference, amount: attempt.option.amount, proof: proof))
    }
    /// Runs during the quote.
    var quoteBody: @Sendable () async throws -> Void = {}
    let calls = Tally()

    static let invoice = "https://pay.acme.example/?id=invoice"
    static let payee = "https://pay.acme.example/?payee=mina"
    static let invoiceReference = PaymentReference(provider: "acme", id: "invoice")
    static let endpoint = SettlementEndpoint(
        .bolt11, text: "lnbcrt1invoice", network: "regtest", paymentHash: TestSettler.hash)
    static let address = SettlementEndpoint(.bitcoinAddress, text: "bcrt1address", network: "regtest")

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: "acme", name: "Acme", patterns: [.host("pay.acme.example")], outboundHosts: [])
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        if let payee = link.queryItems.values("payee").first {
            return LinkMatch(.payee(String(payee)))
        }
        return link.queryItems.values("id").first.map { LinkMatch(.payment(String($0))) }
    }

    func payee(of option: PaymentMethodOption) -> String? { option.providerData?["payee"]?.string }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        calls.count("quote")
        try await quoteBody()
        let endpoint = request.match.payee != nil ? Self.address : Self.endpoint
        var data: JSONValue = ["endpoint": try JSONValue.encode(endpoint)]
        if let payee = request.match.payee { data["payee"] = .string(payee) }
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: "Mina"), amount: amount,
            options: [
                PaymentMethodOption(
                    id: "only", title: "only", amount: amount,
                    needs: [.settlement(endpoint.kind, network: endpoint.network)], providerData: data)
            ])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        calls.count("pay")
        guard let endpoint = attempt.option.providerData?["endpoint"] else {
            throw PaymentError(.providerFault, "no endpoint")
        }
        do {
            return afterwards(
                attempt, try await context.settle(attempt, to: try endpoint.decode(SettlementEndpoint.self)))
        } catch let error as PaymentError where error.code == .notSettled {
            return .declined(DeclineReason(.refused, error.message))
        }
    }
}

extension Payer {
    /// Accepts any option, and pays with `settler`.
    static func careless(_ settler: TestSettler) -> Payer {
        Payer(policy: .firstWhateverItCosts, settler: settler)
    }
}

extension InvoiceProvider: PayeeNotifyingProvider {
    func notifyPayee(_ receipt: PaymentReceipt, of attempt: PaymentAttempt, in context: ProviderContext) async throws {
        calls.count("notify")
    }
}
