package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The leases in a file: its table `lease`, and which of its users live. Its calls are parts of somebody's transaction.
package struct LeaseTable: ~Copyable {
    private let database: Database
    private let owner: OwnerLock

    package init(_ database: Database, _ random: any RandomSource) throws(JournalError) {
        self.database = database
        // One of 2^52 bytes: two owners never meet on one.
        owner = try OwnerLock(path: database.path + "-owners", id: Int64(random.next() >> 12))
    }

    package func acquire(_ lease: PaymentLease, at now: Date) throws(JournalError) -> Bool {
        let rows = try database.query(
            "SELECT holder, owner, ends FROM lease WHERE provider = ?1 AND payment = ?2",
            StoredReference.leaseKey(lease.payment)
        ) { ($0.text(0), $0.integer(1), $0.real(2)) }
        if let (holder, owner, end) = rows.first, !holder.isExactly(lease.holder), self.owner.isAlive(owner),
            end > now.timeIntervalSinceReferenceDate
        {
            return false
        }
        try database.run(
            "INSERT OR REPLACE INTO lease (provider, payment, holder, owner, ends) VALUES (?1, ?2, ?3, ?4, ?5)",
            StoredReference.leaseKey(lease.payment) + [
                .text(lease.holder), .integer(owner.id),
                .real(lease.end(from: now).timeIntervalSinceReferenceDate),
            ])
        return true
    }

    package func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        try database.run(
            "UPDATE lease SET ends = ?4 WHERE provider = ?1 AND payment = ?2 AND holder = ?3",
            StoredReference.leaseKey(lease.payment) + [
                .text(lease.holder), .real(lease.end(from: now).timeIntervalSinceReferenceDate),
            ])
        guard database.changes == 1 else { throw .leaseLost(lease.payment) }
    }

    package func release(_ lease: PaymentLease) throws(JournalError) {
        try database.run(
            "DELETE FROM lease WHERE provider = ?1 AND payment = ?2 AND holder = ?3",
            StoredReference.leaseKey(lease.payment) + [.text(lease.holder)])
    }
}
