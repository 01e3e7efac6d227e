public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A journal that forgets everything with the process: for tests, previews and demonstrations.
///
/// It keeps the order and the rules of a durable journal but survives no crash.
public actor InMemoryJournal: PaymentJournal {
    private struct Holding {
        let holder: String
        var end: Date
    }

    private var order: [AttemptID] = []
    private var attempts: [AttemptID: AttemptHistory] = [:]
    private var holdings: [PaymentReference: Holding] = [:]

    /// Makes an empty journal.
    public init() {}

    /// Takes the lease of a payment, unless another holder was heard of within its duration.
    public func acquire(_ lease: PaymentLease, at now: Date) -> Bool {
        if let holding = holdings[lease.payment], !holding.holder.isExactly(lease.holder), holding.end > now {
            return false
        }
        holdings[lease.payment] = Holding(holder: lease.holder, end: lease.end(from: now))
        return true
    }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``JournalError/leaseLost(_:)``.
    public func renew(_ lease: PaymentLease, at now: Date) throws {
        guard holdings[lease.payment]?.holder.isExactly(lease.holder) ?? false else {
            throw JournalError.leaseLost(lease.payment)
        }
        holdings[lease.payment]?.end = lease.end(from: now)
    }

    /// Gives a lease back.
    public func release(_ lease: PaymentLease) {
        if holdings[lease.payment]?.holder.isExactly(lease.holder) ?? false { holdings[lease.payment] = nil }
    }

    /// Keeps the beginning of an attempt.
    ///
    /// - Throws: ``JournalError``.
    public func open(_ attempt: PaymentAttempt, under lease: PaymentLease) throws {
        guard attempt.reference == lease.payment else { throw JournalError.leaseLost(attempt.reference) }
        try renew(lease, at: attempt.startedAt)
        guard attempts[attempt.id] == nil else { throw JournalError.duplicateAttempt(attempt.id) }
        if let open = histories(of: attempt.reference).first(where: { !$0.isFinished }) {
            throw JournalError.unfinishedAttempt(open.attempt.id)
        }
        order.append(attempt.id)
        attempts[attempt.id] = AttemptHistory(attempt: attempt)
    }

    /// Adds an entry.
    ///
    /// - Throws: ``JournalError``.
    public func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) throws {
        guard var history = attempts[attempt] else { throw JournalError.unknownAttempt(attempt) }
        guard history.attempt.reference == lease.payment else {
            throw JournalError.leaseLost(history.attempt.reference)
        }
        try renew(lease, at: entry.date)
        guard !history.isFinished else { throw JournalError.finishedAttempt(attempt) }
        history.entries.append(entry)
        if entry.isEnding { history.eraseInteractions() }
        attempts[attempt] = history
    }

    /// An attempt with all its entries, or nil.
    public func history(of attempt: AttemptID) -> AttemptHistory? { attempts[attempt] }

    /// All attempts at a payment, oldest first.
    public func histories(of payment: PaymentReference) -> [AttemptHistory] {
        order.compactMap { attempts[$0] }.filter { $0.attempt.reference == payment }
    }

    /// All attempts without a final outcome, oldest first.
    public func unfinished() -> [AttemptHistory] {
        order.compactMap { attempts[$0] }.filter { !$0.isFinished }
    }
}
