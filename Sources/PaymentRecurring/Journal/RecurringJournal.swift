import PaymentCore
public import PaymentRouting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The durable memory of plans and their periods, shared by any number of workers.
///
/// Two rules keep a period from being charged twice. A plan is stored only by a worker that has read its present
/// revision, together with the periods that it opens (``store(_:opening:)``), so each period is opened once. A period
/// is written only under the lease of its payment (``RecurringCharge/reference``), as in a ``PaymentJournal``.
///
/// All writes survive the end of the process and of the machine when a method returns. Leases need not survive the
/// machine. `RecurringConformance` in `PaymentRecurringTesting` checks any journal against this.
public protocol RecurringJournal: LeaseStore {
    // MARK: Plans

    /// Stores a plan, new or changed, and the periods that it opens: all of it or nothing.
    ///
    /// - Parameters:
    ///   - plan: the plan. Its revision is the one that is stored: zero for a new plan.
    ///   - charges: the periods that are opened.
    /// - Returns: the plan as it is stored now, with the next revision.
    /// - Throws: ``RecurringJournalError``; `changedPlan` when another worker has stored it in the meantime.
    ///   ``JournalError`` when the storage fails.
    func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan

    /// Returns a plan.
    ///
    /// - Returns: the plan; nil when there is none of this name.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan?

    /// Returns all plans, by name.
    ///
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func plans() async throws -> [RecurringPlan]

    /// Returns plans whose next period, which was not opened yet, begins at `date` or before: the longest due first.
    ///
    /// - Parameters:
    ///   - date: a moment. Plans that may be charged ahead of a period's beginning count from then.
    ///   - limit: the most plans.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan]

    // MARK: Periods

    /// Writes the progress of a period, and renews the lease.
    ///
    /// - Parameters:
    ///   - charge: the period.
    ///   - lease: the lease of its payment, held by the caller.
    ///   - now: the holder's time.
    /// - Throws: ``RecurringJournalError``; `unknownCharge`, or `finishedCharge` when it was paid or missed before.
    ///   ``JournalError``; `leaseLost`.
    func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws

    /// Writes a period as it is to be opened again, and renews the lease. A clock that was ahead has opened it, and may
    /// have caused it to be missed.
    ///
    /// - Parameters:
    ///   - charge: the period.
    ///   - lease: the lease of its payment, held by the caller.
    ///   - now: the holder's time.
    /// - Throws: ``RecurringJournalError``; `unknownCharge`, or `finishedCharge` when the stored period is not
    ///   ``RecurringCharge/isUntouched``. ``JournalError``; `leaseLost`.
    func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws

    /// Returns a period.
    ///
    /// - Returns: the period; nil when it was not opened.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge?

    /// Returns all periods of a plan that were opened, by number.
    ///
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge]

    /// Returns periods that are not final and may be looked at by `date`: the longest waiting first.
    ///
    /// - Parameters:
    ///   - date: a moment, compared with ``RecurringCharge/notBefore``.
    ///   - limit: the most periods.
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge]

    // MARK: Time

    /// Returns the latest time that any worker trusted; nil before the first.
    ///
    /// - Throws: ``JournalError`` when the storage cannot be read.
    func trustedTime() async throws -> Date?

    /// Notes a time that is trusted.
    ///
    /// - Parameters:
    ///   - date: the time.
    ///   - isCorrection: true if an earlier time replaces a later one, too.
    /// - Throws: ``JournalError`` when the storage fails.
    func trust(_ date: Date, isCorrection: Bool) async throws
}

/// Why a journal of plans did not write.
@nonexhaustive
public enum RecurringJournalError: Error, Sendable, Hashable {
    /// The plan has changed since it was read, or there is a plan of this name already.
    case changedPlan(RecurringPlan.ID)
    /// The period was opened before, or is not the plan's next.
    case misplacedCharge(RecurringCharge.ID)
    /// The period was not opened.
    case unknownCharge(RecurringCharge.ID)
    /// The period was paid or missed. Nothing can change that.
    case finishedCharge(RecurringCharge.ID)
}

extension RecurringJournalError: CustomStringConvertible {
    /// The event and the remedy, for people.
    public var description: String {
        switch self {
        case .changedPlan(let id): "the plan \(id) was changed meanwhile by another caller; read it again"
        case .misplacedCharge(let id): "the period \(id) is not the next one that the plan opens; read the plan again"
        case .unknownCharge(let id): "the period \(id) was not opened; nothing can be written of it"
        case .finishedCharge(let id): "the period \(id) has been paid or missed; nothing can be written of it"
        }
    }
}

extension RecurringPlan {
    /// The date from which a journal lists the plan as due; nil if it never does.
    public var dueDate: Date? { nextPeriod?.start.addingTimeInterval(-(openedBefore / .seconds(1))) }

    /// Checks a plan that a journal is to store against the stored one.
    ///
    /// - Parameters:
    ///   - charges: the periods that the plan opens.
    ///   - stored: the plan that is stored; nil when there is none.
    /// - Throws: ``RecurringJournalError``.
    public func checkStoring(
        _ charges: [RecurringCharge], over stored: RecurringPlan?
    ) throws(RecurringJournalError) {
        guard revision == stored?.revision ?? 0, id == stored?.id ?? id else { throw .changedPlan(id) }
        // The opened periods are those between the two, without a gap. No period is opened twice, and none is skipped.
        var number = stored?.next ?? schedule.firstNumber
        guard next == number + charges.count else { throw .changedPlan(id) }
        for charge in charges {
            guard charge.id == RecurringCharge.ID(plan: id, number: number) else { throw .misplacedCharge(charge.id) }
            number += 1
        }
    }
}

/// A journal of plans that loses everything with the process: for tests, previews and demonstrations.
public actor InMemoryRecurringJournal: RecurringJournal {
    private var stored: [RecurringPlan.ID: RecurringPlan] = [:]
    /// The due dates of plans that have one. They are kept because computing them takes a calendar.
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

    /// Returns the latest time that any worker trusted, or nil.
    public func trustedTime() -> Date? { time }

    /// Notes a time that is trusted.
    public func trust(_ date: Date, isCorrection: Bool) {
        time = isCorrection ? date : max(time ?? date, date)
    }
}
