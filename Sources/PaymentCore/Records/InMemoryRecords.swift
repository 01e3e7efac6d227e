import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Records that are lost when the process ends: for tests, previews and demonstrations.
public final class InMemoryRecords: RecordStore {
    /// Everything that a store holds.
    package struct Content: Sendable {
        fileprivate struct Entry {
            var value: [UInt8]
            var marks: [String: RecordMark]
            let place: Int64
        }

        fileprivate var rooms: [RecordRoom: [RecordKey: Entry]] = [:]
        fileprivate var lastPlace: Int64 = 0

        package init() {}

        package var isEmpty: Bool { rooms.isEmpty }

        /// Removes the records that a condition holds for.
        package mutating func remove(where isRemoved: (RecordKey) -> Bool) {
            for key in rooms.values.flatMap(\.keys) where isRemoved(key) { write(.remove(key)) }
        }

        fileprivate func records(_ range: RecordRange) -> [StoredRecord] {
            (rooms[range.room] ?? [:]).filter { range.contains($0.key.name) }
                .map { StoredRecord(key: $0.key, value: $0.value.value, place: $0.value.place) }
                .sorted { $0.key.name.precedes($1.key.name) }
        }

        fileprivate func records(_ query: RecordQuery) -> [StoredRecord] {
            var marked: [(mark: RecordMark, record: StoredRecord)] = []
            for (room, entries) in rooms where room.kind.isExactly(query.kind) {
                for (key, entry) in entries {
                    guard let mark = entry.marks[query.mark] else { continue }
                    marked.append((mark, StoredRecord(key: key, value: entry.value, place: entry.place)))
                }
            }
            return query.found(among: marked)
        }

        fileprivate mutating func write(_ write: RecordWrite) {
            let key = write.key
            switch write {
            case .put(_, let value, let marks):
                let known = rooms[key.room]?[key]?.place
                if known == nil { lastPlace += 1 }
                rooms[key.room, default: [:]][key] = Entry(value: value, marks: marks, place: known ?? lastPlace)
            case .remove:
                rooms[key.room]?[key] = nil
                if rooms[key.room]?.isEmpty == true { rooms[key.room] = nil }
            }
        }
    }

    private struct State {
        var content = Content()
        var leases: [RecordRoom: (holder: String, end: Date)] = [:]

        /// Renews a lease.
        mutating func renew(_ lease: RecordLease, at now: Date) throws(RecordError) {
            guard let held = leases[lease.room], held.holder.isExactly(lease.holder) else {
                throw .leaseLost(lease.room)
            }
            leases[lease.room] = (lease.holder, lease.end(from: now))
        }
    }

    private let state = Mutex(State())

    /// Creates an empty store.
    public init() {}

    /// Everything that is stored, without the leases. A simulation takes it away, and puts it back.
    package var content: Content {
        get { state.withLock { $0.content } }
        set { state.withLock { $0.content = newValue } }
    }

    /// Makes one change.
    public func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        try state.withLock { state in
            if let lease { try state.renew(lease, at: now) }
            for write in try decide(ranges.map(state.content.records)) { state.content.write(write) }
        }
    }

    /// Returns the records of each range.
    public func records(_ ranges: [RecordRange]) async -> [[StoredRecord]] { ranges.map(content.records) }

    /// Returns the records of a kind that have a mark.
    public func records(_ query: RecordQuery) async -> [StoredRecord] { content.records(query) }

    /// Takes the lease of a room, unless another holder has renewed it within its duration.
    public func acquire(_ lease: RecordLease, at now: Date) async -> Bool {
        state.withLock { state in
            if let held = state.leases[lease.room], !held.holder.isExactly(lease.holder), held.end > now {
                return false
            }
            state.leases[lease.room] = (lease.holder, lease.end(from: now))
            return true
        }
    }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``RecordError/leaseLost(_:)``.
    public func renew(_ lease: RecordLease, at now: Date) async throws {
        try state.withLock { state in try state.renew(lease, at: now) }
    }

    /// Releases a lease.
    public func release(_ lease: RecordLease) async {
        state.withLock { state in
            if let held = state.leases[lease.room], held.holder.isExactly(lease.holder) {
                state.leases[lease.room] = nil
            }
        }
    }
}
