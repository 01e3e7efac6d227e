public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The plans and their periods in a store of records, shared by any number of workers.
///
/// ```swift
/// let store = try SQLiteRecords(path: path)
/// let scheduler = RecurringScheduler(store: store, payer: payer)
/// let charges = try await RecurringPlans(store).charges(of: plan.id)
/// ```
///
/// Two rules keep a period from being charged twice. A plan is stored only by a worker that has read its present
/// revision, together with the periods that it opens, so each period is opened once. A period is written only under its
/// lease.
public struct RecurringPlans: Sendable {
    package let store: any RecordStore
    private static let page = 200

    /// Creates plans in a store. Any number of schedulers may share it.
    public init(_ store: any RecordStore) { self.store = store }

    // MARK: Plans

    /// Returns a plan.
    ///
    /// - Returns: the plan; nil when there is none of this name.
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    public func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? {
        try await store.record(StoredPlan.key(id)).map(StoredPlan.read)
    }

    /// Returns all plans, by name.
    ///
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    public func all() async throws -> [RecurringPlan] {
        var plans: [RecurringPlan] = []
        var last: RecordQuery.Position?
        while true {
            let found = try await store.records(
                RecordQuery(StoredPlan.kind, by: StoredPlan.nameMark, after: last, limit: Self.page))
            plans += try found.map(StoredPlan.read)
            guard let record = found.last, found.count == Self.page else { return plans }
            last = RecordQuery.Position(RecordMark(record.key.room.name), record.place)
        }
    }

    /// Returns plans whose next period, which was not opened yet, begins at `date` or before: the longest due first.
    ///
    /// - Parameters:
    ///   - date: a moment. Plans that may be charged ahead of a period's beginning count from then.
    ///   - limit: the most plans.
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    package func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
        try await store.records(
            RecordQuery(StoredPlan.kind, by: StoredPlan.dueMark, through: RecordMark(date), limit: limit)
        ).map(StoredPlan.read)
    }

    /// Stores a plan, new or changed, and the periods that it opens: all of it or nothing.
    ///
    /// - Parameters:
    ///   - plan: the plan. Its revision is the one that is stored: zero for a new plan.
    ///   - charges: the periods that are opened.
    /// - Returns: the plan as it is stored now, with the next revision.
    /// - Throws: ``RecurringPlanError``; `changedPlan` when another worker has stored it in the meantime. The
    ///   storage's failure.
    @discardableResult
    package func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
        let stored = plan.stored
        let writes = [try StoredPlan.write(stored)] + (try charges.map(StoredCharge.write))
        let opened = StoredCharge.range(of: plan.id, from: plan.next - charges.count)
        return try await store.change([.record(StoredPlan.key(plan.id)), opened]) { found in
            try plan.checkStoring(charges, over: found[0].first.map(StoredPlan.read))
            // No period is opened twice, whatever the plan says.
            if let record = found[1].first {
                throw RecurringPlanError.misplacedCharge(try StoredCharge.read(record).id)
            }
            return RecordChange(writes, stored)
        }
    }

    // MARK: Periods

    /// Returns a period.
    ///
    /// - Returns: the period; nil when it was not opened.
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    public func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? {
        try await store.record(StoredCharge.key(id)).map(StoredCharge.read)
    }

    /// Returns all periods of a plan that were opened, by number.
    ///
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    public func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] {
        try await charges(of: plan, from: .min)
    }

    /// Returns the periods of a plan from a number on.
    ///
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    package func charges(of plan: RecurringPlan.ID, from number: Int) async throws -> [RecurringCharge] {
        try await store.records([StoredCharge.range(of: plan, from: number)])[0].map(StoredCharge.read)
    }

    /// Returns periods that are not final and may be looked at by `date`: the longest waiting first.
    ///
    /// - Parameters:
    ///   - date: a moment, compared with ``RecurringCharge/notBefore``.
    ///   - limit: the most periods.
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    package func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
        try await store.records(
            RecordQuery(StoredPlan.kind, by: StoredCharge.lookMark, through: RecordMark(date), limit: limit)
        ).map(StoredCharge.read)
    }

    /// Returns the lease of a period's payment.
    ///
    /// - Parameters:
    ///   - id: the period.
    ///   - holder: the holder's id.
    ///   - duration: the time that the holder may be silent.
    package static func lease(of id: RecurringCharge.ID, holder: String, duration: Duration) -> RecordLease {
        RecordLease(RecordRoom("plan-period", id.description), holder: holder, duration: duration)
    }

    /// Writes the progress of a period, and renews the lease.
    ///
    /// - Parameters:
    ///   - charge: the period.
    ///   - lease: its lease, held by the caller.
    ///   - now: the holder's time.
    /// - Throws: ``RecurringPlanError``; `unknownCharge`, or `finishedCharge` when it was paid or missed before.
    ///   `RecordError.leaseLost`, or the storage's failure.
    package func write(_ charge: RecurringCharge, under lease: RecordLease, at now: Date) async throws {
        try await write(charge, under: lease, at: now) { !$0.state.isFinal }
    }

    /// Writes a period as it is to be opened again, and renews the lease. A clock that was ahead has opened it, and may
    /// have caused it to be missed.
    ///
    /// - Parameters:
    ///   - charge: the period.
    ///   - lease: its lease, held by the caller.
    ///   - now: the holder's time.
    /// - Throws: ``RecurringPlanError``; `unknownCharge`, or `finishedCharge` when the stored period is not
    ///   ``RecurringCharge/isUntouched``. `RecordError.leaseLost`, or the storage's failure.
    package func reopen(_ charge: RecurringCharge, under lease: RecordLease, at now: Date) async throws {
        try await write(charge, under: lease, at: now) { $0.isUntouched }
    }

    private func write(
        _ charge: RecurringCharge, under lease: RecordLease, at now: Date,
        where mayChange: @escaping @Sendable (RecurringCharge) -> Bool
    ) async throws {
        let room = Self.lease(of: charge.id, holder: lease.holder, duration: lease.duration).room
        guard lease.room == room else { throw RecordError.leaseLost(room) }
        let write = try StoredCharge.write(charge)
        try await store.change([.record(write.key)], under: lease, at: now) { found in
            guard let stored = try found[0].first.map(StoredCharge.read) else {
                throw RecurringPlanError.unknownCharge(charge.id)
            }
            guard mayChange(stored) else { throw RecurringPlanError.finishedCharge(charge.id) }
            return RecordChange([write], ())
        }
    }

    // MARK: Time

    /// Returns the date of the next look: that of the plan or the period that is due first; nil if there is none.
    ///
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    package func nextLook() async throws -> Date? {
        let plan = try await plans(dueBy: .distantFuture, limit: 1).first?.dueDate
        let charge = try await openCharges(by: .distantFuture, limit: 1).first?.notBefore
        return [plan, charge].compactMap(\.self).min()
    }

    /// Returns the latest time that any worker trusted; nil before the first.
    ///
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    package func trustedTime() async throws -> Date? { try await store.record(StoredTime.key).map(StoredTime.read) }

    /// Notes a time that is trusted.
    ///
    /// - Parameters:
    ///   - date: the time.
    ///   - isCorrection: true if an earlier time replaces a later one, too.
    /// - Throws: ``RecurringPlanError/damaged(_:)``, or the storage's failure.
    package func trust(_ date: Date, isCorrection: Bool) async throws {
        let write = try StoredTime.write(date)
        try await store.change([.record(write.key)]) { found in
            let known = isCorrection ? nil : try found[0].first.map(StoredTime.read)
            return RecordChange(known.map { $0 >= date } ?? false ? [] : [write], ())
        }
    }
}

