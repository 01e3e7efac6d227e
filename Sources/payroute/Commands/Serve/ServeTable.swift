import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore

/// The orders of the callers of `payroute serve` in one SQLite file, which maps keys to payments. A change is on the
/// disk when its call returns. The table says nothing about money: the journal does.
actor ServeTable {
    /// The answer to a request to begin a payment.
    enum Claim: Sendable {
        /// The key is new, and stored now.
        case begun(ServedPayment)
        /// The key stands for this payment already, by the same request.
        case known(ServedPayment)
        /// The key stands for another request.
        case taken
    }

    private enum Column: String, StoredColumn {
        static let table = "served"
        case number, id, tenant, key, digest, input, request, provider, reference, terms, outcome, ended,
            created
    }

    private let queue = SerialQueue("served-payments")
    let database: Database
    private let owner: OwnerLock
    /// The permanent name of the file as the memory of payments that callers were asked to make.
    nonisolated let name: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Opens the file at `path`, and creates it if it is missing.
    ///
    /// - Throws: `JournalError`: `locked` while another process serves from it.
    init(path: String) throws {
        let random = SystemRandomSource()
        let database = try JournalFile(path: path, schema: .served).open(random.hex(16))
        // One of 2^52 bytes: two owners never meet on one.
        let owner = try OwnerLock(path: path + "-owners", id: Int64(random.next() >> 12))
        try database.transaction { () throws(JournalError) in
            if let other = try database.number("SELECT owner FROM server"), owner.isAlive(other) {
                throw .locked(path: path, waited: .zero)
            }
            try database.run("DELETE FROM server")
            try database.run("INSERT INTO server (owner) VALUES (?1)", [.integer(owner.id)])
        }
        guard let id = try database.texts("SELECT id FROM memory").first else {
            throw JournalError.damaged(path: path, detail: "the file has no name")
        }
        name = "callers-" + id
        self.database = database
        self.owner = owner
    }

    /// Writes a value that is already there.
    func write() throws {
        try database.transaction { () throws(JournalError) in try database.run("UPDATE server SET owner = owner") }
    }

    /// Begins a payment under a key, or finds the one that the key stands for.
    func begin(_ payment: ServedPayment, digest: String) throws -> Claim {
        try database.transaction { () throws(JournalError) in
            if let claim = try claim(payment.key, digest: digest, of: payment.tenant) { return claim }
            try database.insert(
                Column.self,
                Column.allCases.map { column in
                    switch column {
                    case .id: .text(payment.id)
                    case .tenant: .text(payment.tenant)
                    case .key: .text(payment.key)
                    case .digest: .text(digest)
                    case .input: .text(payment.input)
                    case .request: payment.order.map { .text($0.json.text) } ?? .null
                    case .created: .real(payment.created.timeIntervalSinceReferenceDate)
                    case .number, .provider, .reference, .terms, .outcome, .ended: .null
                    }
                })
            return .begun(payment)
        }
    }

    /// Returns the payment that a key stands for, or nil if the key is unknown.
    func claim(_ key: String, digest: String, of tenant: String) throws(JournalError) -> Claim? {
        let known = try database.all(
            Column.self, "WHERE tenant = ?1 AND key = ?2", [.text(tenant), .text(key)]
        ) { (row) throws(JournalError) in (try Self.payment(row), row.text(.digest)) }
        return known.first.map { $0.1 == digest ? .known($0.0) : .taken }
    }

    /// Stores the payment's name at its provider.
    func name(_ id: String, _ reference: PaymentReference) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                "UPDATE served SET provider = ?2, reference = ?3 WHERE id = ?1 AND ended IS NULL",
                [.text(id), .text(reference.provider.rawValue), .text(reference.id)])
        }
    }

    /// Binds a payment to its first quote, before anything can be sent for it.
    ///
    /// - Throws: ``JournalError``: `finishedAttempt` if the payment has ended.
    func bind(_ id: String, _ order: ServeOrder, terms: JSONValue) throws {
        try database.transaction { () throws(JournalError) in
            guard try unended(id) != nil else {
                throw JournalError.finishedAttempt(AttemptID(rawValue: id))
            }
            try database.run(
                "UPDATE served SET request = ?2, terms = ?3 WHERE id = ?1",
                [.text(id), .text(order.json.text), .text(terms.text)])
        }
    }

    /// Returns all payments that have not ended, oldest first.
    func open() throws -> [ServedPayment] { try read("WHERE ended IS NULL ORDER BY number", []) }

    /// Stores the router's statement. At the end of a payment its request is erased, and the link with it.
    ///
    /// - Parameter webhook: The id of the webhook that states it to the tenant, or nil if none does.
    func state(_ id: String, _ outcome: JSONValue, isEnd: Bool, webhook: String? = nil, at now: Date) throws {
        try database.transaction { () throws(JournalError) in
            guard var payment = try unended(id) else { return }
            try database.run(
                """
                UPDATE served SET outcome = ?2, ended = ?3, request = CASE WHEN ?3 IS NULL THEN request END WHERE id = ?1
                """,
                [.text(id), .text(outcome.text), isEnd ? .real(now.timeIntervalSinceReferenceDate) : .null])
            payment.outcome = outcome
            if isEnd { payment.order = nil }
            if let webhook { try announce(payment, as: webhook, at: now) }
        }
    }

    /// Returns a tenant's payment, or nil if it is another tenant's.
    func payment(_ id: String, of tenant: String) throws -> ServedPayment? {
        try payment("id = ?1 AND tenant = ?2", [.text(id), .text(tenant)])
    }

    private func unended(_ id: String) throws(JournalError) -> ServedPayment? {
        try payment("id = ?1 AND ended IS NULL", [.text(id)])
    }

    /// Reads the one payment that there can be.
    private func payment(_ condition: String, _ values: [Database.Value]) throws(JournalError) -> ServedPayment? {
        try read("WHERE \(condition)", values).first
    }

    /// Returns a tenant's payments, the latest first.
    ///
    /// - Parameter earlier: Only those before the payment of this id.
    func payments(of tenant: String, before earlier: String?, limit: Int) throws -> [ServedPayment] {
        var bound = Int64.max
        if let earlier {
            let values: [Database.Value] = [.text(earlier), .text(tenant)]
            guard
                let number = try database.number("SELECT number FROM served WHERE id = ?1 AND tenant = ?2", values)
            else { return [] }
            bound = number
        }
        return try read(
            "WHERE tenant = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3",
            [.text(tenant), .integer(bound), .integer(Int64(limit))])
    }

    /// Removes payments that ended long ago from the file at `path`, also while a server uses it: some at a time, so
    /// that payments can be made in between. Their keys stand for nothing then.
    ///
    /// - Returns: the number of payments removed, or nil if there is no such file.
    static func prune(_ path: String, endedBefore date: Date) throws -> Int? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let file = JournalFile(path: path, schema: .served)
        let database = try file.open(SystemRandomSource().hex(16))
        let values = [Database.Value.real(date.timeIntervalSinceReferenceDate)]
        let old = try database.numbers("SELECT number FROM served WHERE ended < ?1", values)
        var count = 0
        let batch = 1000
        for start in stride(from: 0, to: old.count, by: batch) {
            try database.transaction { () throws(JournalError) in
                // A payment that was opened again in the meantime stays.
                for number in old[start...].prefix(batch) {
                    try database.run("DELETE FROM served WHERE number = ?2 AND ended < ?1", values + [.integer(number)])
                    count += database.changes
                }
            }
        }
        try database.transaction { () throws(JournalError) in
            try database.run("DELETE FROM settlement WHERE ended < ?1", values)
        }
        return count
    }

    private func read(_ rest: String, _ values: [Database.Value]) throws(JournalError) -> [ServedPayment] {
        try database.all(Column.self, rest, values, Self.payment)
    }

    private static func payment(_ row: Row<Column>) throws(JournalError) -> ServedPayment {
        func json(_ column: Column) throws(JournalError) -> JSONValue? {
            guard let text = row.optionalText(column) else { return nil }
            do { return try JSONValue(parsing: text) } catch {
                throw row.damage("its '\(column.rawValue)' is not JSON")
            }
        }
        var order: ServeOrder?
        if let request = try json(.request) {
            do { order = try ServeOrder(stored: request) } catch { throw row.damage("a request cannot be read") }
        }
        var payment = ServedPayment(
            id: row.text(.id), tenant: row.text(.tenant), key: row.text(.key), input: row.text(.input), order: order,
            created: Date(timeIntervalSinceReferenceDate: row.real(.created)))
        if let provider = row.optionalText(.provider), let reference = row.optionalText(.reference) {
            payment.reference = PaymentReference(provider: ProviderID(rawValue: provider), id: reference)
        }
        (payment.terms, payment.outcome) = (try json(.terms), try json(.outcome))
        return payment
    }
}

extension Schema {
    /// The tables of the file next to a journal that keeps the orders of the callers of `payroute serve`.
    fileprivate static let served = Schema(
        kind: .servedPayments,
        steps: [
            """
            CREATE TABLE served (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                tenant TEXT NOT NULL,
                key TEXT NOT NULL,
                digest TEXT NOT NULL,
                input TEXT NOT NULL,
                request TEXT,
                provider TEXT,
                reference TEXT,
                terms TEXT,
                outcome TEXT,
                ended REAL,
                created REAL NOT NULL,
                UNIQUE (tenant, key)
            ) STRICT;
            CREATE INDEX served_tenant ON served (tenant, number);
            CREATE TABLE webhook (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                tenant TEXT NOT NULL,
                body TEXT NOT NULL,
                created REAL NOT NULL,
                due REAL NOT NULL,
                attempts INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX webhook_due ON webhook (tenant, due, number);
            CREATE TABLE server (owner INTEGER NOT NULL) STRICT;
            CREATE TABLE memory (id TEXT NOT NULL) STRICT;
            INSERT INTO memory (id) VALUES (lower(hex(randomblob(16))));
            \(ServeTable.settlements)
            """
        ])
}
