import PaymentCore
public import PaymentRouting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A journal of plans that loses everything with the process: for tests, previews and demonstrations.
public actor InMemoryRecurringJournal: RecurringJournal {
    private var stored: [RecurringPlan.ID: RecurringPlan] = [:]
    /// The due dates of plans that have one; computing them takes a calendar.
    private var due: [RecurringPlan.ID: Date] = [:]
    private var charges: [RecurringPlan.ID: [RecurringCharge]] = [:]
    /// The periods that are not final yet.
    private var open: Set<RecurringCharge.ID> = []
    private var leases = LeaseLedger()
    private var time: Date?

    /// Creates an empty journal.
    public init() {}

    // MARK: Leases

    /// Takes the lease of a period's payment, unless another holder renewed it within its duration.
    ///
    /// - Returns: true if the lease was taken.
    public func acquire(_ lease: PaymentLease, at now: Date) -> Bool { leases.acquire(lease, at: now) }

    /// Makes a held lease count from `now` on.
    ///
    /// - Throws: ``JournalError/leaseLost(_:)`` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) throws { try leases.renew(lease, at: now) }

    /// Releases a lease.
    public func release(_ lease: PaymentLease) { leases.release(lease) }

    // MARK: Plans

    /// Stores a plan and the periods that it opens.
    ///
    /// - Throws: ``RecurringJournalError``.
    public func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) throws -> RecurringPlan {
        try plan.checkStoring(charges, over: stored[plan.id])
        stored[plan.id] = plan.stored
        due[plan.id] = plan.dueDate
        self.charges[plan.id, default: []] += charges
        open.formUnion(charges.filter { !$0.state.isFinal }.map(\.id))
        return plan.stored
    }

    /// Returns a plan, or nil.
    public func plan(_ id: RecurringPlan.ID) -> RecurringPlan? { stored[id] }

    /// Returns all plans, by name.
    public func plans() -> [RecurringPlan] {
        stored.values.sorted { $0.id.rawValue.utf8.lexicographicallyPrecedes($1.id.rawValue.utf8) }
    }

    /// Returns plans whose next period begins at `date` or before.
    public func plans(dueBy date: Date, limit: Int) -> [RecurringPlan] {
        due.filter { $0.value <= date }.sorted { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .prefix(limit).compactMap { stored[$0.key] }
    }

    // MARK: Periods

    /// Writes the progress of a period.
    ///
    /// - Throws: ``RecurringJournalError``, and ``JournalError/leaseLost(_:)``.
    public func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) throws {
        try write(charge, under: lease, at: now) { !$0.state.isFinal }
    }

    /// Writes a period as it is to be opened again.
    ///
    /// - Throws: ``RecurringJournalError``, and ``JournalError/leaseLost(_:)``.
    public func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) throws {
        try write(charge, under: lease, at: now, where: \.isUntouched)
    }

    private func write(
        _ charge: RecurringCharge, under lease: PaymentLease, at now: Date, where mayChange: (RecurringCharge) -> Bool
    ) throws {
        guard charge.reference == lease.payment else { throw JournalError.leaseLost(charge.reference) }
        try leases.renew(lease, at: now)
        guard let index = index(of: charge.id) else { throw RecurringJournalError.unknownCharge(charge.id) }
        guard charges[charge.id.plan].map({ mayChange($0[index]) }) == true else {
            throw RecurringJournalError.finishedCharge(charge.id)
        }
        charges[charge.id.plan]?[index] = charge
        if charge.state.isFinal { open.remove(charge.id) } else { open.insert(charge.id) }
    }

    /// Returns a period, or nil.
    public func charge(_ id: RecurringCharge.ID) -> RecurringCharge? {
        index(of: id).flatMap { charges[id.plan]?[$0] }
    }

    /// Returns all periods of a plan that were opened, by number.
    public func charges(of plan: RecurringPlan.ID) -> [RecurringCharge] { charges[plan] ?? [] }

    /// Returns periods that are not final and may be looked at by `date`.
    public func openCharges(by date: Date, limit: Int) -> [RecurringCharge] {
        open.compactMap { charge($0) }.filter { $0.notBefore <= date }.sorted {
            ($0.notBefore, $0.id.description) < ($1.notBefore, $1.id.description)
        }.prefix(limit).map(\.self)
    }

    /// Periods are opened one after the other, so their places are known.
    private func index(of id: RecurringCharge.ID) -> Int? {
        guard let list = charges[id.plan], let first = list.first?.id.number else { return nil }
        let index = id.number - first
        return list.indices.contains(index) ? index : nil
    }

    // MARK: Time

    /// The latest time that any worker trusted, or nil.
    public func trustedTime() -> Date? { time }

    /// Notes a time that is trusted.
    public func trust(_ date: Date, isCorrection: Bool) {
        time = isCorrection ? date : max(time ?? date, date)
    }
}
