import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization
import TestSupport

/// Records with one event that happens once: at a look, before a plan is stored, between the reading of a period and its
/// lease, or after its release. Reads fail in the end, so no test runs without one.
final class OvertakenRecords: ForwardingRecords {
    let base: any RecordStore
    private let other: Mutex<(@Sendable () async throws -> Void)?>
    private let looking: Mutex<(@Sendable () async throws -> Void)?>
    private let storing: Mutex<(@Sendable () async throws -> Void)?>
    private let afterwards: Mutex<(@Sendable () async throws -> Void)?>
    private let readsLeft = Mutex(50_000)

    /// True if it lists plans as due that are not.
    private let listsAll: Bool

    init(
        _ base: InMemoryRecords, other: (@Sendable () async throws -> Void)? = nil,
        looking: (@Sendable () async throws -> Void)? = nil,
        storing: (@Sendable () async throws -> Void)? = nil,
        afterwards: (@Sendable () async throws -> Void)? = nil, listsAll: Bool = false
    ) {
        self.listsAll = listsAll
        self.base = base
        self.other = Mutex(other)
        self.looking = Mutex(looking)
        self.storing = Mutex(storing)
        self.afterwards = Mutex(afterwards)
    }

    private static func once(_ work: borrowing Mutex<(@Sendable () async throws -> Void)?>) async throws {
        let first = work.withLock { work in
            defer { work = nil }
            return work
        }
        try await first?()
    }

    private func read() throws {
        let isOver = readsLeft.withLock { left in
            left -= 1
            return left < 0
        }
        guard isOver else { return }
        withUnsafeCurrentTask { $0?.cancel() }
        throw JournalError.notAJournal(path: "it is read again and again")
    }

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        // A plan is its room's record without a name.
        if ranges[0].room.kind == StoredPlan.kind, ranges[0].first.isEmpty { try await Self.once(storing) }
        try await base.transact(ranges, under: lease, at: now, decide)
    }

    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] {
        try read()
        if ranges == [.record(StoredTime.key)] { try await Self.once(looking) }
        return try await base.records(ranges)
    }

    func records(_ query: RecordQuery) async throws -> [StoredRecord] {
        try read()
        guard listsAll, query.mark == StoredPlan.dueMark else { return try await base.records(query) }
        return try await base.records(RecordQuery(query.kind, by: StoredPlan.nameMark, limit: query.limit))
    }

    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        try await Self.once(other)
        return try await base.acquire(lease, at: now)
    }

    func release(_ lease: RecordLease) async throws {
        try await base.release(lease)
        try await Self.once(afterwards)
    }
}
