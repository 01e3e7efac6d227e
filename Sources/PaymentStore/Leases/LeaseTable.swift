package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The leases in a file: its table `lease`, and the locks that show which of its users live. Its calls are parts of the
/// caller's transaction.
package struct LeaseTable: ~Copyable {
    private enum Column: String, ReferenceColumn {
        static let table = "lease"
        case provider, subject, reference, holder, owner, ends
    }

    /// The statement that makes the table.
    package static let definition = """
        CREATE TABLE lease (
            provider TEXT NOT NULL,
            subject TEXT NOT NULL,
            reference TEXT NOT NULL,
            holder TEXT NOT NULL,
            owner INTEGER NOT NULL,
            ends REAL NOT NULL,
            PRIMARY KEY (provider, subject, reference)
        ) STRICT, WITHOUT ROWID;
        """

    private let database: Database
    private let owner: OwnerLock

    package init(_ database: Database, _ random: any RandomSource) throws(JournalError) {
        self.database = database
        // One of 2^52 bytes: two owners never meet on one.
        owner = try OwnerLock(path: database.path + "-owners", id: Int64(random.next() >> 12))
    }

    package func acquire(_ lease: PaymentLease, at now: Date) throws(JournalError) -> Bool {
        let rows = try database.all(
            Column.self, "WHERE \(Column.isAbout)", StoredReference.key(lease.payment)
        ) { (row) throws(JournalError) in (row.text(.holder), row.integer(.owner), row.real(.ends)) }
        if let (holder, owner, end) = rows.first, !holder.isExactly(lease.holder), self.owner.isAlive(owner),
            end > now.timeIntervalSinceReferenceDate
        {
            return false
        }
        try database.insert(
            Column.self,
            Column.allCases.map { column in
                switch column {
                case .provider, .subject, .reference: column.part(of: lease.payment)
                case .holder: .text(lease.holder)
                case .owner: .integer(owner.id)
                case .ends: .real(lease.end(from: now).timeIntervalSinceReferenceDate)
                }
            }, isReplacing: true)
        return true
    }

    package func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        try database.run(
            "UPDATE lease SET ends = ?5 WHERE \(Column.isAbout) AND holder = ?4",
            StoredReference.key(lease.payment) + [
                .text(lease.holder), .real(lease.end(from: now).timeIntervalSinceReferenceDate),
            ])
        guard database.changes == 1 else { throw .leaseLost(lease.payment) }
    }

    package func release(_ lease: PaymentLease) throws(JournalError) {
        try database.run(
            "DELETE FROM lease WHERE \(Column.isAbout) AND holder = ?4",
            StoredReference.key(lease.payment) + [.text(lease.holder)])
    }
}
