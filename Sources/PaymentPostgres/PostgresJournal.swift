public import PaymentCore
public import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The journal of several machines: its attempts, leases and spendings are in a PostgreSQL database.
///
/// Everything that a method writes is on the server's disk when it returns, entries of every kind: the machine that
/// pays and the one that stores fail separately, so no entry may be lost alone. Leases end by the server's clock. A
/// lost lease stops its holder's next write. A lease ends when its holder was silent for its duration, not earlier,
/// since no machine sees if another's process lives.
///
/// No links and no keys of services are stored. Answers of wallets and forms are stored only until their attempt ends.
/// Then their rows are overwritten. The server keeps old versions of rows until it vacuums, and longer in its log and
/// in backups.
public struct PostgresJournal: PaymentJournal, AttemptArchive {
    let store: PostgresStore
    let tables: Tables
    /// The dates of workers' next looks at open attempts.
    let due: DueRows
    /// The ends and notifications that workers pass on.
    let deliveries: DeliveryRows
    private let reportsEnds: Bool
    private let leases: LeaseRows
    private let random: any RandomSource

    /// Creates a journal in a store. Any number of journals may share one.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - reportsEnds: true to keep a row for each attempt that ends, until a ``PostgresWorker`` has passed it to its
    ///     `ended`. Use it in all programs that pay, and only if such a worker runs: nothing else removes the rows.
    public init(_ store: PostgresStore, reportsEnds: Bool = false) {
        self.init(store, reportsEnds: reportsEnds, random: SystemRandomSource())
    }

    init(_ store: PostgresStore, reportsEnds: Bool = false, random: any RandomSource) {
        self.store = store
        self.reportsEnds = reportsEnds
        self.random = random
        tables = Tables(store.schema)
        leases = LeaseRows(store: store, table: tables.lease)
        due = DueRows(store: store, tables: tables)
        deliveries = DeliveryRows(store: store, tables: tables)
    }

    // MARK: Leases

