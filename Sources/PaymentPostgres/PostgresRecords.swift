public import PaymentCore
public import PaymentRouting
import PaymentStore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The records of several machines, in a PostgreSQL database.
///
/// What a change wrote is on the server's disk when it returns. Leases end by the server's clock: no machine sees if
/// another's process lives. A change whose answer is lost on the way is looked for on another connection, by a random
/// name that it has stored, and made again only if it was not made. Errors are ``/PaymentRouting/JournalError``.
public struct PostgresRecords: RecordStore {
    private let store: PostgresStore
    private let tables: Tables
    private let leases: LeaseRows
    private let random: any RandomSource
    private let known: KnownChanges

    /// The names of changes whose commit is known here. Later changes remove them.
    private final class KnownChanges: Sendable {
        private let names = Mutex<[String]>([])

        func add(_ more: [String]) { names.withLock { $0 += more } }

        /// Returns as many names as one change removes, and forgets them.
        func take() -> [String] {
            names.withLock { names in
                let taken = Array(names.suffix(100))
                names.removeLast(taken.count)
                return taken
            }
        }
    }

    /// Creates a record store in a deployment's schema, and its tables where they are missing. Any number of processes
    /// may do so.
    ///
    /// - Throws: ``/PaymentRouting/JournalError`` when the server cannot be used.
    public init(_ store: PostgresStore) async throws(JournalError) {
        try await self.init(store, random: SystemRandomSource())
    }

    init(_ store: PostgresStore, random: any RandomSource) async throws(JournalError) {
        self.store = store
        self.random = random
        tables = Tables(store.schema)
        leases = LeaseRows(store: store, table: tables.roomLease)
        known = KnownChanges()
        try await store.migrate(Tables.records)
        // No call looks for a change for so long. These are of programs that have ended since.
        _ = try await store.rows(
            Statement("DELETE FROM \(tables.change) WHERE made < \(PostgresStore.serverNow) - 86400"))
    }

    // MARK: Changes

