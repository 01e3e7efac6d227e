public import PaymentCore
public import PaymentRouting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The durable journal: one SQLite file, shared safely by any number of tasks and processes of one machine.
///
/// Data written by a method survives the end of the process when the method returns. Entries that keep payments from
/// being made twice are on the disk by then, too (write-ahead log, `synchronous = FULL`): the opening of an attempt,
/// its endings, and everything from the start of its first mutation on. The rest reaches the disk with the next of
/// these. A power failure in between undoes the last of it, as if it had not happened yet. Payments made at the same
/// time share the waits for the disk. Next to the file SQLite keeps `-wal` and `-shm`, and the journal keeps `-owners`,
/// which shows processes which of them live. Only the user may read them. No links and no keys of services are stored.
/// Answers of wallets and forms are stored only until their attempt ends. Then they are overwritten in the file, and in
/// the write-ahead log as it is reused. Network file systems are not supported.
public actor SQLiteJournal: PaymentJournal, AttemptArchive {
    private let queue = SerialQueue("payment-journal")
    let database: Database
    private let group: GroupCommit
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
        try self.init(JournalFile(path: path, isMade: creating))
    }

    init(_ file: JournalFile, random: any RandomSource = SystemRandomSource()) throws(JournalError) {
        database = try file.open(random.hex(16))
        group = GroupCommit(database)
        try database.execute("PRAGMA synchronous = FULL")
        leases = try LeaseTable(database, random)
    }

    // MARK: Leases

    /// Takes the lease of a payment, unless another holder has it, its process lives, and it renewed the lease within
    /// its duration.
    ///
    /// - Returns: true if the lease was taken.
    /// - Throws: ``JournalError`` when the file cannot be read or written.
    public func acquire(_ lease: PaymentLease, at now: Date) throws -> Bool {
        try unsynced { () throws(JournalError) in try leases.acquire(lease, at: now) }
    }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``JournalError``; `leaseLost` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) throws {
        try unsynced { () throws(JournalError) in try leases.renew(lease, at: now) }
    }

    /// Releases a lease.
    ///
    /// - Throws: ``JournalError`` when the file cannot be written; the lease then ends by itself.
    public func release(_ lease: PaymentLease) throws {
        try unsynced { () throws(JournalError) in try leases.release(lease) }
    }

    // MARK: Writing

    /// Stores the beginning of an attempt.
    ///
    /// - Throws: ``JournalError``, by the rules of ``AttemptStore/open(_:under:)``.
    public func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        guard attempt.reference == lease.payment else { throw JournalError.leaseLost(attempt.reference) }
        let values = try StoredAttempt.values(attempt)
        try await write(durably: true) { [self] () throws(JournalError) in
            try leases.renew(lease, at: attempt.startedAt)
            guard try number(of: attempt.id) == nil else { throw .duplicateAttempt(attempt.id) }
            let open = try database.texts(
                "SELECT id FROM attempt WHERE \(StoredAttempt.Column.isAbout) AND finished = 0",
                StoredReference.key(attempt.reference))
            if let open = open.first { throw .unfinishedAttempt(AttemptID(rawValue: open)) }
            try spendings(of: attempt.id).checkOpening(of: attempt)
            try database.insert(StoredAttempt.Column.self, values)
        }
    }

    /// Adds an entry to an attempt.
    ///
    /// - Throws: ``JournalError``, by the rules of ``AttemptStore/append(_:to:under:)``.
    public func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        let content = try StoredEntry.content(entry.event)
        try await write(durably: try !mayLose(entry, of: attempt)) { [self] () throws(JournalError) in
            let rows = try database.all(
                StoredAttempt.Status.self, "WHERE id = ?1", [.text(attempt.rawValue)]
            ) { (row) throws(JournalError) in
                (row.integer(.number), try row.reference(), StoredAttempt.takes(entry, row))
            }
            guard let (number, reference, isTaken) = rows.first else { throw .unknownAttempt(attempt) }
            guard reference == lease.payment else { throw .leaseLost(reference) }
            try leases.renew(lease, at: entry.date)
            guard isTaken else { throw .finishedAttempt(attempt) }
            let position = try database.number(
                "SELECT coalesce(max(position), 0) + 1 FROM entry WHERE attempt = ?1", [.integer(number)])
            try database.insert(
                StoredEntry.Column.self,
                StoredEntry.values(entry, content, attempt: number, position: position ?? 1))
            if entry.isEnding { try finish(number, with: entry) }
        }
    }

    /// Returns true if a power failure may undo the entry, which comes next in an attempt. No mutation can begin
    /// between this check and the entry, because the worker that carries the attempt out does one after the other.
    private func mayLose(_ entry: JournalEntry, of attempt: AttemptID) throws(JournalError) -> Bool {
        guard entry.mayBeLost(afterMutation: false) else { return false }
        let mutations = try database.number(
            """
            SELECT count(*) FROM entry
            WHERE attempt = (SELECT number FROM attempt WHERE id = ?1) AND \(StoredEntry.beginsMutation)
            """, [.text(attempt.rawValue)])
        return entry.mayBeLost(afterMutation: mutations != 0)
    }

    /// Marks an attempt as ended and erases the answers of the payer's wallet and forms.
    private func finish(_ attempt: Int64, with entry: JournalEntry) throws(JournalError) {
        try database.run(
            "UPDATE attempt SET finished = 1, ended = ?2, paid = ?3 WHERE number = ?1",
            [
                .integer(attempt), .real(entry.date.timeIntervalSinceReferenceDate),
                .integer(entry.provesPayment ? 1 : 0),
            ])
        try database.run(
            """
            UPDATE entry SET detail = 'null'
            WHERE attempt = ?1 AND event = '\(StoredEntry.Event.finished.rawValue)'
                AND name IN (SELECT name FROM entry WHERE attempt = ?1 AND \(StoredEntry.beginsErased))
            """, [.integer(attempt)])
    }

    /// Makes a transaction. If durable, it is on the disk at the end, with everything before it, and shares the wait
    /// with other such transactions. Otherwise it becomes durable with the next one.
    func write(durably: Bool, _ body: @escaping GroupCommit.Write) async throws(JournalError) {
        guard durably else { return try unsynced(body) }
        let answer: GroupCommit.Answer = await withCheckedContinuation { continuation in
            // Writes requested by now precede the commit, and are part of it.
            if group.add(body, { continuation.resume(returning: $0) }) { Task { commit() } }
        }
        try answer.get()
    }

    private func commit() { group.commit() }

    /// Makes a transaction without waiting for the disk. It is about entries that may be lost, or about a lease: its
    /// loss in a power failure does no harm, since its holder is gone as well.
    func unsynced<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        try database.unsynced(body)
    }

    // MARK: Reading

    /// Returns an attempt with all its entries, or nil.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func history(of attempt: AttemptID) throws -> AttemptHistory? {
        try histories("WHERE id = ?1", [.text(attempt.rawValue)]).first
    }

    /// Returns all attempts at a payment, oldest first.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func histories(of payment: PaymentReference) throws -> [AttemptHistory] {
        try histories("WHERE \(StoredAttempt.Column.isAbout)", StoredReference.key(payment))
    }

    /// Returns all attempts at refunds that have the id of a refund, or are of its payment, oldest first.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func refunds(relatedTo refund: PaymentReference) throws -> [AttemptHistory] {
        guard refund.refundName != nil else { return [] }
        return try histories(
            """
            WHERE attempt.number IN (
                SELECT number FROM attempt WHERE provider = ?1 AND subject = ?2 UNION
                SELECT number FROM attempt WHERE provider = ?1 AND reference = ?3 AND \(StoredAttempt.namesRefund))
            """, StoredReference.key(refund))
    }

    /// Returns all attempts without a final outcome, oldest first.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func unfinished() throws -> [AttemptHistory] {
        try histories("WHERE finished = 0", [])
    }

    private func histories(_ filter: String, _ values: [Database.Value]) throws(JournalError) -> [AttemptHistory] {
        try numbered("\(filter) ORDER BY attempt.number, entry.position", values).all.map(\.history)
    }

    /// Reads attempts and entries in one statement, so no other write comes in between.
    private func numbered(_ filter: String, _ values: [Database.Value]) throws(JournalError) -> StoredHistories {
        var histories = StoredHistories()
        try database.rows(
            StoredAttempt.Column.self, with: StoredEntry.Column.self,
            "ON entry.attempt = attempt.number \(filter)", values
        ) { (row, entry) throws(JournalError) in try histories.add(row, entry) }
        return histories
    }

    // MARK: Archive

    /// Returns one page of the attempts that match a query.
    ///
    /// - Throws: ``JournalError``.
    public func attempts(_ query: AttemptQuery) throws -> AttemptPage {
        let (filter, values) = ArchiveStatements.page(query)
        return try numbered(filter, values).page(query)
    }

    /// Removes attempts that ended long ago: some at a time, so that payments can be made in between.
    ///
    /// - Returns: the number of attempts removed.
    /// - Throws: ``JournalError``; attempts removed before the error stay removed.
    public func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int {
        try forgetSpendings(before: SpendingDay(date, in: .gmt))
        var count = 0
        while true {
            // Attempts that a power failure restores are removed the next time.
            let removed = try unsynced { () throws(JournalError) in
                let numbers = try database.numbers(
                    ArchiveStatements.old,
                    [.real(date.timeIntervalSinceReferenceDate), .real(proofs.timeIntervalSinceReferenceDate)])
                for number in numbers {
                    try database.run("DELETE FROM entry WHERE attempt = ?1", [.integer(number)])
                    try database.run("DELETE FROM attempt WHERE number = ?1", [.integer(number)])
                }
                return numbers.count
            }
            count += removed
            guard removed == ArchiveStatements.batch else { return count }
            await Task.yield()
        }
    }

    private func number(of attempt: AttemptID) throws(JournalError) -> Int64? {
        try database.number("SELECT number FROM attempt WHERE id = ?1", [.text(attempt.rawValue)])
    }
}

