import PaymentCore

/// A settler that first reports the payment, and the money that pays it.
struct NarratingSettler: PaymentSettler {
    let settler: any PaymentSettler
    /// The wallet whose money it is; nil for simulated money.
    var wallet: String?
    let narrate: PaymentSession.Narrator

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        settler.canSettle(kind, on: network)
    }

    func order(named name: String) async throws -> SettlementOrder? { try await settler.order(named: name) }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await settler.order(paying: endpoint)
    }

    func abandon(_ name: String) async throws -> SettlementState { try await settler.abandon(name) }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let text = settlement.endpoint.text
        let place = text.utf8.count > 40 ? "\(text.prefix(16))…\(text.suffix(8))" : text
        narrate(
            SessionEvent(
                "settle",
                "\(AmountText.words(settlement.amount)) to \(Printable.text(place)): \(money)",
                SessionEvent.amount(settlement.amount)))
        return try await settler.settle(settlement)
    }

    private var money: String { wallet.map { "from \(Printable.text($0))" } ?? "simulated, no real funds move" }
}