    /// Makes one change.
    ///
    /// - Throws: ``/PaymentCore/RecordError/leaseLost(_:)``, what `decide` throws, or ``/PaymentRouting/JournalError``.
    public func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        let name = random.hex(32)
        let locks = tables.locking(Set(ranges.map(\.room)))
        var looks = locks + [Statement("SELECT 1 FROM \(tables.change) WHERE name = $1", [.text(name)])]
        if let lease { looks.append(leases.renewing(LeaseRows.Lease(lease), at: now)) }
        looks += ranges.map(reading)
        let (written, first) = (locks.count, looks.count - ranges.count)
        let others = known.take()
        let isWritten = try await keeping(others) {
            try await store.transaction(looks) { rows in
                // An earlier try was committed, and its answer lost. Its locks are free, so no other try is on its way.
                guard rows[written].isEmpty else { return .nothing(true) }
                if let lease, rows[first - 1].isEmpty { throw RecordError.leaseLost(lease.room) }
                let writes = try decide(
                    zip(ranges, rows[first...]).map { range, rows in records(rows, in: range.room) })
                guard !writes.isEmpty else { return lease == nil ? .nothing(false) : .write([], false) }
                let naming = Statement(
                    "INSERT INTO \(tables.change) (name, made) VALUES ($1, \(PostgresStore.serverNow))", [.text(name)])
                let forgetting = others.map {
                    Statement("DELETE FROM \(tables.change) WHERE name = $1", [.text($0)])
                }
                return .write(forgetting + [naming] + writes.flatMap(statements), true)
            }
        }
        known.add(isWritten ? [name] : others)
    }

    /// Makes a change that removes names. If it fails, a later one removes them.
    private func keeping(_ names: [String], _ change: () async throws -> Bool) async throws -> Bool {
        do { return try await change() } catch {
            known.add(names)
            throw error
        }
    }

    private func statements(_ write: RecordWrite) -> [Statement] {
        let key = Self.values(write.key.room) + [.text(write.key.name)]
        let isKey = "kind = $1 AND room = $2 AND name = $3"
        switch write {
        case .remove: return [Statement("DELETE FROM \(tables.record) WHERE \(isKey)", key)]
        case .put(_, let value, let marks):
            let number = "(SELECT number FROM \(tables.record) WHERE \(isKey))"
            return [
                Statement(
                    """
                    INSERT INTO \(tables.record) (kind, room, name, value) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (kind, room, name) DO UPDATE SET value = excluded.value
                    """, key + [.bytes(value)]),
                Statement("DELETE FROM \(tables.mark) WHERE record = \(number)", key),
            ]
                + marks.map { name, mark in
                    Statement(
                        "INSERT INTO \(tables.mark) (kind, name, value, record) VALUES ($1, $4, $5, \(number))",
                        key + [.text(name), .text(mark.text)])
                }
        }
    }

    private static func values(_ room: RecordRoom) -> [Database.Value] { [.text(room.kind), .text(room.name)] }

    // MARK: Reading

    /// Returns the records of each range.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] {
        guard !ranges.isEmpty else { return [] }
        // One statement, which sees one moment.
        var (parts, values): ([String], [Database.Value]) = ([], [])
        for (index, range) in ranges.enumerated() {
            let reading = reading(range, from: values.count)
            parts.append("SELECT \(index)::bigint AS place, * FROM (\(reading.text)) AS range\(index)")
            values += reading.values
        }
        let rows = try await store.rows(
            Statement(parts.joined(separator: "\nUNION ALL\n") + "\nORDER BY place, name", values))
        var found = ranges.map { _ in [StoredRecord]() }
        for cells in rows.cells {
            let index = Int(cells.integer(0))
            found[index].append(record(cells, in: ranges[index].room, from: 1))
        }
        return found
    }

    private func reading(_ range: RecordRange) -> Statement { reading(range, from: 0) }

    /// - Parameter count: the number of the statement's values before these.
    private func reading(_ range: RecordRange, from count: Int) -> Statement {
        var (end, values) = ("", Self.values(range.room) + [.text(range.first)])
        if let name = range.end {
            end = "AND name < $\(count + 4)"
            values.append(.text(name))
        }
        return Statement(
            """
            SELECT name, value, number FROM \(tables.record)
            WHERE kind = $\(count + 1) AND room = $\(count + 2) AND name >= $\(count + 3) \(end) ORDER BY name
            """, values)
    }

    private func records(_ rows: Rows, in room: RecordRoom) -> [StoredRecord] {
        rows.cells.map { record($0, in: room, from: 0) }
    }

    private func record(_ cells: BinaryCells, in room: RecordRoom, from place: Int32) -> StoredRecord {
        StoredRecord(
            key: RecordKey(room, cells.text(place)), value: cells.bytes(place + 1), place: cells.integer(place + 2))
    }

    /// Returns the records of a kind that have a mark, in the order of its value.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func records(_ query: RecordQuery) async throws -> [StoredRecord] {
        let (conditions, values) = query.conditions {
            .text($0.text)
        } place: {
            "$\($0)"
        }
        let direction = query.isReversed ? "DESC" : "ASC"
        let rows = try await store.rows(
            Statement(
                """
                SELECT record.room, record.name, record.value, record.number
                FROM \(tables.mark) JOIN \(tables.record) ON record.number = mark.record WHERE \(conditions)
                ORDER BY mark.value \(direction), mark.record \(direction) LIMIT $\(values.count + 1)
                """, values + [.integer(Int64(max(0, query.limit)))]))
        return rows.cells.map { record($0, in: RecordRoom(query.kind, $0.text(0)), from: 1) }
    }

    // MARK: Leases

    /// Takes the lease of a room, unless another holder renewed it within its duration.
    ///
    /// - Returns: true if the lease was taken.
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        try await leases.acquire(LeaseRows.Lease(lease), at: now)
    }

    /// Makes a held lease count from now on.
    ///
    /// - Throws: ``/PaymentCore/RecordError/leaseLost(_:)``; ``/PaymentRouting/JournalError``.
    public func renew(_ lease: RecordLease, at now: Date) async throws {
        guard try await leases.renew(LeaseRows.Lease(lease), at: now) else { throw RecordError.leaseLost(lease.room) }
    }

    /// Releases a lease.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``; the lease then ends by itself.
    public func release(_ lease: RecordLease) async throws { try await leases.release(LeaseRows.Lease(lease)) }
}
