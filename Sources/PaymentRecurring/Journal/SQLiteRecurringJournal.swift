import PaymentCore
public import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The durable journal of plans and their periods: one SQLite file, shared safely by any number of tasks and processes
/// of one machine. It is a separate file next to a payment journal.
///
/// The writes of a method are on the disk when it returns (write-ahead log, `synchronous = EXTRA`), except for leases.
/// Next to the file are `-wal`, `-shm` and `-owners`, as for a ``SQLiteJournal``. Network file systems are not
/// supported.
public actor SQLiteRecurringJournal: RecurringJournal {
    private let queue = SerialQueue("recurring-journal")
    private let database: Database
    private let leases: LeaseTable

    /// The queue that the journal works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates a journal by opening the file at `path` and checking its soundness. Reads the whole file: call it once,
    /// not on the main thread.
    ///
    /// - Parameters:
    ///   - path: the path of the file; its folder has to exist.
    ///   - creating: true if a missing file is created.
    /// - Throws: ``JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws(JournalError) {
        let random = SystemRandomSource()
        database = try JournalFile(path: path, isMade: creating, schema: .recurring).open(random.hex(16))
        leases = try LeaseTable(database, random)
    }

    // MARK: Leases

    /// Takes the lease of a period's payment, unless another holder has it, its process lives, and it renewed the lease
    /// within its duration.
    ///
    /// - Returns: true if the lease was taken.
    /// - Throws: ``JournalError`` when the file cannot be read or written.
    public func acquire(_ lease: PaymentLease, at now: Date) throws -> Bool {
        try database.transaction { () throws(JournalError) in try leases.acquire(lease, at: now) }
    }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``JournalError``; `leaseLost` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) throws {
        try database.transaction { () throws(JournalError) in try leases.renew(lease, at: now) }
    }

    /// Releases a lease.
    ///
    /// - Throws: ``JournalError`` when the file cannot be written; the lease then ends by itself.
    public func release(_ lease: PaymentLease) throws {
        try database.transaction { () throws(JournalError) in try leases.release(lease) }
    }

    // MARK: Plans

    /// Stores a plan and the periods that it opens, in one transaction.
    ///
    /// - Throws: ``RecurringJournalError`` and ``JournalError``.
    public func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) throws -> RecurringPlan {
        let stored = plan.stored
        let detail = try StoredPlan.text(stored)
        let rows = try charges.map { ($0, try StoredCharge.text($0)) }
        try refusing { () throws(JournalError) -> RecurringJournalError? in
            let found = try read(plan.id)
            do throws(RecurringJournalError) { try plan.checkStoring(charges, over: found) } catch { return error }
            try database.insert(StoredPlan.Column.self, StoredPlan.values(stored, detail), isReplacing: true)
            for (charge, detail) in rows {
                try database.insert(StoredCharge.Column.self, StoredCharge.values(charge, detail))
            }
            return nil
        }
        return stored
    }

    /// Returns a plan, or nil.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func plan(_ id: RecurringPlan.ID) throws -> RecurringPlan? { try read(id) }

    private func read(_ id: RecurringPlan.ID) throws(JournalError) -> RecurringPlan? {
        try plans("WHERE id = ?1", [.text(id.rawValue)]).first
    }

    /// Returns all plans, by name.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func plans() throws -> [RecurringPlan] { try plans("ORDER BY id", []) }

    /// Returns plans whose next period begins at `date` or before.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func plans(dueBy date: Date, limit: Int) throws -> [RecurringPlan] {
        try plans(
            "WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, id LIMIT ?2",
            [.real(date.timeIntervalSinceReferenceDate), .integer(Int64(limit))])
    }

    private func plans(_ filter: String, _ values: [Database.Value]) throws(JournalError) -> [RecurringPlan] {
        try database.all(StoredPlan.Column.self, filter, values, StoredPlan.read)
    }

    // MARK: Periods

    /// Writes the progress of a period.
    ///
    /// - Throws: ``RecurringJournalError`` and ``JournalError``.
    public func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) throws {
        try write(charge, under: lease, at: now) { !$0.state.isFinal }
    }

    /// Writes a period as it is to be opened again.
    ///
    /// - Throws: ``RecurringJournalError`` and ``JournalError``.
    public func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) throws {
        try write(charge, under: lease, at: now, where: \.isUntouched)
    }

    private func write(
        _ charge: RecurringCharge, under lease: PaymentLease, at now: Date, where mayChange: (RecurringCharge) -> Bool
    ) throws {
        guard charge.reference == lease.payment else { throw JournalError.leaseLost(charge.reference) }
        let detail = try StoredCharge.text(charge)
        try refusing { () throws(JournalError) -> RecurringJournalError? in
            try leases.renew(lease, at: now)
            guard let stored = try read(charge.id) else { return .unknownCharge(charge.id) }
            guard mayChange(stored) else { return .finishedCharge(charge.id) }
            try database.run(
                "UPDATE charge SET look = ?3, detail = ?4 WHERE plan = ?1 AND number = ?2",
                Self.key(charge.id) + [StoredCharge.look(charge), .text(detail)])
            return nil
        }
    }

    /// Returns a period, or nil.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func charge(_ id: RecurringCharge.ID) throws -> RecurringCharge? { try read(id) }

    private func read(_ id: RecurringCharge.ID) throws(JournalError) -> RecurringCharge? {
        try charges("WHERE plan = ?1 AND number = ?2", Self.key(id)).first
    }

    /// Returns all periods of a plan that were opened, by number.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func charges(of plan: RecurringPlan.ID) throws -> [RecurringCharge] {
        try charges("WHERE plan = ?1 ORDER BY number", [.text(plan.rawValue)])
    }

    /// Returns periods that are not final and may be looked at by `date`.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func openCharges(by date: Date, limit: Int) throws -> [RecurringCharge] {
        try charges(
            "WHERE look IS NOT NULL AND look <= ?1 ORDER BY look, plan, number LIMIT ?2",
            [.real(date.timeIntervalSinceReferenceDate), .integer(Int64(limit))])
    }

    private func charges(_ filter: String, _ values: [Database.Value]) throws(JournalError) -> [RecurringCharge] {
        try database.all(StoredCharge.Column.self, filter, values, StoredCharge.read)
    }

    private static func key(_ id: RecurringCharge.ID) -> [Database.Value] {
        [.text(id.plan.rawValue), .integer(Int64(id.number))]
    }

    // MARK: Time

    private enum Trusted: String, StoredColumn {
        static let table = "trusted"
        case date
    }

    /// Returns the latest time that any worker trusted, or nil.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func trustedTime() throws -> Date? {
        try database.all(Trusted.self) { (row) throws(JournalError) in
            Date(timeIntervalSinceReferenceDate: row.real(.date))
        }.first
    }

    /// Notes a time that is trusted.
    ///
    /// - Throws: ``JournalError`` when the file cannot be written.
    public func trust(_ date: Date, isCorrection: Bool) throws {
        try database.transaction { () throws(JournalError) in
            try database.run(
                """
                INSERT INTO trusted (only, date) VALUES (1, ?1)
                ON CONFLICT (only) DO UPDATE SET date = excluded.date WHERE ?2 = 1 OR excluded.date > date
                """, [.real(date.timeIntervalSinceReferenceDate), .integer(isCorrection ? 1 : 0)])
        }
    }

    /// Makes a transaction that may end with a refusal. In that case it changes nothing.
    private func refusing(_ body: () throws(JournalError) -> RecurringJournalError?) throws {
        let refusal = try database.transaction { () throws(JournalError) in try body() }
        if let refusal { throw refusal }
    }
}

extension Schema {
    /// The tables of a file with plans. Steps of released versions never change.
    ///
    /// `due` is the beginning of a plan's next period that was not opened, and `look` is the date of the next look at a
    /// period. Each is null if there is none.
    static let recurring = Schema(
        kind: .recurringPlans,
        steps: [
            """
            CREATE TABLE plan (
                id TEXT NOT NULL PRIMARY KEY,
                revision INTEGER NOT NULL,
                due REAL,
                detail TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX plan_due ON plan (due) WHERE due IS NOT NULL;
            CREATE TABLE charge (
                plan TEXT NOT NULL REFERENCES plan (id),
                number INTEGER NOT NULL,
                look REAL,
                detail TEXT NOT NULL,
                PRIMARY KEY (plan, number)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX charge_look ON charge (look) WHERE look IS NOT NULL;
            CREATE TABLE trusted (
                only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
                date REAL NOT NULL
            ) STRICT;
            \(LeaseTable.definition)
            """
        ])
}