    /// Takes the lease of a payment, unless another holder renewed it within its duration.
    ///
    /// - Returns: true if the lease was taken.
    /// - Throws: ``JournalError`` when the server cannot be used.
    public func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await leases.acquire(LeaseRows.Lease(lease), at: now)
    }

    /// Makes a held lease count from now on.
    ///
    /// - Throws: ``JournalError``; `leaseLost` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) async throws {
        guard try await leases.renew(LeaseRows.Lease(lease), at: now) else {
            throw JournalError.leaseLost(lease.payment)
        }
    }

    /// Releases a lease. An attempt that is left open is due then, and a ``PostgresWorker`` is notified of it.
    ///
    /// - Throws: ``JournalError`` when the server cannot be used; the lease then ends by itself.
    public func release(_ lease: PaymentLease) async throws { _ = try await store.rows(due.releasing(lease)) }

    // MARK: Writing

    /// Stores the beginning of an attempt.
    ///
    /// - Throws: ``JournalError``, by the rules of ``AttemptStore/open(_:under:)``.
    public func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        guard attempt.reference == lease.payment else { throw JournalError.leaseLost(attempt.reference) }
        let key = Database.Value.key(attempt.reference)
        let write = random.hex(32)
        let row = tables.insert(
            StoredAttempt.Column.self, try StoredAttempt.values(attempt), omitting: [.number],
            and: [
                "payment": key, "write": .text(write),
                "refund_name": attempt.reference.refundName.map { .key($0) } ?? .null,
                "refunded": attempt.reference.refundedPayment.map { .key($0) } ?? .null,
            ])
        let looks = [
            leases.renewing(LeaseRows.Lease(lease), at: attempt.startedAt),
            Statement("SELECT write FROM \(tables.attempt) WHERE id = $1", [.text(attempt.id.rawValue)]),
            Statement("SELECT id FROM \(tables.attempt) WHERE payment = $1 AND NOT finished", [key]),
            lookingAtSpending(of: attempt.id),
        ]
        try await store.transaction(looks) { [due, path = store.path] rows in
            if let known = rows[1].cells.first, known.text(0) == write { return .nothing(()) }
            guard !rows[0].isEmpty else { throw JournalError.leaseLost(lease.payment) }
            guard rows[1].isEmpty else { throw JournalError.duplicateAttempt(attempt.id) }
            if let open = rows[2].cells.first {
                throw JournalError.unfinishedAttempt(AttemptID(rawValue: open.text(0)))
            }
            try Self.spendings(rows[3], path).checkOpening(of: attempt)
            return .write([row, due.opening(attempt, under: lease)], ())
        }
    }

    /// Adds an entry to an attempt.
    ///
    /// - Throws: ``JournalError``, by the rules of ``AttemptStore/append(_:to:under:)``.
    public func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        let content = try StoredEntry.content(entry.event)
        let write = random.hex(32)
        let looks = [
            leases.renewing(LeaseRows.Lease(lease), at: entry.date),
            Statement(
                "SELECT \(StoredAttempt.Status.list) FROM \(tables.attempt) WHERE id = $1", [.text(attempt.rawValue)]),
            Statement(
                """
                SELECT coalesce(max(position), 0), coalesce(bool_or(write = $2), false) FROM \(tables.entry)
                WHERE attempt = (SELECT number FROM \(tables.attempt) WHERE id = $1)
                """, [.text(attempt.rawValue), .text(write)]),
        ]
        let ends = entry.isEnding && reportsEnds ? deliveries : nil
        try await store.transaction(looks) { [tables, due, path = store.path] rows in
            if let last = rows[2].cells.first, last.integer(1) != 0 { return .nothing(()) }
            guard let status = rows[1].of(StoredAttempt.Status.self, path).first else {
                throw JournalError.unknownAttempt(attempt)
            }
            let reference = try status.reference()
            guard reference == lease.payment else { throw JournalError.leaseLost(reference) }
            guard !rows[0].isEmpty else { throw JournalError.leaseLost(reference) }
            guard StoredAttempt.takes(entry, status) else { throw JournalError.finishedAttempt(attempt) }
            // A correction of an earlier attempt says nothing about one that is open.
            let isCorrection = status.integer(.finished) != 0
            let number = status.integer(.number)
            let position = (rows[2].cells.first?.integer(0) ?? 0) + 1
            return .write(
                Self.adding(entry, content, to: number, at: position, by: write, in: tables)
                    + (entry.isEnding ? Self.finishing(number, with: entry, in: tables) : [])
                    + (isCorrection ? [] : due.adding(entry, to: reference)) + (ends.map { [$0.ending(number)] } ?? []),
                ())
        }
    }

    /// Adds an entry, and what it begins: a step that moves money, or one whose result is erased at the end.
    private static func adding(
        _ entry: JournalEntry, _ content: StoredEntry.Content, to attempt: Int64, at position: Int64,
        by write: String, in tables: Tables
    ) -> [Statement] {
        var kind: StepKind?
        if case .stepStarted(_, let started) = entry.event { kind = started }
        var statements = [
            tables.insert(
                StoredEntry.Column.self, StoredEntry.values(entry, content, attempt: attempt, position: position),
                and: ["write": .text(write)], literally: ["erased": kind?.isErased == true ? "true" : "false"])
        ]
        if kind?.movesMoney == true {
            statements.append(
                Statement("UPDATE \(tables.attempt) SET moved = true WHERE number = $1", [.integer(attempt)]))
        }
        return statements
    }

    /// Marks an attempt as ended and erases the answers of the payer's wallet and forms.
    private static func finishing(_ attempt: Int64, with entry: JournalEntry, in tables: Tables) -> [Statement] {
        [
            Statement(
                "UPDATE \(tables.attempt) SET finished = true, ended = $2, paid = ($3::bigint = 1) WHERE number = $1",
                [
                    .integer(attempt), .real(entry.date.timeIntervalSinceReferenceDate),
                    .integer(entry.provesPayment ? 1 : 0),
                ]),
            Statement(
                """
                UPDATE \(tables.entry) SET detail = 'null'
                WHERE attempt = $1 AND event = '\(StoredEntry.Event.finished.rawValue)'
                    AND name IN (SELECT name FROM \(tables.entry) WHERE attempt = $1 AND erased)
                """, [.integer(attempt)]),
        ]
    }

    // MARK: Reading

    /// Returns an attempt with all its entries, or nil.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try await histories("attempt.id = $1", [.text(attempt.rawValue)]).all.first?.history
    }

    /// Returns all attempts at a payment, oldest first.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await histories("attempt.payment = $1", [.key(payment)]).all.map(\.history)
    }

    /// Returns all attempts at refunds that have the id of a refund, or are of its payment, oldest first.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        guard let name = refund.refundName, let payment = refund.refundedPayment else { return [] }
        return try await histories(
            "attempt.refund_name = $1 OR attempt.refunded = $2", [.key(name), .key(payment)]
        ).all.map(\.history)
    }

    /// The number of open attempts that one statement reads.
    private static let openPage = 1000

    /// Returns all attempts without a final outcome, oldest first. They are read some at a time. An attempt that is
    /// opened or ends in the meantime may be among them or not.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func unfinished() async throws -> [AttemptHistory] {
        var (found, last) = ([AttemptHistory](), Int64.min)
        while true {
            let page = try await histories(
                """
                NOT attempt.finished AND attempt.number > $1 AND attempt.number <= (
                    SELECT max(number) FROM (
                        SELECT number FROM \(tables.attempt) WHERE NOT finished AND number > $1
                        ORDER BY number LIMIT \(Self.openPage)) AS page)
                """, [.integer(last)]
            ).all
            found += page.map(\.history)
            guard page.count == Self.openPage, let end = page.last else { return found }
            last = end.number
        }
    }

    /// Reads attempts and entries in one statement, so no other write comes in between.
    func histories(
        _ condition: String, _ values: [Database.Value] = [], _ direction: String = "ASC", isCompleted: Bool = true
    ) async throws(JournalError) -> StoredHistories {
        let (columns, others) = (StoredAttempt.Column.allCases, StoredEntry.Column.allCases)
        let rows = try await store.rows(
            Statement(
                """
                SELECT \(StoredAttempt.Column.qualifiedList), \(StoredEntry.Column.qualifiedList)
                FROM \(tables.attempt) LEFT JOIN \(tables.entry) ON entry.attempt = attempt.number
                WHERE \(condition) ORDER BY attempt.number \(direction), entry.position
                """, values), isCompleted: isCompleted)
        var histories = StoredHistories()
        for cells in rows.cells {
            let entry = Row<StoredEntry.Column>(
                cells, of: store.path, columns: others, first: Int32(columns.count))
            try histories.add(Row(cells, of: store.path, columns: columns), entry.isThere ? entry : nil)
        }
        return histories
    }
}

