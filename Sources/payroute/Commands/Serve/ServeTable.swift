import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting

/// The orders of the callers of `payroute serve`, as records of one store: keys, and the payments that they stand for.
/// A change is on the disk when its call returns. The table says nothing about money: the journal does.
///
/// A payment's room has the payment, its webhooks, and the names that its caller may be asked to pay under. A key, a
/// settlement and an invoice have rooms of their own. One server at a time works with a store: each of its changes needs
/// its lease.
struct ServeTable: Sendable {
    /// The answer to a request to begin a payment.
    enum Claim: Sendable {
        /// The key is new, and stored now.
        case begun
        /// The key stands for the payment of this id already, by the same request.
        case known(String)
        /// The key stands for another request.
        case taken
    }

    let records: any RecordStore
    /// The name of the store in errors, such as the path of its file.
    let file: String
    /// The permanent name of the store as the memory of payments that callers were asked to make.
    let name: String
    private let lease: RecordLease
    private let clock: any PaymentClock

    /// Opens a store for one server.
    ///
    /// - Parameters:
    ///   - file: The name of the store in errors, such as the path of its file.
    ///   - lease: The time after which a silent server counts as ended: longer than one takes to end. A store that sees
    ///     when a server's process ends needs none that ends by itself.
    /// - Throws: `JournalError`: `locked` while another server has it.
    init(
        _ records: any RecordStore, called file: String, lease duration: Duration = .seconds(1200),
        random: any RandomSource = SystemRandomSource(), clock: any PaymentClock
    ) async throws {
        lease = RecordLease(RecordRoom("server"), holder: random.hex(32), duration: duration)
        guard try await records.acquire(lease, at: clock.now) else { throw JournalError.locked(path: file) }
        let (key, fresh) = (RecordKey("server", name: "name"), "callers-" + random.hex(32))
        name = try await records.change([.record(key)], under: lease, at: clock.now) { found in
            guard let known = found[0].first else { return RecordChange([.put(key, Array(fresh.utf8))], fresh) }
            guard let name = String(validating: known.value, as: UTF8.self) else { throw known.damage(in: file) }
            return RecordChange(name)
        }
        (self.records, self.file, self.clock) = (records, file, clock)
    }

    /// Renews the lease, which writes to the store. A server that was silent for too long takes it again if no other
    /// server has it.
    func renew() async throws {
        guard try await records.acquire(lease, at: clock.now) else { throw RecordError.leaseLost(lease.room) }
    }

    /// Makes one change while no other server has the store.
    func change<Answer: Sendable>(
        _ ranges: [RecordRange], _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> RecordChange<Answer>
    ) async throws -> Answer {
        try await records.change(ranges, under: lease, at: clock.now, decide)
    }

    // MARK: Changes

    /// Begins a payment under a key, or finds the one that the key stands for.
    func begin(_ payment: ServedPayment, digest: String) async throws -> Claim {
        let (key, own) = (StoredClaim.record(payment.key, of: payment.tenant), ServedPayment.record(payment.id))
        let claim = StoredClaim(payment: payment.id, digest: digest)
        return try await change([.record(key), .record(own)]) { [file] found in
            if let known = found[0].first { return RecordChange(try StoredClaim.answer(known, to: digest, in: file)) }
            guard found[1].isEmpty else { throw JournalError.duplicateAttempt(AttemptID(rawValue: payment.id)) }
            return RecordChange([.put(key, try .json(claim)), try payment.write()], .begun)
        }
    }

    /// Returns the payment that a key stands for, or nil if the key is unknown.
    func claim(_ key: String, digest: String, of tenant: String) async throws -> Claim? {
        try await records.record(StoredClaim.record(key, of: tenant)).map {
            try StoredClaim.answer($0, to: digest, in: file)
        }
    }

    /// Stores the payment's name at its provider.
    func name(_ id: String, _ reference: PaymentReference) async throws {
        _ = try await edit(id) { payment in
            payment.reference = reference
            return []
        }
    }