// MARK: - Spending

/// The spendings without a question, in the journal's file: all users of the journal share the limits.
extension SQLiteJournal: SpendingStore {
    /// Reserves a spending, unless a limit would be exceeded. The reservation is then on the disk.
    ///
    /// - Throws: ``SpendingError``, by the rules of ``SpendingStore/reserve(_:within:counting:)``; ``JournalError``
    ///   when the file cannot be read or written.
    public func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        let values = try StoredSpending.values(spending)
        return try await writeSpending { [self] () throws(JournalError) -> Result<SpendingVerdict, SpendingError> in
            // All spendings that can count, in the periods of the day or after them.
            let first = spending.day.firstThatCounts
            var book = SpendingLedger(
                try spendings(
                    "attempt = ?1 OR (day >= ?2 AND state <> '\(StoredSpending.rawValue(.released))')",
                    [.text(spending.attempt.rawValue), .integer(Int64(first.number))]))
            let isKnown = book[spending.attempt] != nil
            let verdict: SpendingVerdict
            do throws(SpendingError) { verdict = try book.reserve(spending, within: limits, counting: worths) } catch {
                return .failure(error)
            }
            try database.run(
                "UPDATE spending SET noticed = ?1 WHERE day > ?1 AND noticed IS NULL",
                [.integer(Int64(spending.day.number))])
            if verdict == .granted, !isKnown {
                try database.insert(StoredSpending.Column.self, values)
            }
            return .success(verdict)
        }
    }

    /// Marks a reservation as paid.
    ///
    /// - Throws: ``SpendingError/unknown(_:)``; ``JournalError`` when the file cannot be read or written.
    public func commit(_ attempt: AttemptID) async throws {
        try await change(attempt, to: .paid) { (ledger, _) throws(SpendingError) in try ledger.commit(attempt) }
    }

    /// Releases a reservation.
    ///
    /// - Throws: ``SpendingError``, by the rules of ``SpendingStore/release(_:)``; ``JournalError`` when the file
    ///   cannot be read or written.
    public func release(_ attempt: AttemptID) async throws {
        try await change(attempt, to: .released) { (ledger, isOpen) throws(SpendingError) in
            try ledger.release(attempt, isOpen: isOpen)
        }
    }

    /// Returns the record of an attempt's spending, or nil.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func spending(of attempt: AttemptID) throws -> SpendingRecord? {
        try spendings(of: attempt)[attempt]
    }

    /// Returns all spendings that are reserved, oldest first.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func reservedSpendings() throws -> [SpendingRecord] {
        try spendings("state = '\(StoredSpending.rawValue(.reserved))'", [])
    }

    /// Returns all spendings of a day and later, oldest first.
    ///
    /// - Throws: ``JournalError`` when the file cannot be read.
    public func spendings(since day: SpendingDay) throws -> [SpendingRecord] {
        try spendings("day >= ?1", [.integer(Int64(day.number))])
    }

    /// Removes spendings that have ended and no longer count in any period, as ``SpendingLedger/forget(before:)`` does.
    func forgetSpendings(before day: SpendingDay) throws(JournalError) {
        try unsynced { () throws(JournalError) in
            try database.run(
                """
                DELETE FROM spending WHERE state <> '\(StoredSpending.rawValue(.reserved))'
                    AND day < min(?1, (SELECT max(day) FROM spending)) - \(SpendingLedger.longestMemory)
                    AND day < (SELECT DISTINCT day FROM spending ORDER BY day DESC
                        LIMIT 1 OFFSET \(SpendingLedger.longestMemory - 1))
                """, [.integer(Int64(day.number))])
        }
    }

    /// Changes the state of one reservation by a rule that knows if the attempt is open. Waits for the disk only if
    /// something changes.
    private func change(
        _ attempt: AttemptID, to state: SpendingRecord.State,
        _ rule: @escaping (inout SpendingLedger, Bool) throws(SpendingError) -> Void
    ) async throws {
        if try spending(of: attempt)?.state == state { return }
        try await writeSpending { [self] () throws(JournalError) -> Result<Void, SpendingError> in
            var ledger = try spendings(of: attempt)
            let open = try database.number(
                "SELECT count(*) FROM attempt WHERE id = ?1 AND finished = 0", [.text(attempt.rawValue)])
            do throws(SpendingError) { try rule(&ledger, open != 0) } catch { return .failure(error) }
            try database.run(
                "UPDATE spending SET state = ?2 WHERE attempt = ?1",
                [.text(attempt.rawValue), .text(StoredSpending.rawValue(state))])
            return .success(())
        }
    }

    /// Makes a durable transaction with a separate answer. If it is refused, it has changed nothing that counts.
    private func writeSpending<Answer>(
        _ body: @escaping () throws(JournalError) -> Result<Answer, SpendingError>
    ) async throws -> Answer {
        // The transaction may be made a second time. Its last answer holds.
        var answer: Result<Answer, SpendingError>?
        let keep = { answer = $0 }
        try await write(durably: true) { () throws(JournalError) in keep(try body()) }
        guard let answer else { throw JournalError.inaccessible(path: database.path, detail: "nothing was written") }
        return try answer.get()
    }

    /// Returns the spending of one attempt, if there is one.
    func spendings(of attempt: AttemptID) throws(JournalError) -> SpendingLedger {
        SpendingLedger(try spendings("attempt = ?1", [.text(attempt.rawValue)]))
    }

    private func spendings(
        _ condition: String, _ values: [Database.Value]
    ) throws(JournalError) -> [SpendingRecord] {
        try database.all(
            StoredSpending.Column.self, "WHERE \(condition) ORDER BY number", values, StoredSpending.read)
    }
}

