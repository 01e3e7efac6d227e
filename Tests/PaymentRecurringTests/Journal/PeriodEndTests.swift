import Foundation
import PaymentCore
import PaymentRecurring
import TestSupport
import Testing

/// The end of periods by their deadline, and the waits until then.
@Suite("The deadline of periods")
struct PeriodEndTests {
    private let clock = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000))
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()
    private let period = RecurringCharge.ID(plan: RecurringPlan.ID(rawValue: "gym"), number: 0)

    private func scheduler(grace: Duration) async throws -> RecurringScheduler {
        let scheduler = RecurringScheduler(store: store, payer: payer, clock: clock)
        try await scheduler.add(
            RecurringPlan(period.plan.rawValue, .weekly, from: clock.now, RecurringPolicy(grace: grace)))
        return scheduler
    }

    @Test(
        "A try whose outcome shows at the deadline, or later, ends the period",
        arguments: [
            (RecurringAnswer.needsApproval("above"), RecurringCharge.Reason.notApproved),
            (.declined("no money"), .declined("no money")), (.notNow("offline"), .failed("offline")),
        ])
    func late(answer: RecurringAnswer, reason: RecurringCharge.Reason) async throws {
        let scheduler = try await scheduler(grace: .seconds(3600))
        payer.answers = [.lost, .answer(answer)]
        try await scheduler.look()
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(try await plans.charge(period)?.state == .missed(reason))
    }

    @Test("A period is not begun at its deadline, and the reason says if it was tried", arguments: [true, false])
    func abandoned(isTried: Bool) async throws {
        let scheduler = try await scheduler(grace: .seconds(3600))
        if isTried {
            payer.answers = [.answer(.notNow("offline"))]
            try await scheduler.look()
        } else {
            // Opened, and not looked at.
            try await scheduler.change(period.plan) { _, _ in [] }
        }
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        let text = isTried ? "it was tried until it was too late" : "no payer was available until it was too late"
        #expect(try await plans.charge(period)?.state == .missed(.failed(text)))
        #expect(payer.calls.count == (isTried ? 1 : 0))
    }

    @Test("Waits grow with failures, and begin again after a question")
    func waits() async throws {
        let scheduler = try await scheduler(grace: .seconds(86_400))
        func wait() async throws -> Double? {
            let seconds = try await plans.charge(period)?.notBefore.timeIntervalSince(clock.now)
            clock.advance(by: .seconds(seconds ?? 0))
            return seconds
        }
        payer.answers = Array(repeating: .answer(.notNow("offline")), count: 3) + [.answer(.needsApproval("above"))]
        for seconds in [60.0, 120, 240] {
            try await scheduler.look()
            #expect(try await wait() == seconds)
        }
        try await scheduler.look()
        payer.answers = [.answer(.notNow("offline"))]
        try await scheduler.approve(period)
        #expect(try await wait() == 60)
    }
}