    /// Binds a payment to its first quote, before anything can be sent for it.
    ///
    /// - Throws: ``JournalError``: `finishedAttempt` if the payment has ended.
    func bind(_ id: String, _ order: ServeOrder, terms: JSONValue) async throws {
        let isBound = try await edit(id) { payment in
            (payment.order, payment.terms) = (order, terms)
            return []
        }
        guard isBound else { throw JournalError.finishedAttempt(AttemptID(rawValue: id)) }
    }

    /// Stores the router's statement. At the end of a payment its request is erased, and the link with it.
    ///
    /// - Parameter webhook: The id of the webhook that states it to the tenant, or nil if none does.
    func state(_ id: String, _ outcome: JSONValue, isEnd: Bool, webhook: String? = nil, at now: Date) async throws {
        _ = try await edit(id) { payment in
            payment.outcome = outcome
            if isEnd { (payment.order, payment.ended) = (nil, now) }
            return try webhook.map { [try StoredWebhook($0, of: payment, at: now).write()] } ?? []
        }
    }

    /// Changes a payment that has not ended.
    ///
    /// - Parameter edit: Changes it, and returns what else is written to its room.
    /// - Returns: false if there is no such payment, or if it has ended.
    private func edit(
        _ id: String, _ edit: @escaping @Sendable (inout ServedPayment) throws -> [RecordWrite]
    ) async throws -> Bool {
        try await change([.record(ServedPayment.record(id))]) { [file] found in
            guard let record = found[0].first else { return RecordChange(false) }
            var payment = try ServedPayment(record, in: file)
            guard !payment.hasEnded else { return RecordChange(false) }
            let others = try edit(&payment)
            return RecordChange([try payment.write()] + others, true)
        }
    }

    // MARK: Reading

    /// Returns all payments that have not ended, oldest first.
    func open() async throws -> [ServedPayment] {
        let query = RecordQuery(ServedPayment.kind, by: "open", limit: .max)
        return try await records.records(query).map { try ServedPayment($0, in: file) }
    }

    /// Returns a tenant's payment, or nil if it is another tenant's.
    func payment(_ id: String, of tenant: String) async throws -> ServedPayment? {
        try await record(id, of: tenant)?.payment
    }

    /// Returns a tenant's payments, the latest first.
    ///
    /// - Parameter earlier: Only those before the payment of this id.
    func payments(of tenant: String, before earlier: String?, limit: Int) async throws -> [ServedPayment] {
        var place: Int64?
        if let earlier {
            guard let found = try await record(earlier, of: tenant) else { return [] }
            place = found.place
        }
        let query = RecordQuery(
            ServedPayment.kind, by: "tenant", of: ServedPayment.mark(of: tenant), isReversed: true, after: place,
            limit: limit)
        return try await records.records(query).map { try ServedPayment($0, in: file) }
    }

    private func record(_ id: String, of tenant: String) async throws -> (payment: ServedPayment, place: Int64)? {
        guard let record = try await records.record(ServedPayment.record(id)) else { return nil }
        let payment = try ServedPayment(record, in: file)
        return payment.tenant.isExactly(tenant) ? (payment, record.place) : nil
    }
}

// MARK: - Pruning

extension ServeTable {
    /// Removes payments that ended long ago, with their keys and names, and settlements, also while a server uses the
    /// store: some at a time, so that payments can be made in between.
    ///
    /// - Returns: the number of payments removed.
    static func prune(_ records: any RecordStore, called file: String, endedBefore date: Date) async throws -> Int {
        let count = try await prune(ServedPayment.kind, records, endedBefore: date) { record in
            let payment = try ServedPayment(record, in: file)
            let room = try await records.records([.room(record.key.room)])[0]
            // Webhooks stay until they are sent.
            let own = room.map(\.key).filter { !StoredWebhook.has($0) }
            return (payment.ended, own + [StoredClaim.record(payment.key, of: payment.tenant)])
        }
        _ = try await prune(StoredSettlement.kind, records, endedBefore: date) { record in
            let settlement = try StoredSettlement(record, in: file)
            // While a payment has the name, a settler that has forgotten the answer would ask for the money again.
            guard try await !isRegistered(settlement.name, in: records) else { return (settlement.ended, []) }
            return (settlement.ended, [settlement.record] + (settlement.held.map { [$0] } ?? []))
        }
        return count
    }

