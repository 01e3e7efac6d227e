public import PaymentCore
public import PaymentRouting
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Records in one SQLite file, shared safely by any number of tasks and processes of one machine.
///
/// What a change wrote is on the disk when it returns (write-ahead log, `synchronous = FULL`). Changes made at the same
/// time share the wait for the disk. Removed and replaced values are overwritten in the file. Next to the file SQLite
/// keeps `-wal` and `-shm`, and the store `-owners`, which shows processes which of them live: the lease of a process
/// that has ended is free at once. Only the user may read them. Network file systems are not supported. Errors are
/// ``/PaymentRouting/JournalError``: the file is opened, checked and refused as a journal's is, and is no journal.
public actor SQLiteRecords: RecordStore {
    private let queue = SerialQueue("records")
    private let database: Database
    private let group: GroupCommit
    private let leases: LeaseTable

    /// The queue that the store works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates a store by opening the file at `path` and checking its soundness. Reads the whole file: call it once, not
    /// on the main thread.
    ///
    /// - Parameters:
    ///   - path: the path of the file; its folder has to exist.
    ///   - creating: true if a missing file is created.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws(JournalError) {
        try self.init(JournalFile(path: path, isMade: creating, schema: .records))
    }

    package init(_ file: JournalFile, random: any RandomSource = SystemRandomSource()) throws(JournalError) {
        database = try file.open(random.hex(16))
        group = GroupCommit(database)
        try database.execute("PRAGMA synchronous = FULL")
        leases = try LeaseTable(database, random, key: LeaseTable.roomKey)
    }

    // MARK: Changes

    /// Makes one change.
    ///
    /// - Throws: ``/PaymentCore/RecordError/leaseLost(_:)``, what `decide` throws, or ``/PaymentRouting/JournalError``.
    public func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        // The transaction may be made a second time. Its last result holds.
        let refusal = Refusal()
        try await write { [self] () throws(JournalError) in
            let error = try refusing(ranges, under: lease, at: now, decide)
            refusal.error.withLock { $0 = error }
        }
        if let error = refusal.error.withLock({ $0 }) { throw error }
    }

    /// The error for which a change was not made.
    private final class Refusal: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    /// Makes one change as a part of a transaction.
    ///
    /// - Returns: the error for which nothing was written; nil if the change was made.
    private func refusing(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: ([[StoredRecord]]) throws -> [RecordWrite]
    ) throws(JournalError) -> (any Error)? {
        if let lease, !(try renewed(lease, at: now)) { return RecordError.leaseLost(lease.room) }
        var found: [[StoredRecord]] = []
        for range in ranges { found.append(try read(range)) }
        let writes: [RecordWrite]
        do { writes = try decide(found) } catch { return error }
        for write in writes { try make(write) }
        return nil
    }

    /// Makes a transaction that is on the disk at the end, and shares the wait with others.
    private func write(_ body: @escaping GroupCommit.Write) async throws(JournalError) {
        let answer: GroupCommit.Answer = await withCheckedContinuation { continuation in
            if group.add(body, { continuation.resume(returning: $0) }) { Task { commit() } }
        }
        try answer.get()
    }

    private func commit() { group.commit() }

    private func make(_ write: RecordWrite) throws(JournalError) {
        let key = Self.values(write.key)
        switch write {
        case .remove: try database.run("DELETE FROM record WHERE kind = ?1 AND room = ?2 AND name = ?3", key)
        case .put(_, let value, let marks):
            let number = try database.number(
                """
                INSERT INTO record (kind, room, name, value) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (kind, room, name) DO UPDATE SET value = excluded.value RETURNING number
                """, key + [.bytes(value)])
            guard let number else { throw .inaccessible(path: database.path, detail: "a record was not stored") }
            try database.run("DELETE FROM mark WHERE record = ?1", [.integer(number)])
            for (name, mark) in marks {
                try database.run(
                    "INSERT INTO mark (kind, name, value, record) VALUES (?1, ?2, ?3, ?4)",
                    [.text(write.key.room.kind), .text(name), .text(mark.text), .integer(number)])
            }
        }
    }

    private static func values(_ key: RecordKey) -> [Database.Value] { values(key.room) + [.text(key.name)] }

    private static func values(_ room: RecordRoom) -> [Database.Value] { [.text(room.kind), .text(room.name)] }

    // MARK: Reading

    /// Returns the records of each range.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func records(_ ranges: [RecordRange]) throws -> [[StoredRecord]] {
        try database.reading { () throws(JournalError) in
            var found: [[StoredRecord]] = []
            for range in ranges { found.append(try read(range)) }
            return found
        }
    }

    private func read(_ range: RecordRange) throws(JournalError) -> [StoredRecord] {
        var (end, values) = ("", Self.values(range.room) + [.text(range.first)])
        if let name = range.end {
            end = "AND name < ?4"
            values.append(.text(name))
        }
        var found: [StoredRecord] = []
        try database.forEach(
            """
            SELECT name, value, number FROM record
            WHERE kind = ?1 AND room = ?2 AND name >= ?3 \(end) ORDER BY name
            """, values
        ) { (statement) throws(JournalError) in
            let cells = StatementCells(statement: statement)
            found.append(
                StoredRecord(
                    key: RecordKey(range.room, cells.text(0)), value: cells.bytes(1), place: cells.integer(2)))
        }
        return found
    }

    /// Returns the records of a kind that have a mark, in the order of its value.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func records(_ query: RecordQuery) throws -> [StoredRecord] {
        let (conditions, values) = query.conditions {
            .text($0.text)
        } place: {
            "?\($0)"
        }
        let direction = query.isReversed ? "DESC" : "ASC"
        var found: [StoredRecord] = []
        try database.forEach(
            """
            SELECT record.room, record.name, record.value, record.number
            FROM mark JOIN record ON record.number = mark.record WHERE \(conditions)
            ORDER BY mark.value \(direction), mark.record \(direction) LIMIT ?\(values.count + 1)
            """, values + [.integer(Int64(max(0, query.limit)))]
        ) { (statement) throws(JournalError) in
            let cells = StatementCells(statement: statement)
            found.append(
                StoredRecord(
                    key: RecordKey(query.kind, room: cells.text(0), name: cells.text(1)), value: cells.bytes(2),
                    place: cells.integer(3)))
        }
        return found
    }

    // MARK: Leases

    /// Takes the lease of a room, unless another holder has it, its process lives, and it renewed the lease within its
    /// duration.
    ///
    /// - Returns: true if the lease was taken.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func acquire(_ lease: RecordLease, at now: Date) throws -> Bool {
        // A lease may be lost in a power failure: its holder is gone as well.
        try database.unsynced { () throws(JournalError) in
            try leases.acquire(Self.values(lease.room), by: lease.holder, until: lease.end(from: now), at: now)
        }
    }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``/PaymentCore/RecordError/leaseLost(_:)``; ``/PaymentRouting/JournalError``.
    public func renew(_ lease: RecordLease, at now: Date) throws {
        let isHeld = try database.unsynced { () throws(JournalError) in try renewed(lease, at: now) }
        guard isHeld else { throw RecordError.leaseLost(lease.room) }
    }

    private func renewed(_ lease: RecordLease, at now: Date) throws(JournalError) -> Bool {
        try leases.renew(Self.values(lease.room), by: lease.holder, until: lease.end(from: now))
    }

    /// Releases a lease.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``; the lease then ends by itself.
    public func release(_ lease: RecordLease) throws {
        try database.unsynced { () throws(JournalError) in
            try leases.release(Self.values(lease.room), by: lease.holder)
        }
    }
}

