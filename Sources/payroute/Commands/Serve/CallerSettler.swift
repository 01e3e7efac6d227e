import PaymentCore
import PaymentCrypto
import SandboxSupport

/// Has a caller of `payroute serve` pay from its own wallet. A name is handed out for one endpoint, and a payment hash
/// under one name; after a crash the caller is asked again what became of it.
struct CallerSettler: PaymentSettler {
    let table: ServeTable
    let actions: ServeActions
    /// The payment whose caller is asked.
    let payment: String
    let tenant: String
    let clock: any PaymentClock

    /// The memory is the file of the callers' payments.
    var name: String { table.name }

    /// The caller sees the amount, and pays its wallet's fees.
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    func register(_ name: String) async throws { try await table.register(name) }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }

    func order(named name: String) async throws -> SettlementOrder? {
        if let handed = try await table.settlement(named: name) { return try await answered(handed) }
        guard try await table.isRegistered(name) else { return nil }
        return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered)
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await table.order(paying: endpoint)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        try await answered(try await table.hand(settlement, to: tenant, at: clock.now)).state
    }

    func abandon(_ name: String) async throws -> SettlementState {
        try await table.abandon(name, of: tenant, at: clock.now).order.state
    }

    /// Asks the caller what became of an open order, and stores the answer. Another tenant's is left to that one.
    private func answered(_ handed: ServeTable.HandedSettlement) async throws -> SettlementOrder {
        let order = handed.order
        guard case .inFlight = order.state, handed.tenant == tenant, let name = order.name,
            let endpoint = order.endpoint
        else { return order }
        let members: [String: JSONValue] = [
            "settlement": .string(name), "endpoint": .string(endpoint.text),
            "endpointKind": .string(endpoint.kind.rawValue), "network": endpoint.network.map { .string($0) } ?? .null,
        ]
        let answer = try await actions.ask(
            .settle, members.merging(SessionEvent.amount(order.amount)) { $1 }, of: payment,
            answer: ["preimage", "transaction"]
        ) { (body) throws(ServeError) in _ = try Self.proof(body, of: endpoint) }
        let proof = try answer.map { try Self.proof($0, of: endpoint) }
        return try await table.end(name, proof, at: clock.now).order
    }

    /// Reads the proof of a payment: the preimage of the invoice's payment hash, or the id of a transaction.
    private static func proof(
        _ body: ServeBody, of endpoint: SettlementEndpoint
    ) throws(ServeError) -> SettlementProof {
        let name = endpoint.kind.isLightning ? "preimage" : "transaction"
        let text = try body.required(name).lowercased()
        guard let bytes = Hex.decode(text), bytes.count == 32 else {
            throw .malformed("the member '\(name)' has to be 64 hexadecimal digits")
        }
        guard endpoint.kind.isLightning else { return .transaction(text) }
        if let hash = endpoint.paymentHash, hash != Hex.encode(Digest.sha256.hash(bytes)) {
            throw .malformed("the member 'preimage' does not prove that this invoice was paid")
        }
        return .preimage(text)
    }
}
