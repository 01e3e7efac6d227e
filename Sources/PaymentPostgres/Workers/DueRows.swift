import PaymentCore
import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The dates of workers' next looks at open attempts: the table `due`, with a row for each payment with an open
/// attempt.
///
/// A row is written in the transaction that opens the attempt, and removed in the one that ends it. Its date, `look`,
/// is the earliest end of the lease, or the date of the next inquiry once the service was asked (`asked`). A worker
/// claims a row by its name and a later date. If it dies, the row is due again at that date. The rows decide nothing
/// about money: the payment's lease keeps two workers that look at one attempt apart.
struct DueRows: Sendable {
    let store: PostgresStore
    let tables: Tables

    /// The row for reservations of attempts that were never opened. No payment has this key.
    static let spendings = "spendings"

    // MARK: In the journal's transactions

    /// Returns the statement for an attempt that is opened.
    func opening(_ attempt: PaymentAttempt, under lease: PaymentLease) -> Statement {
        Statement(
            """
            INSERT INTO \(tables.due) (payment, look) VALUES ($1, \(PostgresStore.now(3)) + $2)
            ON CONFLICT (payment) DO UPDATE SET look = excluded.look, asked = false, worker = NULL
            """,
            [.key(attempt.reference), .real(lease.duration / .seconds(1)), store.time(attempt.startedAt)])
    }

    /// Returns the statements for an entry: one that ends the attempt, or one that leaves it to a later inquiry.
    func adding(_ entry: JournalEntry, to payment: PaymentReference) -> [Statement] {
        if entry.isEnding { return [Statement("DELETE FROM \(tables.due) WHERE payment = $1", [.key(payment)])] }
        guard case .outcome(let outcome) = entry.event else { return [] }
        var wish: Database.Value = .null
        if case .pending(let wait?) = outcome { wish = .real(RecoveryReport.pause(wish: wait, age: 0)) }
        let age = "($4 - (SELECT started FROM \(tables.attempt) WHERE payment = $1 AND NOT finished)) / 2"
        return [
            Statement(
                """
                UPDATE \(tables.due) SET asked = true, look = \(PostgresStore.now(3))
                    + coalesce($2::double precision, least(greatest(\(age), 5), 3600)) WHERE payment = $1
                """,
                [
                    .key(payment), wish, store.time(entry.date), .real(entry.date.timeIntervalSinceReferenceDate),
                ])
        ]
    }

    /// Returns the statement that releases a lease. An open attempt is due immediately, unless the service is to be
    /// asked later. Workers are notified, unless a worker releases the lease.
    func releasing(_ lease: PaymentLease) -> Statement {
        Statement(
            """
            WITH released AS (DELETE FROM \(tables.lease) WHERE payment = $1 AND holder = $2 RETURNING payment),
            open AS (
                UPDATE \(tables.due) AS due
                SET look = CASE WHEN asked THEN look ELSE least(look, \(PostgresStore.now(3))) END
                FROM released WHERE due.payment = released.payment AND worker IS NULL RETURNING 1)
            SELECT pg_notify('\(tables.channel)', '') FROM open
            """, [.key(lease.payment), .text(lease.holder), store.time(nil)])
    }

    /// Returns the statement that adds the open attempts without a row, which are those of programs older than the
    /// table.
    static func adopting(_ tables: Tables) -> String {
        """
        INSERT INTO \(tables.due) (payment, look)
        SELECT payment, \(PostgresStore.serverNow) FROM \(tables.attempt) AS open WHERE NOT finished
            AND NOT EXISTS (SELECT 1 FROM \(tables.due) AS known WHERE known.payment = open.payment)
        ON CONFLICT (payment) DO NOTHING
        """
    }

    // MARK: Workers

    /// A row that a worker has claimed.
    struct Claim: Sendable {
        let payment: String
        /// The open attempt; nil if there is none.
        let attempt: AttemptID?
        let worker: String
    }

    /// Adds the rows that are missing. A program that opened its tables before they were migrated writes none, as long
    /// as it runs.
    func adopt() async throws(JournalError) {
        _ = try await store.rows(Statement(Self.adopting(tables)))
        _ = try await store.rows(
            Statement(
                """
                INSERT INTO \(tables.due) (payment, look) VALUES ($1, \(PostgresStore.serverNow))
                ON CONFLICT (payment) DO NOTHING
                """, [.text(Self.spendings)]))
    }

    /// Claims rows that are due. If another worker or payer still holds the payment's lease, the row is postponed to
    /// the end of that lease.
    ///
    /// - Parameters:
    ///   - worker: a name that no other claim has.
    ///   - most: the largest number of rows.
    ///   - duration: the time for which others leave them alone.
    /// - Returns: the claimed rows, and the number of rows that were due.
    func claim(
        as worker: String, most: Int, for duration: Duration
    ) async throws(JournalError) -> (claims: [Claim], found: Int) {
        let (now, due) = (PostgresStore.statementNow(4), tables.due)
        let rows = try await store.rows(
            Statement(
                """
                WITH ready AS (
                    SELECT due.payment, coalesce(lease.ends > \(now), false) AS held, lease.ends FROM \(due) AS due
                    LEFT JOIN \(tables.lease) AS lease ON lease.payment = due.payment
                    WHERE due.look <= \(now) ORDER BY due.look LIMIT $2 FOR UPDATE OF due SKIP LOCKED)
                UPDATE \(due) AS due SET look = CASE WHEN held THEN ready.ends ELSE \(now) + $3 END,
                    worker = CASE WHEN held THEN NULL ELSE $1 END
                FROM ready WHERE due.payment = ready.payment RETURNING due.worker IS NOT NULL, due.payment,
                    (SELECT id FROM \(tables.attempt) AS open WHERE open.payment = due.payment AND NOT finished)
                """,
                [.text(worker), .integer(Int64(most)), .real(duration / .seconds(1)), store.time(nil)]))
        let claims = rows.cells.filter { $0.integer(0) != 0 }.map { cells in
            Claim(
                payment: cells.text(1), attempt: cells.isNull(2) ? nil : AttemptID(rawValue: cells.text(2)),
                worker: worker)
        }
        return (claims, rows.cells.count)
    }

    /// Returns the time until the next row is due, or nil. Rows that others have claimed count at their claim's end.
    func untilNext() async throws(JournalError) -> Duration? {
        let rows = try await store.rows(
            Statement("SELECT min(look) - \(PostgresStore.now(1)) FROM \(tables.due)", [store.time(nil)]))
        guard let cells = rows.cells.first, !cells.isNull(0) else { return nil }
        return .seconds(cells.real(0))
    }

    /// Ends a claim. Does nothing if another worker has the row by then.
    ///
    /// - Parameter pause: the time until the attempt is looked at again; nil if it has ended.
    func finish(_ claim: Claim, lookingAgainIn pause: Duration?) async throws(JournalError) {
        let names: [Database.Value] = [.text(claim.payment), .text(claim.worker)]
        guard let pause else {
            // The attempt's end has removed the row, or there is no attempt. If the attempt is open, it is looked at
            // again.
            _ = try await store.rows(
                Statement(
                    """
                    DELETE FROM \(tables.due) WHERE payment = $1 AND worker = $2
                        AND NOT EXISTS (SELECT 1 FROM \(tables.attempt) WHERE payment = $1 AND NOT finished)
                    """, names))
            return
        }
        _ = try await store.rows(
            Statement(
                """
                UPDATE \(tables.due) SET look = \(PostgresStore.now(4)) + $3, worker = NULL
                WHERE payment = $1 AND worker = $2
                """, names + [.real(pause / .seconds(1)), store.time(nil)]))
    }
}