extension PostgresJournal {
    /// Returns one page of the attempts that match a query. Unlike what payments need, it ends with its task.
    ///
    /// - Throws: ``JournalError``.
    public func attempts(_ query: AttemptQuery) async throws -> AttemptPage {
        var (conditions, values): ([String], [Database.Value]) = (["true"], [])
        func add(_ condition: String, _ value: Database.Value) {
            values.append(value)
            conditions.append("\(condition) $\(values.count)")
        }
        let isAscending = query.order == .oldestFirst
        if let provider = query.provider { add("provider =", .text(provider.rawValue)) }
        if let since = query.since { add("started >=", .real(since.timeIntervalSinceReferenceDate)) }
        if let cursor = query.cursor { add(isAscending ? "number >" : "number <", .integer(cursor.position)) }
        switch query.state {
        case .unfinished: conditions.append("NOT finished")
        case .paid: conditions.append("finished AND paid")
        case .unpaid: conditions.append("finished AND NOT paid")
        case nil: break
        }
        let direction = isAscending ? "ASC" : "DESC"
        values.append(.integer(Int64(min(query.limit, Int.max - 1)) + 1))
        return try await histories(
            """
            attempt.number IN (
                SELECT number FROM \(tables.attempt) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY number \(direction) LIMIT $\(values.count)
            )
            """, values, direction, isCompleted: false
        ).page(query)
    }

    /// The number of attempts that one transaction removes.
    private static let batch = 200

    /// Removes attempts that ended long ago: some at a time, so that payments can be made in between. Several may do so
    /// at once. An attempt is kept until its end was passed on.
    ///
    /// - Returns: the number of attempts removed; fewer if a connection was lost in the meantime.
    /// - Throws: ``JournalError``; attempts removed before the error stay removed.
    public func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int {
        try await forgetSpendings(before: SpendingDay(date, in: .gmt))
        let old = Statement(
            """
            DELETE FROM \(tables.attempt) WHERE number IN (
                SELECT number FROM \(tables.attempt) AS old
                WHERE finished AND ended < $1 AND (ended < $2 OR NOT (paid OR moved)) AND NOT EXISTS (
                    SELECT 1 FROM \(tables.spending) AS kept WHERE kept.attempt = old.id AND kept.state = 'reserved')
                    AND NOT EXISTS (SELECT 1 FROM \(tables.delivery) AS waiting WHERE waiting.attempt = old.number)
                ORDER BY number LIMIT \(Self.batch) FOR UPDATE SKIP LOCKED
            ) RETURNING 1
            """, [.real(date.timeIntervalSinceReferenceDate), .real(proofs.timeIntervalSinceReferenceDate)])
        var count = 0
        while true {
            let removed = try await store.rows(old).cells.count
            count += removed
            guard removed == Self.batch else { return count }
        }
    }
}

