import PaymentCore
import PaymentRouting
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The journal of one process, with a witness of attempts without a question.
struct WitnessedJournal: PaymentJournal, AttemptArchive, SpendingStore {
    private let base: any PaymentJournal & SpendingStore
    private let disk: SimulatedDisk
    private let witness: Witness
    private let excess: @Sendable (PaymentAttempt) async -> [String]
    private let breach: @Sendable (String) async -> Void

    /// A journal without a spending store stays as it is: nothing is paid without a question over it.
    ///
    /// - Parameters:
    ///   - excess: returns by what an attempt that is opened without a question exceeds the limits.
    ///   - breach: called with each, once the attempt is open.
    static func around(
        _ journal: any PaymentJournal, on disk: SimulatedDisk, _ witness: Witness,
        excess: @escaping @Sendable (PaymentAttempt) async -> [String],
        breach: @escaping @Sendable (String) async -> Void
    ) -> any PaymentJournal {
        guard let base = journal as? any PaymentJournal & SpendingStore else { return journal }
        return WitnessedJournal(base: base, disk: disk, witness: witness, excess: excess, breach: breach)
    }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        // Before it is stored: a process that crashes then leaves an attempt that others resume.
        var texts: [String] = []
        if attempt.reference.isPayment {
            witness.opens(attempt.id)
            if witness.isUnasked(attempt.id) { texts = await excess(attempt) }
        }
        try await base.open(attempt, under: lease)
        // One that has lost its lease is not opened, and pays nothing.
        for text in texts { await breach(text) }
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool { try await base.acquire(lease, at: now) }
    func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: PaymentLease) async throws { try await base.release(lease) }
    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await base.append(entry, to: attempt, under: lease)
    }
    func history(of attempt: AttemptID) async throws -> AttemptHistory? { try await base.history(of: attempt) }
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await base.histories(of: payment)
    }
    func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        try await base.refunds(relatedTo: refund)
    }
    func unfinished() async throws -> [AttemptHistory] { try await base.unfinished() }
    func attempts(_ query: AttemptQuery) async throws -> AttemptPage {
        _ = try await base.unfinished()
        return AttemptPage(histories: disk.histories.filter(query.includes).suffix(query.limit), next: nil)
    }
    /// Nothing in a history is old enough.
    func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int { 0 }

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await base.reserve(spending, within: limits, counting: worths)
    }
    func commit(_ attempt: AttemptID) async throws { try await base.commit(attempt) }
    func release(_ attempt: AttemptID) async throws { try await base.release(attempt) }
    func spending(of attempt: AttemptID) async throws -> SpendingRecord? { try await base.spending(of: attempt) }
    func reservedSpendings() async throws -> [SpendingRecord] { try await base.reservedSpendings() }
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] { try await base.spendings(since: day) }
}
