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
    /// Returns the statement that makes the table.
    ///
    /// - Parameter key: the columns of the leases' keys.
    static func definition(_ key: [String]) -> String {
        """
        CREATE TABLE lease (
        \(key.map { "    \($0) TEXT NOT NULL,\n" }.joined())    holder TEXT NOT NULL,
            owner INTEGER NOT NULL,
            ends REAL NOT NULL,
            PRIMARY KEY (\(key.joined(separator: ", ")))
        ) STRICT, WITHOUT ROWID;
        """
    }

    /// The statement that makes a table of payments' leases.
    package static let definition = definition(paymentKey)
    private static let paymentKey = ["provider", "subject", "reference"]
    /// The columns of rooms' leases.
    static let roomKey = ["kind", "room"]

    private let database: Database
    private let owner: OwnerLock
    private let key: [String]

    package init(_ database: Database, _ random: any RandomSource) throws(JournalError) {
        try self.init(database, random, key: Self.paymentKey)
    }

    init(_ database: Database, _ random: any RandomSource, key: [String]) throws(JournalError) {
        self.database = database
        self.key = key
        // One of 2^52 bytes. Two owners never share one.
        owner = try OwnerLock(path: database.path + "-owners", id: Int64(random.next() >> 12))
    }

    /// The condition on the lease of a key, whose values are the first ones of the statement.
    private var isKey: String {
        key.enumerated().map { "\($0.element) = ?\($0.offset + 1)" }.joined(separator: " AND ")
    }

    /// Takes the lease of a key, unless another holder has it, its process lives, and its end has not come.
    func acquire(
        _ values: [Database.Value], by holder: String, until end: Date, at now: Date
    ) throws(JournalError) -> Bool {
        var isFree = true
        try database.forEach(
            "SELECT holder, owner, ends FROM lease WHERE \(isKey)", values
        ) { (statement) throws(JournalError) in
            let cells = StatementCells(statement: statement)
            isFree =
                cells.text(0).isExactly(holder) || !owner.isAlive(cells.integer(1))
                || cells.real(2) <= now.timeIntervalSinceReferenceDate
        }
        guard isFree else { return false }
        let columns = key + ["holder", "owner", "ends"]
        try database.run(
            """
            INSERT OR REPLACE INTO lease (\(columns.joined(separator: ", ")))
            VALUES (\(columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))
            """, values + [.text(holder), .integer(owner.id), .real(end.timeIntervalSinceReferenceDate)])
        return true
    }

    /// Gives a held lease another end.
    ///
    /// - Returns: false if it is not held.
    func renew(_ values: [Database.Value], by holder: String, until end: Date) throws(JournalError) -> Bool {
        let (place, last) = (values.count + 1, values.count + 2)
        try database.run(
            "UPDATE lease SET ends = ?\(last) WHERE \(isKey) AND holder = ?\(place)",
            values + [.text(holder), .real(end.timeIntervalSinceReferenceDate)])
        return database.changes == 1
    }

    /// Releases a lease if it is held.
    func release(_ values: [Database.Value], by holder: String) throws(JournalError) {
        try database.run(
            "DELETE FROM lease WHERE \(isKey) AND holder = ?\(values.count + 1)", values + [.text(holder)])
    }
}

/// Leases of payments.
extension LeaseTable {
    package func acquire(_ lease: PaymentLease, at now: Date) throws(JournalError) -> Bool {
        try acquire(StoredReference.key(lease.payment), by: lease.holder, until: lease.end(from: now), at: now)
    }

    package func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        guard try renew(StoredReference.key(lease.payment), by: lease.holder, until: lease.end(from: now)) else {
            throw .leaseLost(lease.payment)
        }
    }

    package func release(_ lease: PaymentLease) throws(JournalError) {
        try release(StoredReference.key(lease.payment), by: lease.holder)
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
