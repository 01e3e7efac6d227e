import PaymentCore
import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The leases in a table. A lease is one row; its holder writes after it has renewed the row in the same transaction,
/// which keeps all others from it until the end of that.
struct LeaseRows: Sendable {
    let store: PostgresStore
    let table: String

    private static let now = PostgresStore.now(4)

    private func values(_ lease: PaymentLease, _ now: Date) -> [Database.Value] {
        [
            .key(lease.payment), .text(lease.holder), .real(lease.duration / .seconds(1)), store.time(now),
        ]
    }

    /// Takes a lease. Asked twice by the same holder it is the same.
    func acquire(_ lease: PaymentLease, at now: Date) async throws(JournalError) -> Bool {
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

    /// Renews a lease.
    func renew(_ lease: PaymentLease, at now: Date) async throws(JournalError) {
        if try await store.rows(renewing(lease, at: now)).isEmpty { throw .leaseLost(lease.payment) }
    }

    /// The statement that renews a lease, locks it for its transaction, and returns a row if it is held.
    func renewing(_ lease: PaymentLease, at now: Date) -> Statement {
        Statement(
            "UPDATE \(table) SET ends = \(Self.now) + $3 WHERE payment = $1 AND holder = $2 RETURNING 1",
            values(lease, now))
    }

    /// Releases a lease.
    func release(_ lease: PaymentLease) async throws(JournalError) {
        _ = try await store.rows(
            Statement(
                "DELETE FROM \(table) WHERE payment = $1 AND holder = $2", [.key(lease.payment), .text(lease.holder)]))
    }
}
