import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentStore
import SandboxSupport

/// A settler that asks a caller of `payroute serve` to pay from its own wallet. A name is handed out for one endpoint,
/// and a payment hash under one name. After a crash the caller is asked again for the outcome.
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

    /// Asks the caller for the outcome of an open order, and stores the answer. Another tenant's order is left to that
    /// tenant.
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

/// A settler that knows the answers of callers of `payroute serve`. It pays nothing, and asks no caller.
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

// MARK: - Stored settlements

/// Payments that callers were asked to make from their own wallets, in the file of the payments that they are for. A
/// row is on the disk before its caller is asked. At most one row of a payment hash was not refused.
extension ServeTable {
    /// The tables' part of `Schema.served`.
    static let settlements = """
        CREATE TABLE settlement (
            name TEXT PRIMARY KEY,
            tenant TEXT NOT NULL,
            hash TEXT,
            endpoint TEXT,
            amount TEXT,
            proof TEXT,
            refusal TEXT,
            ended REAL
        ) STRICT;
        CREATE TABLE registered (name TEXT PRIMARY KEY) STRICT;
        CREATE UNIQUE INDEX settlement_hash ON settlement (hash) WHERE refusal IS NULL;
        """

    private enum Column: String, StoredColumn {
        static let table = "settlement"
        case name, tenant, hash, endpoint, amount, proof, refusal, ended
    }

    /// A payment that a caller of this tenant was asked to make.
    struct HandedSettlement: Sendable {
        let tenant: String
        let order: SettlementOrder

        /// True if the caller has answered.
        var hasEnded: Bool { if case .inFlight = order.state { false } else { true } }
    }

    /// Stores a name that a caller may be asked to pay under.
    func register(_ name: String) throws {
        try database.transaction { () throws(JournalError) in
            try database.run("INSERT OR IGNORE INTO registered (name) VALUES (?1)", [.text(name)])
        }
    }

    /// Returns true if a name is stored.
    func isRegistered(_ name: String) throws -> Bool {
        try !database.texts("SELECT name FROM registered WHERE name = ?1", [.text(name)]).isEmpty
    }

    /// Stores a settlement before its caller is asked to pay it, or returns the one that is stored under its name. An
    /// invoice that is handed out under another name is refused.
    func hand(_ settlement: Settlement, to tenant: String, at now: Date) throws -> HandedSettlement {
        try database.transaction { () throws(JournalError) in
            if let known = try self.settlement(named: settlement.key) { return known }
            let other = try settlement.endpoint.paymentHash.flatMap { (hash) throws(JournalError) in
                try self.settlement(ofHash: hash)
            }
            return try insert(
                settlement.key, settlement, of: tenant, refusal: other.map { _ in "another payment has this invoice" },
                at: now)
        }
    }

    /// Refuses a name if nothing was handed out under it. Otherwise returns the settlement that is stored under it.
    func abandon(_ name: String, of tenant: String, at now: Date) throws -> HandedSettlement {
        try database.transaction { () throws(JournalError) in
            if let known = try settlement(named: name) { return known }
            return try insert(name, nil, of: tenant, refusal: "it was abandoned", at: now)
        }
    }

    /// Returns the settlement under a name, or nil if there is none.
    func settlement(named name: String) throws(JournalError) -> HandedSettlement? {
        try settlement("WHERE name = ?1", .text(name))
    }

    /// Returns the settlement that pays an invoice or has paid it, under any name, or nil if there is none.
    private func settlement(ofHash hash: String) throws(JournalError) -> HandedSettlement? {
        try settlement("WHERE hash = ?1 AND refusal IS NULL", .text(hash))
    }

    /// Returns the order that pays an invoice or has paid it, under any name, or nil if there is none.
    ///
    /// - Throws: ``PaymentError`` if it is for another invoice of the same payment hash.
    func order(paying endpoint: SettlementEndpoint) throws -> SettlementOrder? {
        guard let hash = endpoint.paymentHash, let order = try settlement(ofHash: hash)?.order else { return nil }
        guard order.endpoint?.text == endpoint.text else {
            throw PaymentError(.integrity, "another invoice of this payment hash was handed out; do not pay this one")
        }
        return order
    }

    /// Stores a caller's answer: the proof that it has paid, or nil if it promises that nothing was sent. An answer
    /// that is already stored stays.
    func end(_ name: String, _ proof: SettlementProof?, at now: Date) throws -> HandedSettlement {
        let text = try proof.map { try JSONValue.encode($0).text }
        return try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE settlement SET proof = ?2, refusal = ?3, ended = ?4 WHERE name = ?1 AND ended IS NULL",
                [
                    .text(name), text.map { .text($0) } ?? .null, text == nil ? .text("the payer declined") : .null,
                    .real(now.timeIntervalSinceReferenceDate),
                ])
            return try stored(name)
        }
    }

    private func stored(_ name: String) throws(JournalError) -> HandedSettlement {
        guard let handed = try settlement(named: name) else {
            throw .damaged(path: database.path, detail: "a settlement is missing")
        }
        return handed
    }

    private func insert(
        _ name: String, _ settlement: Settlement?, of tenant: String, refusal: String?, at now: Date
    ) throws(JournalError) -> HandedSettlement {
        let (endpoint, amount): (String?, String?)
        do {
            endpoint = try settlement.map { try JSONValue.encode($0.endpoint).text }
            amount = try settlement.map { try JSONValue.encode($0.amount).text }
        } catch { throw .damaged(path: database.path, detail: "a settlement cannot be stored") }
        let text = { (text: String?) -> Database.Value in text.map { .text($0) } ?? .null }
        try database.insert(
            Column.self,
            Column.allCases.map { column in
                switch column {
                case .name: .text(name)
                case .tenant: .text(tenant)
                case .hash: text(settlement?.endpoint.paymentHash)
                case .endpoint: text(endpoint)
                case .amount: text(amount)
                case .proof: .null
                case .refusal: text(refusal)
                case .ended: refusal == nil ? .null : .real(now.timeIntervalSinceReferenceDate)
                }
            })
        return try stored(name)
    }

    /// Reads the one row that there can be.
    private func settlement(_ rest: String, _ value: Database.Value) throws(JournalError) -> HandedSettlement? {
        try database.all(Column.self, rest, [value]) { (row) throws(JournalError) in
            func read<Value: Decodable>(_ column: Column, _: Value.Type) throws(JournalError) -> Value? {
                guard let text = row.optionalText(column) else { return nil }
                do { return try JSONValue(parsing: text).decode(Value.self) } catch {
                    throw row.damage("a settlement cannot be read")
                }
            }
            let proof = try read(.proof, SettlementProof.self)
            var state = proof.map { SettlementState.settled($0) } ?? .inFlight(retryAfter: nil)
            if let reason = row.optionalText(.refusal) {
                state = try payer(ofHash: row.optionalText(.hash)) ?? .nothingSent(reason: reason)
            }
            return HandedSettlement(
                tenant: row.text(.tenant),
                order: SettlementOrder(
                    name: row.text(.name), endpoint: try read(.endpoint, SettlementEndpoint.self),
                    amount: try read(.amount, Money.self), state: state))
        }.first
    }

    /// Returns the state of a refused name whose invoice another name has paid, or nil if no name has.
    private func payer(ofHash hash: String?) throws(JournalError) -> SettlementState? {
        guard let hash, let order = try settlement(ofHash: hash)?.order, case .settled = order.state else { return nil }
        return order.name.map { .settledElsewhere(name: $0) }
    }
}