/// The conditions for listing and removing attempts.
enum ArchiveStatements {
    /// The number of attempts removed in one transaction.
    static let batch = 200

    /// Returns the conditions for a page and one attempt more, and their values.
    static func page(_ query: AttemptQuery) -> (filter: String, values: [Database.Value]) {
        var (conditions, values): ([String], [Database.Value]) = (["1"], [])
        func add(_ condition: String, _ value: Database.Value) {
            values.append(value)
            conditions.append("\(condition) ?\(values.count)")
        }
        let isAscending = query.order == .oldestFirst
        if let provider = query.provider { add("provider =", .text(provider.rawValue)) }
        if let since = query.since { add("started >=", .real(since.timeIntervalSinceReferenceDate)) }
        if let cursor = query.cursor { add(isAscending ? "number >" : "number <", .integer(cursor.position)) }
        switch query.state {
        case .unfinished: conditions.append("finished = 0")
        case .paid: conditions.append("finished = 1 AND paid = 1")
        case .unpaid: conditions.append("finished = 1 AND paid = 0")
        case nil: break
        }
        let direction = isAscending ? "ASC" : "DESC"
        // SQLite counts in 64 bits.
        values.append(.integer(Int64(min(query.limit, Int.max - 1)) + 1))
        let filter = """
            WHERE attempt.number IN (
                SELECT number FROM attempt WHERE \(conditions.joined(separator: " AND "))
                ORDER BY number \(direction) LIMIT ?\(values.count)
            ) ORDER BY attempt.number \(direction), entry.position
            """
        return (filter, values)
    }

