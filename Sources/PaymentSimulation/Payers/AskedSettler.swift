import PaymentCore
import PaymentTesting

/// A settler on a payer's device: it may never answer, or fail before or after the payment, and the witness sees every
/// request to pay.
struct AskedSettler: PaymentSettler {
    let base: any PaymentSettler
    let disk: SimulatedDisk
    let witness: Witness
    /// Never answers, or fails, by chance.
    let ponder: @Sendable (String) async throws -> Void

    var name: String { base.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await base.register(name) }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }

    func order(named name: String) async throws -> SettlementOrder? {
        try await ponder("the settler's memory")
        return try await base.order(named: name)
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await ponder("the settler's memory")
        return try await base.order(paying: endpoint)
    }

    func abandon(_ name: String) async throws -> SettlementState {
        try await ponder("the settler, before it abandons")
        return try await base.abandon(name)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        // The money leaves at the sender's next moment, whatever the caller waits for in between.
        let attempt = Acting.attempt
        // A process that was stopped since its last look may request payments that others have ended: only the settler
        // can refuse that.
        let isCovered = disk.durableHistories.contains { history in
            history.attempt.id == attempt?.id && history.authorities.settler != nil
        }
        if !isCovered { witness.breach("a settlement began before its step was durable") }
        try await ponder("the settler")
        witness.settles()
        let state = try await base.settle(settlement)
        try await ponder("the settler, after it was asked,")
        return state
    }
}
