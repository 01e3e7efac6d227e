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

    func open(_ attempt: PaymentAttempt) async throws {
        guard let writer else { return try await base.open(attempt, under: lease) }
        try await writer.open(attempt, under: lease)
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID) async throws {
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
