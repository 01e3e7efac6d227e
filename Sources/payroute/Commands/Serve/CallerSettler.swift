import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
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

    func register(_ name: String) async throws { try await table.register(name, for: payment) }

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
    private func answered(_ handed: HandedSettlement) async throws -> SettlementOrder {
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

    /// Only names that are known already.
    func register(_ name: String) async throws { _ = try await answer(to: name) }

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

/// A payment that a caller of this tenant was asked to make.
struct HandedSettlement: Sendable {
    let tenant: String
    let order: SettlementOrder

    /// True if the caller has answered.
    var hasEnded: Bool { if case .inFlight = order.state { false } else { true } }
}

/// Payments that callers were asked to make from their own wallets, in the store of the payments that they are for. A
/// settlement is on the disk before its caller is asked. Of all with one payment hash at most one was not refused: it
/// is stored under the hash as well.
extension ServeTable {
    /// Stores a name that a payment's caller may be asked to pay under. It is removed with the payment.
    func register(_ name: String, for payment: String) async throws {
        let key = RecordKey(ServedPayment.kind, room: payment, name: "name/" + name)
        try await change([.record(key)]) { found in
            RecordChange(found[0].isEmpty ? [.put(key, [], marks: ["name": RecordMark(name)])] : [], ())
        }
    }

    /// Returns true if a name is stored.
    func isRegistered(_ name: String) async throws -> Bool { try await Self.isRegistered(name, in: records) }

    static func isRegistered(_ name: String, in records: any RecordStore) async throws -> Bool {
        let query = RecordQuery(ServedPayment.kind, by: "name", of: RecordMark(name), limit: 1)
        return try await !records.records(query).isEmpty
    }

    /// Stores a settlement before its caller is asked to pay it, or returns the one that is stored under its name. An
    /// invoice that is handed out under another name is refused.
    func hand(_ settlement: Settlement, to tenant: String, at now: Date) async throws -> HandedSettlement {
        try await add(
            StoredSettlement(
                name: settlement.key, tenant: tenant, endpoint: settlement.endpoint, amount: settlement.amount), at: now
        )
    }

    /// Refuses a name if nothing was handed out under it. Otherwise returns the settlement that is stored under it.
    func abandon(_ name: String, of tenant: String, at now: Date) async throws -> HandedSettlement {
        var settlement = StoredSettlement(name: name, tenant: tenant)
        settlement.refuse("it was abandoned", at: now)
        return try await add(settlement, at: now)
    }

    private func add(_ new: StoredSettlement, at now: Date) async throws -> HandedSettlement {
        let stored = try await change(new.ranges) { [file] found in
            if let known = found[0].first { return RecordChange(try StoredSettlement(known, in: file)) }
            var new = new
            if found.dropFirst().contains(where: { !$0.isEmpty }) {
                new.refuse("another payment has this invoice", at: now)
            }
            return RecordChange(try new.writes(), new)
        }
        return try await handed(stored)
    }

    /// Returns the settlement under a name, or nil if there is none.
    func settlement(named name: String) async throws -> HandedSettlement? {
        guard let stored = try await stored(name) else { return nil }
        return try await handed(stored)
    }

    /// Returns the order that pays an invoice or has paid it, under any name, or nil if there is none.
    ///
    /// - Throws: ``PaymentError`` if it is for another invoice of the same payment hash.
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        guard let hash = endpoint.paymentHash, let holder = try await holder(of: StoredSettlement.invoice(hash)) else {
            return nil
        }
        guard holder.endpoint?.text == endpoint.text else {
            throw PaymentError(.integrity, "another invoice of this payment hash was handed out; do not pay this one")
        }
        return holder.order(in: holder.state)
    }

    /// Stores a caller's answer: the proof that it has paid, or nil if it promises that nothing was sent. An answer
    /// that is already stored stays.
    func end(_ name: String, _ proof: SettlementProof?, at now: Date) async throws -> HandedSettlement {
        let missing = JournalError.damaged(path: file, detail: "a settlement is missing")
        // What it is for never changes.
        guard let known = try await stored(name) else { throw missing }
        let ended = try await change(known.ranges) { [file] found in
            guard let record = found[0].first else { throw missing }
            var settlement = try StoredSettlement(record, in: file)
            guard settlement.ended == nil else { return RecordChange(settlement) }
            guard let proof else {
                settlement.refuse("the payer declined", at: now)
                let freed = settlement.invoice.map { [RecordWrite.remove($0)] } ?? []
                return RecordChange(try settlement.writes() + freed, settlement)
            }
            (settlement.proof, settlement.ended) = (proof, now)
            return RecordChange(try settlement.writes(), settlement)
        }
        return try await handed(ended)
    }

    private func stored(_ name: String) async throws -> StoredSettlement? {
        try await records.record(StoredSettlement.record(name)).map { try StoredSettlement($0, in: file) }
    }

    /// Returns the settlement that pays an invoice or has paid it, or nil if there is none.
    private func holder(of invoice: RecordKey) async throws -> StoredSettlement? {
        try await records.record(invoice).map { try StoredSettlement($0, in: file) }
    }

    /// Returns a settlement as the settler reports it. A refused one was paid under another name if its invoice was.
    private func handed(_ stored: StoredSettlement) async throws -> HandedSettlement {
        var state = stored.state
        if stored.refusal != nil, let invoice = stored.invoice, let holder = try await holder(of: invoice),
            holder.proof != nil
        {
            state = .settledElsewhere(name: holder.name)
        }
        return HandedSettlement(tenant: stored.tenant, order: stored.order(in: state))
    }
}

