public import PaymentCore
public import PaymentRouting

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

    /// Changes the state of one reservation by a rule that knows whether the attempt is open. The disk is waited for
    /// only where something changes.
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

    /// Makes a durable transaction with a separate answer: one that is refused has changed nothing that counts.
    private func writeSpending<Answer>(
        _ body: @escaping () throws(JournalError) -> Result<Answer, SpendingError>
    ) async throws -> Answer {
        // The transaction may be made a second time; its last answer holds.
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
