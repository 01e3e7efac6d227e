public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A journal that loses everything with the process: for tests, previews and demonstrations.
///
/// It keeps the order and the rules of a durable journal but survives no crash.
public actor InMemoryJournal: PaymentJournal, AttemptArchive, SpendingStore {
    /// Oldest first, each with its place.
    private var order: [(place: Int64, id: AttemptID)] = []
    private var places: Int64 = 0
    private var attempts: [AttemptID: AttemptHistory] = [:]
    private var leases = LeaseLedger()
    private var spendings = SpendingLedger()

    /// Creates an empty journal.
    public init() {}

    /// Takes the lease of a payment, unless another holder renewed it within its duration.
    ///
    /// - Returns: true if the lease was taken.
    public func acquire(_ lease: PaymentLease, at now: Date) -> Bool { leases.acquire(lease, at: now) }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``JournalError/leaseLost(_:)`` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) throws { try leases.renew(lease, at: now) }

    /// Releases a lease.
    public func release(_ lease: PaymentLease) { leases.release(lease) }

    /// Stores the beginning of an attempt.
    ///
    /// - Throws: ``JournalError``, by the rules of ``AttemptStore/open(_:under:)``.
    public func open(_ attempt: PaymentAttempt, under lease: PaymentLease) throws {
        guard attempt.reference == lease.payment else { throw JournalError.leaseLost(attempt.reference) }
        try renew(lease, at: attempt.startedAt)
        guard attempts[attempt.id] == nil else { throw JournalError.duplicateAttempt(attempt.id) }
        if let open = histories(of: attempt.reference).first(where: { !$0.isFinished }) {
            throw JournalError.unfinishedAttempt(open.attempt.id)
        }
        try spendings.checkOpening(of: attempt)
        places += 1
        order.append((places, attempt.id))
        attempts[attempt.id] = AttemptHistory(attempt: attempt)
    }

    /// Adds an entry.
    ///
    /// - Throws: ``JournalError``, by the rules of ``AttemptStore/append(_:to:under:)``.
    public func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) throws {
        guard var history = attempts[attempt] else { throw JournalError.unknownAttempt(attempt) }
        guard history.attempt.reference == lease.payment else {
            throw JournalError.leaseLost(history.attempt.reference)
        }
        try renew(lease, at: entry.date)
        guard history.takes(entry) else { throw JournalError.finishedAttempt(attempt) }
        history.entries.append(entry)
        if entry.isEnding { history.eraseInteractions() }
        attempts[attempt] = history
    }

    /// Returns an attempt with all its entries, or nil.
    public func history(of attempt: AttemptID) -> AttemptHistory? { attempts[attempt] }

    /// Returns all attempts at a payment, oldest first.
    public func histories(of payment: PaymentReference) -> [AttemptHistory] {
        order.compactMap { attempts[$0.id] }.filter { $0.attempt.reference == payment }
    }

    /// Returns all attempts at refunds that have the id of a refund, or are of its payment, oldest first.
    public func refunds(relatedTo refund: PaymentReference) -> [AttemptHistory] {
        order.compactMap { attempts[$0.id] }.filter { $0.attempt.reference.isRefund(relatedTo: refund) }
    }

    /// Returns all attempts without a final outcome, oldest first.
    public func unfinished() -> [AttemptHistory] {
        order.compactMap { attempts[$0.id] }.filter { !$0.isFinished }
    }

    // MARK: Archive

    /// Returns one page of the attempts that match a query.
    public func attempts(_ query: AttemptQuery) -> AttemptPage {
        var found: [(place: Int64, history: AttemptHistory)] = []
        for (place, id) in query.order == .oldestFirst ? order : order.reversed() {
            if let cursor = query.cursor?.position {
                guard query.order == .oldestFirst ? place > cursor : place < cursor else { continue }
            }
            guard let history = attempts[id], query.includes(history) else { continue }
            if found.count == query.limit {
                return AttemptPage(
                    histories: found.map(\.history), next: found.last.map { AttemptCursor(position: $0.place) })
            }
            found.append((place, history))
        }
        return AttemptPage(histories: found.map(\.history), next: nil)
    }

    /// Removes attempts that ended long ago.
    ///
    /// - Returns: the number of attempts removed.
    public func prune(endedBefore date: Date, keepingProofsSince proofs: Date) -> Int {
        let old = Set(
            attempts.values.filter { $0.isPruned(endedBefore: date, keepingProofsSince: proofs) }.map(\.attempt.id)
        ).subtracting(spendings.reserved.map(\.spending.attempt))
        spendings.forget(before: SpendingDay(date, in: .gmt))
        order.removeAll { old.contains($0.id) }
        for id in old { attempts[id] = nil }
        return old.count
    }

    // MARK: Spending

    /// Reserves a spending, unless a limit would be exceeded.
    ///
    /// - Throws: ``SpendingError``, by the rules of ``SpendingStore/reserve(_:within:counting:)``.
    public func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) throws -> SpendingVerdict {
        try spendings.reserve(spending, within: limits, counting: worths)
    }

    /// Marks a reservation as paid.
    ///
    /// - Throws: ``SpendingError/unknown(_:)``.
    public func commit(_ attempt: AttemptID) throws { try spendings.commit(attempt) }

    /// Releases a reservation.
    ///
    /// - Throws: ``SpendingError``, by the rules of ``SpendingStore/release(_:)``.
    public func release(_ attempt: AttemptID) throws {
        try spendings.release(attempt, isOpen: attempts[attempt]?.isFinished == false)
    }

    /// Returns the record of an attempt's spending, or nil.
    public func spending(of attempt: AttemptID) -> SpendingRecord? { spendings[attempt] }

    /// Returns all spendings that are reserved, oldest first.
    public func reservedSpendings() -> [SpendingRecord] { spendings.reserved }

    /// Returns all spendings of a day and later, oldest first.
    public func spendings(since day: SpendingDay) -> [SpendingRecord] { spendings.since(day) }
}

/// Leases that are lost with the process: the rules of ``LeaseStore``, without a storage.
package struct LeaseLedger {
    private struct Holding {
        let holder: String
        var end: Date
    }

    private var holdings: [PaymentReference: Holding] = [:]

    package init() {}

    package mutating func acquire(_ lease: PaymentLease, at now: Date) -> Bool {
        if let holding = holdings[lease.payment], !holding.holder.isExactly(lease.holder), holding.end > now {
            return false
        }
        holdings[lease.payment] = Holding(holder: lease.holder, end: lease.end(from: now))
        return true
    }

    package mutating func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        guard holdings[lease.payment]?.holder.isExactly(lease.holder) ?? false else { throw .leaseLost(lease.payment) }
        holdings[lease.payment]?.end = lease.end(from: now)
    }

    package mutating func release(_ lease: PaymentLease) {
        if holdings[lease.payment]?.holder.isExactly(lease.holder) ?? false { holdings[lease.payment] = nil }
    }
}
