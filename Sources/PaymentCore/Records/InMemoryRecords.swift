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
        /// The keys of the records with a mark, by their kind and the mark's name. Without it, each query would look at
        /// every record.
        private var marked: [String: [String: Set<RecordKey>]] = [:]
        fileprivate var lastPlace: Int64 = 0

        package init() {}

        package var isEmpty: Bool { rooms.isEmpty }

        /// Removes the records that a condition holds for.
        package mutating func remove(where isRemoved: (RecordKey) -> Bool) {
            for key in rooms.values.flatMap(\.keys) where isRemoved(key) { write(.remove(key)) }
        }

        fileprivate func records(_ range: RecordRange) -> [StoredRecord] {
            if range.end?.isExactly(range.first + "\u{0}") == true {
                return record(RecordKey(range.room, range.first)).map { [$0] } ?? []
            }
            return (rooms[range.room] ?? [:]).keys.filter { range.contains($0.name) }
                .sorted { $0.name.precedes($1.name) }.compactMap(record)
        }

        private func record(_ key: RecordKey) -> StoredRecord? {
            rooms[key.room]?[key].map { StoredRecord(key: key, value: $0.value, place: $0.place) }
        }

        fileprivate func records(_ query: RecordQuery) -> [StoredRecord] {
            var found: [(mark: RecordMark, record: StoredRecord)] = []
            for key in marked[query.kind]?[query.mark] ?? [] where key.room.kind.isExactly(query.kind) {
                guard let mark = rooms[key.room]?[key]?.marks[query.mark], let record = record(key) else { continue }
                found.append((mark, record))
            }
            return query.found(among: found)
        }

        fileprivate mutating func write(_ write: RecordWrite) {
            let key = write.key
            let known = rooms[key.room]?[key]
            for name in (known?.marks ?? [:]).keys { marked[key.room.kind]?[name]?.remove(key) }
            switch write {
            case .put(_, let value, let marks):
                if known == nil { lastPlace += 1 }
                rooms[key.room, default: [:]][key] = Entry(
                    value: value, marks: marks, place: known?.place ?? lastPlace)
                for name in marks.keys { marked[key.room.kind, default: [:]][name, default: []].insert(key) }
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
    ///
    /// - Throws: ``RecordError/leaseLost(_:)``, or what `decide` throws.
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
