import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization

/// A journal in which something happens once: at a look, before a plan is stored, between the reading of a period and
/// its lease, or after its release. It fails in the end, so that no test runs without one.
final class OvertakenJournal: RecurringJournal {
    let base: InMemoryRecurringJournal
    private let other: Mutex<(@Sendable () async throws -> Void)?>
    private let looking: Mutex<(@Sendable () async throws -> Void)?>
    private let storing: Mutex<(@Sendable () async throws -> Void)?>
    private let afterwards: Mutex<(@Sendable () async throws -> Void)?>
    private let readsLeft = Mutex(20_000)

    /// True if it lists plans as due that are not.
    private let listsAll: Bool

    init(
        _ base: InMemoryRecurringJournal, other: (@Sendable () async throws -> Void)? = nil,
        looking: (@Sendable () async throws -> Void)? = nil,
        storing: (@Sendable () async throws -> Void)? = nil,
        afterwards: (@Sendable () async throws -> Void)? = nil, listsAll: Bool = false
    ) {
        self.listsAll = listsAll
        self.base = base
        self.other = Mutex(other)
        self.looking = Mutex(looking)
        self.storing = Mutex(storing)
        self.afterwards = Mutex(afterwards)
    }

    private static func once(_ work: borrowing Mutex<(@Sendable () async throws -> Void)?>) async throws {
        let first = work.withLock { work in
            defer { work = nil }
            return work
        }
        try await first?()
    }

    private func read() throws {
        let isOver = readsLeft.withLock { left in
            left -= 1
            return left < 0
        }
        guard isOver else { return }
        withUnsafeCurrentTask { $0?.cancel() }
        throw JournalError.notAJournal(path: "it is read again and again")
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await Self.once(other)
        return await base.acquire(lease, at: now)
    }
    func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: PaymentLease) async throws {
        await base.release(lease)
        try await Self.once(afterwards)
    }
    func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
        try await Self.once(storing)
        return try await base.store(plan, opening: charges)
    }
    func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? {
        try read()
        return await base.plan(id)
    }
    func plans() async throws -> [RecurringPlan] { await base.plans() }
    func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
        try read()
        return await listsAll ? base.plans() : base.plans(dueBy: date, limit: limit)
    }
    func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await base.write(charge, under: lease, at: now)
    }
    func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await base.reopen(charge, under: lease, at: now)
    }
    func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? { await base.charge(id) }
    func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] {
        try read()
        return await base.charges(of: plan)
    }
    func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
        try read()
        return await base.openCharges(by: date, limit: limit)
    }
    func trustedTime() async throws -> Date? {
        try await Self.once(looking)
        return await base.trustedTime()
    }
    func trust(_ date: Date, isCorrection: Bool) async throws {
        await base.trust(date, isCorrection: isCorrection)
    }
}
