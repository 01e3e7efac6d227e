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
/// these; a power failure in between undoes the last of it, as if it had not happened yet. Payments made at the same
/// time share the waits for the disk. Beside the file SQLite keeps `-wal` and `-shm`, and the journal `-owners`, by
/// which processes see which of them live; only the user may read them. Nothing secret is stored: no links, no keys of
/// services; answers of wallets and forms only until their attempt ends, then they are overwritten in the file, and in
/// the write-ahead log as it is reused. Network file systems are not supported.
public actor SQLiteJournal: PaymentJournal, AttemptArchive {
    private let queue = SerialQueue("payment-journal")
    let database: Database
    private let group: GroupCommit
    private let leases: LeaseTable

    private static let synced = "PRAGMA synchronous = FULL"

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
        try database.execute(Self.synced)
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
    /// between this check and the entry that it is about: the worker that carries the attempt out does one after the
    /// other.
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

    /// Makes a transaction that is on the disk at the end, and everything before it, together with others that wait for
    /// the same; or one that becomes durable with the next.
    func write(durably: Bool, _ body: @escaping GroupCommit.Write) async throws(JournalError) {
        guard durably else { return try unsynced(body) }
        let answer: GroupCommit.Answer = await withCheckedContinuation { continuation in
            // Writes requested by now come before the commit, and are part of it.
            if group.add(body, { continuation.resume(returning: $0) }) { Task { commit() } }
        }
        try answer.get()
    }

    private func commit() { group.commit() }

    /// Makes a transaction without waiting for the disk: about a lease, whose loss in a power failure does no harm,
    /// since its holder is gone as well, or about entries that may be lost.
    func unsynced<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        try database.execute("PRAGMA synchronous = NORMAL")
        let result: Swift.Result<Result, JournalError>
        do { result = .success(try database.transaction(body)) } catch { result = .failure(error) }
        try database.execute(Self.synced)
        return try result.get()
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

    /// One statement reads attempts and entries, so that no other write comes in between.
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
