import PaymentCore
import SandboxSupport

/// A settler that first reports the payment, and the money that pays it, and then the words of the payee's service.
struct NarratingSettler: PaymentSettler {
    let settler: any PaymentSettler
    /// The wallet whose money it is; nil for simulated money.
    var wallet: OpenedWallet?
    let narrate: PaymentSession.Narrator

    var name: String { settler.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        settler.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await settler.register(name) }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        settler.canSettle(kind, on: network)
    }

    func order(named name: String) async throws -> SettlementOrder? {
        let order = try await settler.order(named: name)
        if let order { await reportMessage(name, order.state) }
        return order
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await settler.order(paying: endpoint)
    }

    func abandon(_ name: String) async throws -> SettlementState { try await settler.abandon(name) }
    func end(_ name: String, because evidence: String) async throws -> SettlementState {
        try await settler.end(name, because: evidence)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let text = settlement.endpoint.text
        let place = text.utf8.count > 40 ? "\(text.prefix(16))…\(text.suffix(8))" : text
        narrate(
            SessionEvent(
                "settle",
                "\(AmountText.words(settlement.amount)) to \(Printable.text(place)): \(money)",
                SessionEvent.amount(settlement.amount)))
        let state = try await settler.settle(settlement)
        await reportMessage(settlement.key, state)
        return state
    }

    private var money: String {
        wallet.map { "from \(Printable.text($0.name))" } ?? "simulated, no real funds move"
    }

    /// Reports the words of the payee's service, of the one call that says that the payment is made: no other follows.
    private func reportMessage(_ name: String, _ state: SettlementState) async {
        guard case .settled = state, let message = await wallet?.message(name) else { return }
        let parts = [message.text, message.page, message.secret].compactMap(\.self).map {
            Printable.text($0, limit: 4096)
        }
        narrate(
            SessionEvent(
                "payee", "says: " + parts.joined(separator: " "),
                [
                    "text": .string(message.text), "page": message.page.map { .string($0) } ?? .null,
                    "secret": message.secret.map { .string($0) } ?? .null,
                ]))
    }
}
