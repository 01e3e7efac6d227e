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
/// revision, together with the periods that it opens (``store(_:opening:)``), so that each period is opened once. And a
/// period is written about only under the lease of its payment (``RecurringCharge/reference``), as in a
/// ``PaymentJournal``.
///
/// All writes survive the end of the process and of the machine when a method returns; leases need not survive the
/// machine. `RecurringConformance` in `PaymentTesting` checks any journal against this.
public protocol RecurringJournal: LeaseStore {
    // MARK: Plans

    /// Stores a plan, new or changed, and the periods that it opens: all of it or nothing.
    ///
    /// - Parameters:
    ///   - plan: the plan. Its revision is the one that is stored: zero for a new plan.
    ///   - charges: the periods that are opened.
    /// - Returns: the plan as it is stored now, with the next revision.
    /// - Throws: ``RecurringJournalError``; `changedPlan` when another worker has stored it meanwhile. ``JournalError``
    ///   when the storage fails.
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

    /// Writes a period as it is to be opened again, and renews the lease: it was opened, and may be missed, by a clock
    /// that was ahead.
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

    /// The latest time that any worker trusted; nil before the first.
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

/// The reason for which a journal of plans refused to write.
@nonexhaustive
public enum RecurringJournalError: Error, Sendable, Hashable {
    /// The plan is not as it was when it was read; or there is one of this name already.
    case changedPlan(RecurringPlan.ID)
    /// The period was opened before, or is not the plan's next.
    case misplacedCharge(RecurringCharge.ID)
    /// The period was not opened.
    case unknownCharge(RecurringCharge.ID)
    /// The period was paid or missed; nothing can change that.
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
    /// The date from which a journal lists the plan as due; nil when it never is.
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
        // The opened periods are those between the two, without a gap: none is opened twice, and none is skipped.
        var number = stored?.next ?? schedule.firstNumber
        guard next == number + charges.count else { throw .changedPlan(id) }
        for charge in charges {
            guard charge.id == RecurringCharge.ID(plan: id, number: number) else { throw .misplacedCharge(charge.id) }
            number += 1
        }
    }
}
