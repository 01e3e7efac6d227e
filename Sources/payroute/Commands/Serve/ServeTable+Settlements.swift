import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore

/// Payments that callers were asked to make from their own wallets, in the file of the payments that they are for. A
/// row is on the disk before its caller is asked. Of a payment hash one row at most was not refused.
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

    /// Notes a name under which a caller may be asked to pay.
    func register(_ name: String) throws {
        try database.transaction { () throws(JournalError) in
            try database.run("INSERT OR IGNORE INTO registered (name) VALUES (?1)", [.text(name)])
        }
    }

    /// Returns true if a name was noted.
    func isRegistered(_ name: String) throws -> Bool {
        try !database.texts("SELECT name FROM registered WHERE name = ?1", [.text(name)]).isEmpty
    }

    /// Stores what a caller is about to be asked to pay, or returns what stands under its name. An invoice that is
    /// handed out under another name is refused.
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

    /// Refuses a name under which nothing was handed out; otherwise returns what stands under it.
    func abandon(_ name: String, of tenant: String, at now: Date) throws -> HandedSettlement {
        try database.transaction { () throws(JournalError) in
            if let known = try settlement(named: name) { return known }
            return try insert(name, nil, of: tenant, refusal: "it was abandoned", at: now)
        }
    }

    /// Returns what stands under a name; nil for nothing.
    func settlement(named name: String) throws(JournalError) -> HandedSettlement? {
        try settlement("WHERE name = ?1", .text(name))
    }

    /// Returns what pays an invoice or has paid it, under any name; nil for nothing.
    private func settlement(ofHash hash: String) throws(JournalError) -> HandedSettlement? {
        try settlement("WHERE hash = ?1 AND refusal IS NULL", .text(hash))
    }

    /// Returns the order of what pays an invoice or has paid it, under any name; nil for nothing.
    ///
    /// - Throws: ``PaymentError`` where it is for another invoice of the same payment hash.
    func order(paying endpoint: SettlementEndpoint) throws -> SettlementOrder? {
        guard let hash = endpoint.paymentHash, let order = try settlement(ofHash: hash)?.order else { return nil }
        guard order.endpoint?.text == endpoint.text else {
            throw PaymentError(.integrity, "another invoice of this payment hash was handed out; do not pay this one")
        }
        return order
    }

    /// Stores a caller's answer: the proof that it has paid, or nil where it promises that nothing was sent. An answer
    /// that is stored already stays.
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

    /// Returns the state of a refused name whose invoice another name has paid; nil while none has.
    private func payer(ofHash hash: String?) throws(JournalError) -> SettlementState? {
        guard let hash, let order = try settlement(ofHash: hash)?.order, case .settled = order.state else { return nil }
        return order.name.map { .settledElsewhere(name: $0) }
    }
}
