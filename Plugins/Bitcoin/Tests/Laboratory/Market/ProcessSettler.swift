import BitcoinWallets
import PaymentCore
import PaymentTesting
import Synchronization

/// The payer's settler: that of the process which acts. All that it states of a name is compared with what was stated
/// before; now and then a name is abandoned while it is paid.
struct ProcessSettler: PaymentSettler {
    let node: WalletNode
    /// True if all files of orders have one name: what one has begun, another one is asked about.
    let hasOneName: Bool
    /// The limit of fees that the settlers state; nil for a mistake.
    let feeLimit: FeeLimit?
    /// Returns the number of the orders of the process that acts; nil if it has ended.
    let number: @Sendable () -> Int?
    let current: @Sendable () async throws -> (settler: any PaymentSettler, process: SimulatedProcess, orders: Int)

    var name: String { hasOneName ? "orders" : number().map { "orders-\($0)" } ?? "ended" }

    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        number() == nil ? nil : feeLimit?.limit(for: amount)
    }

    func register(_ name: String) async throws { try await current().settler.register(name) }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        kind == .bolt11 ? network == "regtest" : [.lightningAddress, .lnurl].contains(kind) && network == nil
    }

    func order(named name: String) async throws -> SettlementOrder? {
        let (begun, (settler, process, orders)) = (node.statements.tick(), try await current())
        try await decide(OrderName(name, in: orders), settler)
        let order = try await settler.order(named: name)
        if let order, !process.isDead { add(order.state, of: OrderName(name, in: orders), begun: begun) }
        return order
    }

    /// Once everything has healed, lets the chain grow beyond the end of invoices whose requests were lost, and has a
    /// person end what no wallet ever will.
    private func decide(_ order: OrderName, _ settler: any PaymentSettler) async throws {
        guard node.isKnownUnsent(order) else { return }
        node.mine()
        guard !node.isDecidedByChain else { return }
        let own = settler as? WalletSettler ?? (settler as? FaultySettler)?.base
        _ = try? await own?.end(order.name, because: "a person has looked at the node")
    }

    private func add(_ state: SettlementState, of name: OrderName, begun: Int) {
        node.statements.add(state, of: name, begun: begun, isByOthers: node.isPaidByAnother(than: name))
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await current().settler.order(paying: endpoint)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let (begun, (settler, process, orders)) = (node.statements.tick(), try await current())
        async let abandoned = node.abandons() ? try? abandon(settlement.key) : nil
        let state = try await settler.settle(settlement)
        if !process.isDead { add(state, of: OrderName(settlement.key, in: orders), begun: begun) }
        node.compareFee(of: settlement, settler.feeLimit(for: settlement.amount, to: settlement.endpoint.kind))
        _ = await abandoned
        return state
    }

    func abandon(_ name: String) async throws -> SettlementState {
        let (begun, (settler, process, orders)) = (node.statements.tick(), try await current())
        let state = try await settler.abandon(name)
        if !process.isDead { add(state, of: OrderName(name, in: orders), begun: begun) }
        return state
    }
}

/// The statements of settlers about names, which stay true.
final class SettlerStatements: Sendable {
    private struct State {
        var moment = 0
        /// The moments at which names were first stated to be unpaid, and to be paid, for good.
        var (unpaid, paid): ([OrderName: Int], [OrderName: Int]) = ([:], [:])
        var breaches: [String] = []
    }

    private let state = Mutex(State())

    /// The next moment.
    func tick() -> Int {
        state.withLock { state in
            state.moment += 1
            return state.moment
        }
    }

    /// Adds what a call that began at a moment has returned.
    ///
    /// - Parameter isByOthers: true if the name's invoice was paid by another request. It is paid then, also under a
    ///   name that was refused before.
    func add(_ stated: SettlementState, of name: OrderName, begun: Int, isByOthers: Bool) {
        let now = tick()
        state.withLock { state in
            let (wasUnpaid, wasPaid) = (state.unpaid[name] ?? .max, state.paid[name] ?? .max)
            let isTakenBack: Bool
            switch stated {
            case .settled:
                state.paid[name] = min(wasPaid, now)
                isTakenBack = wasUnpaid < begun && !isByOthers
            case .nothingSent, .settledElsewhere:
                state.unpaid[name] = min(wasUnpaid, now)
                isTakenBack = wasPaid < begun
            default: isTakenBack = min(wasUnpaid, wasPaid) < begun
            }
            if isTakenBack {
                state.breaches.append("a settler has taken back what it stated of \(name.name): \(stated)")
            }
        }
    }

    /// True if nothing is ever sent under this name, as was stated.
    func isUnpaid(_ name: OrderName) -> Bool { state.withLock { $0.unpaid[name] != nil } }

    var breaches: [String] { state.withLock { $0.breaches } }
}