// MARK: - Spending

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

    /// Changes the state of one reservation, which is locked during that, by a rule that knows if the attempt is open.
    private func change(
        _ attempt: AttemptID, to state: SpendingRecord.State,
        _ rule: @escaping @Sendable (inout SpendingLedger, Bool) throws(SpendingError) -> Void
    ) async throws {
        let looks = [
            // This look comes first. An attempt that is opened in the meantime locks the spending, too, and is then
            // seen.
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

// MARK: - Notifications

/// Notifications of services that a ``PostgresWorker`` handles later.
extension PostgresJournal {
    /// The maximum number of bytes of a notification's header fields and body.
    static let longestNotification = 512 << 10
    /// The maximum number of notifications of one service that wait.
    static let mostNotifications = 10_000

    /// Stores a genuine notification until a ``PostgresWorker`` has passed it to `PaymentRouter.handle(_:from:)`. So
    /// the service gets its answer immediately. Answer with success only after this returned.
    ///
    /// It is checked first, without asking the service, and is not stored if it is not genuine. The same bytes are
    /// stored once while they wait. The header fields and the body are stored as they came, and removed when they are
    /// handled. Leave out fields that neither the service signs nor its provider reads, such as cookies.
    ///
    /// The worker passes it on to its `notified`, at least once. A notification that waits for longer than its
    /// signature is valid is not handled any more. The service is asked instead, and its answer is passed on.
    ///
    /// - Parameters:
    ///   - notification: the header fields and the body, byte for byte as they came.
    ///   - provider: the provider of the service.
    ///   - router: a router with this provider.
    /// - Throws: `PaymentError`; `untrustedNotification` when it is not genuine, `unsupported` or `unroutable` when no
    ///   provider reads it. `JournalError`; `tooLarge` beyond 512 KiB, `tooManyNotifications` when 10,000 of the
    ///   provider wait already: answer with status 503, and the service sends it again.
    public func keep(
        _ notification: IncomingNotification, from provider: ProviderID, checkedBy router: PaymentRouter
    ) async throws {
        let fields = notification.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let size = fields + notification.body.count
        guard size <= Self.longestNotification else {
            throw JournalError.tooLarge(path: store.path, bytes: size, limit: Self.longestNotification)
        }
        let payment = try router.verify(notification, from: provider)
        try await deliveries.add(notification, from: provider, about: payment, most: Self.mostNotifications)
    }
}

// MARK: - Leases

/// The leases in a table. A lease is one row. Its holder renews the row in the transaction that writes, which keeps all
/// others from it until the end of the transaction.
struct LeaseRows: Sendable {
    let store: PostgresStore
    let table: String

    private static let now = PostgresStore.now(4)

    /// One lease, as its row is found and written.
    struct Lease {
        let key: Database.Value
        let holder: String
        let duration: Duration

        init(_ lease: PaymentLease) { (key, holder, duration) = (.key(lease.payment), lease.holder, lease.duration) }

        init(_ lease: RecordLease) {
            (key, holder, duration) = (.key([lease.room.kind, lease.room.name]), lease.holder, lease.duration)
        }
    }

    private func values(_ lease: Lease, _ now: Date) -> [Database.Value] {
        [lease.key, .text(lease.holder), .real(lease.duration / .seconds(1)), store.time(now)]
    }

    /// Takes a lease. A second request of the same holder renews it.
    func acquire(_ lease: Lease, at now: Date) async throws(JournalError) -> Bool {
        let taken = try await store.rows(
            Statement(
                """
                INSERT INTO \(table) AS held (payment, holder, ends) VALUES ($1, $2, \(Self.now) + $3)
                ON CONFLICT (payment) DO UPDATE SET holder = excluded.holder, ends = excluded.ends
                    WHERE held.holder = excluded.holder OR held.ends <= \(Self.now)
                RETURNING 1
                """, values(lease, now)))
        return !taken.isEmpty
    }

    /// - Returns: false if the lease is not held.
    func renew(_ lease: Lease, at now: Date) async throws(JournalError) -> Bool {
        !(try await store.rows(renewing(lease, at: now)).isEmpty)
    }

    /// Returns the statement that renews a lease, locks it for its transaction, and returns a row if it is held.
    func renewing(_ lease: Lease, at now: Date) -> Statement {
        Statement(
            "UPDATE \(table) SET ends = \(Self.now) + $3 WHERE payment = $1 AND holder = $2 RETURNING 1",
            values(lease, now))
    }

    func release(_ lease: Lease) async throws(JournalError) {
        _ = try await store.rows(
            Statement("DELETE FROM \(table) WHERE payment = $1 AND holder = $2", [lease.key, .text(lease.holder)]))
    }
}