    /// Removes records of a kind that ended before a date.
    ///
    /// - Parameter contents: Returns the end of a record, and all that is removed with it.
    /// - Returns: the number of records removed.
    private static func prune(
        _ kind: String, _ records: any RecordStore, endedBefore date: Date,
        _ contents: (StoredRecord) async throws -> (end: Date?, keys: [RecordKey])
    ) async throws -> Int {
        var (count, position): (Int, RecordQuery.Position?) = (0, nil)
        while true {
            let page = try await records.records(
                RecordQuery(kind, by: "ended", through: RecordMark(date), after: position, limit: 100))
            guard !page.isEmpty else { return count }
            var old: [(record: StoredRecord, keys: [RecordKey])] = []
            for record in page {
                let (end, keys) = try await contents(record)
                position = RecordQuery.Position(RecordMark(end ?? date), record.place)
                if let end, end < date { old.append((record, keys)) }
            }
            count += try await records.change(old.flatMap(\.keys).map { .record($0) }) { [old] found in
                // A record that was changed in the meantime stays.
                let found = Set(found.flatMap(\.self))
                let removed = old.filter { found.contains($0.record) }
                return RecordChange(removed.flatMap(\.keys).map { .remove($0) }, removed.count)
            }
        }
    }
}

// MARK: - Records

/// The payment that a key of a tenant stands for.
struct StoredClaim: Codable {
    let payment: String
    /// The digest of the request.
    let digest: String

    /// No name of a tenant has a line's end, and no key has.
    static func record(_ key: String, of tenant: String) -> RecordKey {
        RecordKey("served-key", room: Hex.encode(Digest.sha256.hash(Array("\(tenant)\n\(key)".utf8))))
    }

    /// Answers a request by a key that is stored.
    static func answer(_ record: StoredRecord, to digest: String, in file: String) throws -> ServeTable.Claim {
        let known: Self = try record.json(in: file)
        return digest == known.digest ? .known(known.payment) : .taken
    }
}

extension ServedPayment {
    /// The kind of payments, and of what lies in their rooms.
    static let kind = "served"

    static func record(_ id: String) -> RecordKey { RecordKey(kind, room: id) }

    /// Returns the mark of a tenant's payments. The name of a tenant has any length.
    static func mark(of tenant: String) -> RecordMark {
        RecordMark(Hex.encode(Digest.sha256.hash(Array(tenant.utf8))))
    }

    /// Reads a payment.
    init(_ record: StoredRecord, in file: String) throws(JournalError) {
        self = try record.json(in: file)
        // A payment has a request until its end.
        guard (order == nil) == hasEnded else { throw record.damage(in: file) }
    }

    /// Returns the write that stores the payment.
    func write() throws -> RecordWrite {
        let state = ended.map { ("ended", RecordMark($0)) } ?? ("open", RecordMark(""))
        return .put(Self.record(id), try .json(self), marks: ["tenant": Self.mark(of: tenant), state.0: state.1])
    }
}

extension StoredRecord {
    /// Reads the value.
    ///
    /// - Throws: `JournalError`: `damaged` if it cannot be read.
    func json<Value: Decodable>(in file: String) throws(JournalError) -> Value {
        do { return try JSONValue(parsing: value).decode() } catch { throw damage(in: file) }
    }

    /// The error of a record that cannot be read.
    func damage(in file: String) -> JournalError {
        .damaged(path: file, detail: "a record of the kind '\(key.room.kind)' cannot be read")
    }
}

extension [UInt8] {
    /// Returns the value of a record.
    static func json(_ value: some Encodable) throws -> [UInt8] { try JSONValue.encode(value).serialized() }
}
