import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization
import TestSupport
import Testing

@Suite("Periods that another worker has had until just now")
struct OvertakenTests {
    /// A journal in which another worker does something between the reading of a period and its lease.
    private final class OvertakenJournal: RecurringJournal {
        let base: InMemoryRecurringJournal
        let other: Mutex<(@Sendable () async throws -> Void)?>

        init(_ base: InMemoryRecurringJournal, other: @escaping @Sendable () async throws -> Void) {
            self.base = base
            self.other = Mutex(other)
        }

        func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
            let work = other.withLock { work in
                defer { work = nil }
                return work
            }
            try await work?()
            return await base.acquire(lease, at: now)
        }
        func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
        func release(_ lease: PaymentLease) async throws { await base.release(lease) }
        func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
            try await base.store(plan, opening: charges)
        }
        func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? { await base.plan(id) }
        func plans() async throws -> [RecurringPlan] { await base.plans() }
        func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
            await base.plans(dueBy: date, limit: limit)
        }
        func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
            try await base.write(charge, under: lease, at: now)
        }
        func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
            try await base.reopen(charge, under: lease, at: now)
        }
        func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? { await base.charge(id) }
        func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] { await base.charges(of: plan) }
        func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
            await base.openCharges(by: date, limit: limit)
        }
        func trustedTime() async throws -> Date? { await base.trustedTime() }
        func trust(_ date: Date, isCorrection: Bool) async throws {
            await base.trust(date, isCorrection: isCorrection)
        }
    }

    @Test("A period that it has begun is asked about, not paid again")
    func begun() async throws {
        let (clock, base, payer) = (VirtualClock(), InMemoryRecurringJournal(), ScriptedPayer())
        payer.answers = [.answer(.unknown("?"))]
        let quicker = RecurringScheduler(journal: base, payer: payer, clock: clock)
        let plan = try RecurringPlan(
            id: RecurringPlan.ID(rawValue: "gym"), provider: "acme", amount: Money(minorUnits: 5, currency: .satoshi),
            schedule: RecurringSchedule(.daily, from: clock.now), policy: RecurringPolicy(.all))
        try await quicker.add(plan)
        let scheduler = RecurringScheduler(
            journal: OvertakenJournal(base) { try await quicker.look() }, payer: payer, clock: clock)
        try await scheduler.look()
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(payer.calls.first == "pay gym/0" && payer.calls.filter { $0.hasPrefix("pay") }.count == 1)
        #expect(payer.calls.last == "fate gym/0")
    }
}
