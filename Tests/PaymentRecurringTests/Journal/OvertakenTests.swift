import Foundation
import PaymentCore
import PaymentRecurring
import TestSupport
import Testing

@Suite("Periods that another worker has had until just now")
struct OvertakenTests {
    @Test("A period that it has begun is asked about, not paid again")
    func begun() async throws {
        let (clock, base, payer) = (VirtualClock(), InMemoryRecords(), ScriptedPayer())
        payer.answers = [.answer(.unknown("?"))]
        let quicker = RecurringScheduler(store: base, payer: payer, clock: clock)
        try await quicker.add(try Self.plan(clock))
        let scheduler = RecurringScheduler(
            store: OvertakenRecords(base) { try await quicker.look() }, payer: payer, clock: clock)
        try await scheduler.look()
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(payer.calls.first == "pay gym/0" && payer.calls.filter { $0.hasPrefix("pay") }.count == 1)
        #expect(payer.calls.last == "fate gym/0")
    }

    @Test("A period that it has begun is not refused any more")
    func refused() async throws {
        let (clock, base, payer) = (VirtualClock(), InMemoryRecords(), ScriptedPayer())
        payer.answers = [.answer(.notNow("offline")), .answer(.unknown("?"))]
        let quicker = RecurringScheduler(store: base, payer: payer, clock: clock)
        let plan = try Self.plan(clock)
        try await quicker.add(plan)
        try await quicker.look()
        clock.advance(by: .seconds(3600))
        let period = RecurringCharge.ID(plan: plan.id, number: 0)
        let scheduler = RecurringScheduler(
            store: OvertakenRecords(base) { try await quicker.look() }, payer: payer, clock: clock)
        await #expect(throws: RecurringAnswerError.tooLate(period)) { try await scheduler.refuse(period) }
        #expect(try await RecurringPlans(base).charge(period)?.state == .unknown("?"))
    }

    @Test("A period that it has put off is not paid at once again")
    func putOff() async throws {
        let (clock, base, payer) = (VirtualClock(), InMemoryRecords(), ScriptedPayer())
        payer.answers = [.answer(.notNow("offline"))]
        let quicker = RecurringScheduler(store: base, payer: payer, clock: clock)
        try await quicker.add(try Self.plan(clock))
        let scheduler = RecurringScheduler(
            store: OvertakenRecords(base) { try await quicker.look() }, payer: payer, clock: clock)
        try await scheduler.look()
        #expect(payer.calls == ["pay gym/0"])
        clock.advance(by: .seconds(60))
        try await scheduler.look()
        #expect(payer.calls == ["pay gym/0", "pay gym/0"])
    }

    private static func plan(_ clock: VirtualClock) throws -> RecurringPlan {
        try RecurringPlan("gym", from: clock.now, RecurringPolicy(.all))
    }
}