extension RecordQuery {
    /// Returns the SQL conditions on the rows of `mark`, and their values.
    ///
    /// - Parameters:
    ///   - value: returns the value that a mark is stored as.
    ///   - place: returns the placeholder of a value by its number.
    package func conditions(
        _ value: (RecordMark) -> Database.Value, place: (Int) -> String
    ) -> (sql: String, values: [Database.Value]) {
        var values = [value(RecordMark(kind)), value(RecordMark(mark))]
        var conditions = ["mark.kind = \(place(1))", "mark.name = \(place(2))"]
        func add(_ condition: String, _ more: [Database.Value]) {
            let first = values.count + 1
            values += more
            let places = more.indices.map { place(first + $0) }.joined(separator: ", ")
            conditions.append("\(condition) (\(places))")
        }
        if let least { add("mark.value >=", [value(least)]) }
        if let greatest { add("mark.value <=", [value(greatest)]) }
        if let position {
            add(
                "(mark.value, mark.record) \(isReversed ? "<" : ">")", [value(position.mark), .integer(position.place)])
        }
        return (conditions.joined(separator: " AND "), values)
    }
}

extension Schema {
    /// The tables of a file of records. A number is never used again, so the order of records that were removed and
    /// stored again is that of their last coming.
    static let records = Schema(
        kind: .records,
        steps: [
            """
            CREATE TABLE record (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                kind TEXT NOT NULL,
                room TEXT NOT NULL,
                name TEXT NOT NULL,
                value BLOB NOT NULL,
                UNIQUE (kind, room, name)
            ) STRICT;
            CREATE TABLE mark (
                kind TEXT NOT NULL,
                name TEXT NOT NULL,
                value TEXT NOT NULL,
                record INTEGER NOT NULL REFERENCES record (number) ON DELETE CASCADE,
                PRIMARY KEY (kind, name, value, record)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX mark_record ON mark (record);
            \(LeaseTable.definition(LeaseTable.roomKey))
            """
        ], longest: RecordError.longestValue + 65_536)
}