    /// The numbers of some attempts that ended before `?1`; proofs only if they ended before `?2` too. Attempts that
    /// money is still reserved for are kept, because they are needed to settle the reservation.
    static let old = """
        SELECT number FROM attempt
        WHERE finished = 1 AND ended < ?1 AND (ended < ?2 OR (paid = 0 AND NOT EXISTS (
            SELECT 1 FROM entry
            WHERE attempt = number AND \(StoredEntry.beginsMutation)
        ))) AND NOT EXISTS (SELECT 1 FROM spending WHERE spending.attempt = attempt.id AND state = 'reserved')
        ORDER BY number LIMIT \(batch)
        """
}

/// Writes that wait for the disk together. Those that arrive while the disk is busy become one transaction afterwards,
/// with one sync for all of them. Each write takes effect, or fails, as if it were alone. Only its store uses it.
final class GroupCommit {
    /// A write. It may be made a second time if its first transaction had no effect.
    typealias Write = () throws(JournalError) -> Void
    typealias Answer = Result<Void, JournalError>

    private let database: Database
    private var waiting: [(write: Write, answer: (Answer) -> Void)] = []

    init(_ database: Database) { self.database = database }

    /// Adds a write to the next transaction.
    ///
    /// - Parameter answer: called when the write is on the disk, or is known not to be.
    /// - Returns: true if it is the first one. The caller then has to call ``commit()``.
    func add(_ write: @escaping Write, _ answer: @escaping (Answer) -> Void) -> Bool {
        waiting.append((write, answer))
        return waiting.count == 1
    }

    /// Makes all waiting writes, and passes each its result.
    func commit() {
        let batch = waiting
        waiting = []
        for (write, answer) in zip(batch, answers(to: batch.map(\.write))) { write.answer(answer) }
    }

    private func answers(to writes: [Write]) -> [Answer] {
        guard writes.count > 1 else { return writes.map(alone) }
        do {
            return try database.transaction { () throws(JournalError) in
                var answers: [Answer] = []
                for write in writes { answers.append(try database.part(write)) }
                return answers
            }
        } catch {
            switch error {
            // No write is possible now. Trying each would only multiply the wait.
            case .locked, .replaced: return writes.map { _ in .failure(error) }
            // Nothing is stored. There may be room for some of them.
            default: return writes.map(alone)
            }
        }
    }

    private func alone(_ write: Write) -> Answer {
        do { return .success(try database.transaction(write)) } catch { return .failure(error) }
    }
}
