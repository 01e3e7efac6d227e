public import PaymentCore
public import PaymentRouting
import PaymentStore

/// The spendings without a question: all machines that use the database share the limits.
extension PostgresJournal: SpendingStore {
    /// Reserves a spending, unless a limit would be exceeded.
    ///
    /// - Throws: ``SpendingError``, by the rules of ``SpendingStore/reserve(_:within:counting:)``; ``JournalError``
    ///   when the server cannot be used.
    public func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        let row = tables.insert(StoredSpending.Column.self, try StoredSpending.values(spending))
        let looks = [
            tables.locking(.spendings),
            // All spendings that can count, in the periods of the day or after them.
            looking(
                "attempt = $1 OR (day >= $2 AND state <> '\(StoredSpending.rawValue(.released))')",
                [.text(spending.attempt.rawValue), .integer(Int64(spending.day.firstThatCounts.number))]),
        ]
        let notice = Statement(
            "UPDATE \(tables.spending) SET noticed = $1 WHERE day > $1 AND noticed IS NULL",
            [.integer(Int64(spending.day.number))])
        return try await store.transaction(looks) { [path = store.path] rows in
            var ledger = SpendingLedger(try rows[1].of(StoredSpending.Column.self, path).map(StoredSpending.read))
            let isKnown = ledger[spending.attempt] != nil
            let verdict = try ledger.reserve(spending, within: limits, counting: worths)
            return isKnown ? .nothing(verdict) : .write([notice] + (verdict == .granted ? [row] : []), verdict)
        }
    }

    /// Marks a reservation as paid.
    ///
    /// - Throws: ``SpendingError/unknown(_:)``; ``JournalError`` when the server cannot be used.
    public func commit(_ attempt: AttemptID) async throws {
        try await change(attempt, to: .paid) { (ledger, _) throws(SpendingError) in try ledger.commit(attempt) }
    }

    /// Releases a reservation.
    ///
    /// - Throws: ``SpendingError``, by the rules of ``SpendingStore/release(_:)``; ``JournalError`` when the server
    ///   cannot be used.
    public func release(_ attempt: AttemptID) async throws {
        try await change(attempt, to: .released) { (ledger, isOpen) throws(SpendingError) in
            try ledger.release(attempt, isOpen: isOpen)
        }
    }

    /// Returns the record of an attempt's spending, or nil.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func spending(of attempt: AttemptID) async throws -> SpendingRecord? {
        try await spendings("attempt = $1", [.text(attempt.rawValue)]).first
    }

    /// Returns all spendings that are reserved, oldest first.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func reservedSpendings() async throws -> [SpendingRecord] {
        try await spendings("state = '\(StoredSpending.rawValue(.reserved))'")
    }

    /// Returns all spendings of a day and later, oldest first.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try await spendings("day >= $1", [.integer(Int64(day.number))])
    }

    /// Removes spendings that have ended and no longer count in any period, as ``SpendingLedger/forget(before:)`` does.
    func forgetSpendings(before day: SpendingDay) async throws(JournalError) {
        _ = try await store.rows(
            Statement(
                """
                DELETE FROM \(tables.spending) WHERE state <> '\(StoredSpending.rawValue(.reserved))'
                    AND day < least($1::bigint, (SELECT max(day) FROM \(tables.spending)))::numeric
                        - \(SpendingLedger.longestMemory)
                    AND day < (SELECT DISTINCT day FROM \(tables.spending) ORDER BY day DESC
                        LIMIT 1 OFFSET \(SpendingLedger.longestMemory - 1))
                """, [.integer(Int64(day.number))]))
    }

    /// Changes the state of one reservation, which is locked meanwhile, by a rule that knows if the attempt is open.
    private func change(
        _ attempt: AttemptID, to state: SpendingRecord.State,
        _ rule: @escaping @Sendable (inout SpendingLedger, Bool) throws(SpendingError) -> Void
    ) async throws {
        let looks = [
            // First: an attempt that is opened meanwhile locks it, too, and is then seen.
            lookingAtSpending(of: attempt),
            Statement(
                "SELECT id FROM \(tables.attempt) WHERE id = $1 AND NOT finished", [.text(attempt.rawValue)]),
        ]
        try await store.transaction(looks) { [tables, path = store.path] rows in
            var ledger = try Self.spendings(rows[0], path)
            let before = ledger[attempt]?.state
            if before == state { return .nothing(()) }
            try rule(&ledger, !rows[1].isEmpty)
            guard before != nil else { return .nothing(()) }
            return .write(
                [
                    Statement(
                        "UPDATE \(tables.spending) SET state = $2 WHERE attempt = $1",
                        [.text(attempt.rawValue), .text(StoredSpending.rawValue(state))])
                ], ())
        }
    }

    private func spendings(
        _ condition: String, _ values: [Database.Value] = []
    ) async throws(JournalError) -> [SpendingRecord] {
        var records: [SpendingRecord] = []
        for row in try await store.rows(looking(condition, values)).of(StoredSpending.Column.self, store.path) {
            records.append(try StoredSpending.read(row))
        }
        return records
    }

    /// Reads and locks the spending of an attempt, if there is one.
    func lookingAtSpending(of attempt: AttemptID) -> Statement {
        looking("attempt = $1", [.text(attempt.rawValue)], " FOR UPDATE")
    }

    static func spendings(_ rows: Rows, _ path: String) throws(JournalError) -> SpendingLedger {
        SpendingLedger(try rows.of(StoredSpending.Column.self, path).map(StoredSpending.read))
    }

    private func looking(_ condition: String, _ values: [Database.Value], _ rest: String = "") -> Statement {
        Statement(
            "SELECT \(StoredSpending.Column.list) FROM \(tables.spending) WHERE \(condition) ORDER BY number\(rest)",
            values)
    }
}
