import PaymentCore

/// The memory of what callers of `payroute serve` have answered. Nothing is paid by it, and no caller is asked.
struct AnsweredSettler: PaymentSettler {
    let table: ServeTable

    var name: String { table.name }

    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    func register(_ name: String) async throws { try await table.register(name) }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }

    func order(named name: String) async throws -> SettlementOrder? { try await table.settlement(named: name)?.order }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await table.order(paying: endpoint)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState { try await answer(to: settlement.key) }

    func abandon(_ name: String) async throws -> SettlementState { try await answer(to: name) }

    private func answer(to name: String) async throws -> SettlementState {
        guard let order = try await order(named: name) else {
            throw PaymentError(.payer, "no caller was asked to pay this", retry: .later)
        }
        return order.state
    }
}
