package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The leases in a file: its table `lease`, and the locks that show if its users live. Its calls are parts of the
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
        // One of 2^52 bytes. Two owners never share one.
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

/// A lock that shows the other users of a journal that this one lives.
///
/// Each connection locks one byte of a file next to the journal, at its own offset. The system drops the lock when the
/// process ends in any way, so a killed process's payments can be taken over immediately. If locks are not available,
/// owners count as living and their leases end by time.
package struct OwnerLock: ~Copyable {
    /// The offset of this owner's byte.
    package let id: Int64
    private let descriptor: Int32

    /// Locks the byte `id` of the file `path`, which is made if it is missing.
    package init(path: String, id: Int64) throws(JournalError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(path: path, detail: String(cString: strerror(errno))) }
        self.id = id
        var lock = Self.lock(on: id)
        _ = fcntl(descriptor, Self.set, &lock)
    }

    deinit { close(descriptor) }

    /// Returns true if the owner `id` lives, as far as can be known.
    package func isAlive(_ id: Int64) -> Bool {
        if id == self.id { return true }
        var lock = Self.lock(on: id)
        guard fcntl(descriptor, Self.get, &lock) == 0 else { return true }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// Returns true if any owner lives whose byte is in the file `path`, as far as can be known.
    static func isAnyAlive(path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // A length of zero from the start means all bytes.
        var lock = lock(on: 0, length: 0)
        return fcntl(descriptor, get, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static func lock(on id: Int64, length: off_t = 1) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(id)
        lock.l_len = length
        return lock
    }

    // These locks belong to the open file, not to the process, so two connections in one process see each other's
    // locks. The values are F_OFD_SETLK and F_OFD_GETLK, which the modules of the C libraries leave out.
    #if canImport(Darwin)
        private static let set: Int32 = 90
        private static let get: Int32 = 92
    #else
        private static let set: Int32 = 37
        private static let get: Int32 = 36
    #endif
}
