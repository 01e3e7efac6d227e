import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The journal as whoever holds the lease of one payment uses it.
struct LeasedJournal: Sendable {
    let base: any PaymentJournal
    let lease: PaymentLease
    /// Seals what is written, where the application lends a key.
    let writer: SealedWriter?
    /// What all who use this lease have done.
    let steps = SharedSteps()
    /// Who carries the payment through and who brings news of it write one after the other.
    private let turns = AsyncMutex()

    func open(_ attempt: PaymentAttempt) async throws {
        guard let writer else { return try await base.open(attempt, under: lease) }
        try await writer.open(attempt, under: lease)
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID) async throws {
        try await inTurn { try await write(entry, to: attempt) }
    }

    /// Does `work` while nobody else who uses this lease writes: what it writes then, by ``write(_:to:)``, can follow
    /// from what it has read.
    func inTurn<Value>(_ work: () async throws -> Value) async throws -> Value {
        await turns.take()
        defer { turns.end() }
        return try await work()
    }

    /// Writes an entry. Only within ``inTurn(_:)``.
    func write(_ entry: JournalEntry, to attempt: AttemptID) async throws {
        guard let writer else { return try await base.append(entry, to: attempt, under: lease) }
        try await writer.append(entry, to: attempt, under: lease)
    }

    func renew(at now: Date) async throws { try await base.renew(lease, at: now) }

    func history(of attempt: AttemptID) async throws -> AttemptHistory? { try await base.history(of: attempt) }

    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await base.histories(of: payment)
    }
}

/// A clock for providers under way: a lease does not run out while its holder waits between two looks.
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
