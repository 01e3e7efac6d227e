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
/// All that a method writes is on the server's disk when it returns, entries of every kind: the machine that pays and
/// the one that stores fail apart, so that no entry may be lost alone. Leases end by the server's clock; a lost one
/// stops its holder's next write. A lease ends when its holder was silent for its duration, not earlier, since no
/// machine sees whether another's process lives.
///
/// Nothing secret is stored: no links, no keys of services; answers of wallets and forms only until their attempt ends,
/// then their rows are overwritten. The server keeps old versions of rows until it vacuums, and longer in its log and
/// in backups.
public struct PostgresJournal: PaymentJournal, AttemptArchive {
    let store: PostgresStore
    let tables: Tables
    /// The dates at which workers look at open attempts.
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
    ///     `ended`. Use it in all programs that pay, and only where such a worker runs: nothing else removes the rows.
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
        try await leases.acquire(lease, at: now)
    }

    /// Makes a held lease count from now on.
    ///
    /// - Throws: ``JournalError``; `leaseLost` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) async throws { try await leases.renew(lease, at: now) }

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
            leases.renewing(lease, at: attempt.startedAt),
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
            leases.renewing(lease, at: entry.date),
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
            // A correction of an earlier attempt says nothing of one that is open.
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

    /// Returns all attempts without a final outcome, oldest first. They are read some at a time: one that is opened or
    /// ends meanwhile may be among them or not.
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

    /// One statement reads attempts and entries, so that no other write comes in between.
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