/// A settlement as it is stored.
struct StoredSettlement: Sendable, Codable {
    static let kind = "served-settlement"

    let name: String
    let tenant: String
    var endpoint: SettlementEndpoint?
    var amount: Money?
    /// The caller's proof that it has paid.
    var proof: SettlementProof?
    /// The reason for which nothing was sent, and nothing will be.
    private(set) var refusal: String?
    /// The time of the proof or of the refusal.
    var ended: Date?

    init(name: String, tenant: String, endpoint: SettlementEndpoint? = nil, amount: Money? = nil) {
        (self.name, self.tenant, self.endpoint, self.amount) = (name, tenant, endpoint, amount)
    }

    /// Reads a settlement.
    init(_ record: StoredRecord, in file: String) throws(JournalError) {
        self = try record.json(in: file)
        // One that has ended has a proof or a refusal, and one that has not has neither.
        guard [proof != nil, refusal != nil, ended == nil].count(where: \.self) == 1 else {
            throw record.damage(in: file)
        }
    }

    static func record(_ name: String) -> RecordKey { RecordKey(kind, room: name) }

    /// Returns the record of an invoice that is handed out, with the settlement that has it.
    static func invoice(_ hash: String) -> RecordKey { RecordKey("served-invoice", room: hash) }

    var record: RecordKey { Self.record(name) }

    var invoice: RecordKey? { (endpoint?.paymentHash).map(Self.invoice) }

    /// The record of the invoice that the settlement has: none if another one has it, or may.
    var held: RecordKey? { refusal == nil ? invoice : nil }

    /// What a change of the settlement reads: itself, and its invoice if it has one.
    var ranges: [RecordRange] { [record, invoice].compactMap { $0.map { .record($0) } } }

    mutating func refuse(_ reason: String, at now: Date) { (refusal, ended) = (reason, now) }

    /// Returns the writes that store the settlement, and the invoice that it has.
    func writes() throws -> [RecordWrite] {
        let value = try [UInt8].json(self)
        let marks = ended.map { ["ended": RecordMark($0)] } ?? [:]
        return [.put(record, value, marks: marks)] + (held.map { [.put($0, value)] } ?? [])
    }

    var state: SettlementState {
        if let proof { return .settled(proof) }
        return refusal.map { .nothingSent(reason: $0) } ?? .inFlight(retryAfter: nil)
    }

    func order(in state: SettlementState) -> SettlementOrder {
        SettlementOrder(name: name, endpoint: endpoint, amount: amount, state: state)
    }
}
