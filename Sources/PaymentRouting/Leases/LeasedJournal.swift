import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The journal as the holder of one payment's lease uses it.
struct LeasedJournal: Sendable {
    let base: any PaymentJournal
    let lease: PaymentLease
    /// The journals of the payment that is captured, cancelled or refunded here, and of the refund's id; their leases
    /// are kept, and lost, together with this one.
    var outer: [LeasedJournal] = []
    /// Seals the entries, where the application provides a key.
    let writer: SealedWriter?
    /// The steps of all workers that use this lease.
    let steps = SharedSteps()
    /// The order of writes: the worker that carries the payment out and those that handle its outside events take
    /// turns.
    private let turns = AsyncMutex()

    /// Opens an attempt. Only within ``inTurn(_:)``.
    func open(_ attempt: PaymentAttempt) async throws {
        guard let writer else { return try await base.open(attempt, under: lease) }
        try await writer.open(attempt, under: lease)
    }

    /// Does `work` while no other user of this lease writes: its writes, by ``write(_:to:)``, can follow from its
    /// reads.
    nonisolated(nonsending) func inTurn<Value>(_ work: () async throws -> Value) async throws -> Value {
        await turns.take()
        defer { turns.end() }
        return try await work()
    }

    /// Writes an entry. Only within ``inTurn(_:)``.
    func write(_ entry: JournalEntry, to attempt: AttemptID) async throws {
        for journal in outer { try await base.renew(journal.lease, at: entry.date) }
        guard let writer else { return try await base.append(entry, to: attempt, under: lease) }
        try await writer.append(entry, to: attempt, under: lease)
    }

    /// Writes a person's decision, which ends an attempt whatever its record is worth. Only within ``inTurn(_:)``.
    func decide(_ entry: JournalEntry, on history: AttemptHistory) async throws {
        let sealed = try writer?.sealed(entry, on: history) ?? entry
        try await base.append(sealed, to: history.attempt.id, under: lease)
    }

    func renew(at now: Date) async throws {
        for journal in outer { try await base.renew(journal.lease, at: now) }
        try await base.renew(lease, at: now)
    }
}

/// A clock for providers at work: a lease does not run out while its holder waits between two queries.
struct LeasedClock: PaymentClock {
    let base: any PaymentClock
    let journal: LeasedJournal

    var now: Date { base.now }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws {
        // When the lease is lost or the journal fails, the next entry says so.
        try? await journal.renew(at: base.now)
        try await base.sleep(for: duration)
    }
}