/// Why plans were not read or not written.
@nonexhaustive
public enum RecurringPlanError: Error, Sendable, Hashable {
    /// The plan has changed since it was read, or there is a plan of this name already.
    case changedPlan(RecurringPlan.ID)
    /// The period was opened before, or is not the plan's next.
    case misplacedCharge(RecurringCharge.ID)
    /// The period was not opened.
    case unknownCharge(RecurringCharge.ID)
    /// The period was paid or missed. Nothing can change that.
    case finishedCharge(RecurringCharge.ID)
    /// A record cannot be read; the text names it.
    case damaged(String)
}

extension RecurringPlanError: CustomStringConvertible {
    /// The event and the remedy, for people.
    public var description: String {
        switch self {
        case .changedPlan(let id): "the plan \(id) was changed meanwhile by another caller; read it again"
        case .misplacedCharge(let id): "the period \(id) is not the next one that the plan opens; read the plan again"
        case .unknownCharge(let id): "the period \(id) was not opened; nothing can be written of it"
        case .finishedCharge(let id): "the period \(id) has been paid or missed; nothing can be written of it"
        case .damaged(let name): "\(name) cannot be read; keep the damaged store, and restore a copy"
        }
    }
}

extension RecurringPlan {
    /// The date from which the plan is due; nil if it never is.
    public var dueDate: Date? { nextPeriod?.start.addingTimeInterval(-(openedBefore / .seconds(1))) }

    /// Checks a plan that is to be stored against the stored one.
    ///
    /// - Parameters:
    ///   - charges: the periods that the plan opens.
    ///   - stored: the plan that is stored; nil when there is none.
    /// - Throws: ``RecurringPlanError``.
    package func checkStoring(
        _ charges: [RecurringCharge], over stored: RecurringPlan?
    ) throws(RecurringPlanError) {
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
