package import PaymentCore

/// A settler that asks another one, except for what it answers itself.
package protocol ForwardingSettler: PaymentSettler {
    /// The settler that is asked.
    var base: any PaymentSettler { get }
}

extension ForwardingSettler {
    package var name: String { base.name }
    package func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    package func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        base.canSettle(kind, on: network)
    }
    package func register(_ name: String) async throws { try await base.register(name) }
    package func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name) }
    package func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint)
    }
    package func settle(_ settlement: Settlement) async throws -> SettlementState { try await base.settle(settlement) }
    package func abandon(_ name: String) async throws -> SettlementState { try await base.abandon(name) }
}
