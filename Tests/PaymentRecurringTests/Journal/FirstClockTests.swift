import Foundation
import PaymentCore
import PaymentRecurring
import TestSupport
import Testing

/// The time at which a plan is added, and clocks that are wrong from the first look on.
@Suite("The first clock of a plan")
struct FirstClockTests {
    private static let day = 86_400.0
    private let clock = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000))
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()
    private let heard = Collected<RecurringEvent>()
    private let plan = RecurringPlan.ID(rawValue: "rent")

    private func scheduler() -> RecurringScheduler {
        let heard = heard
        return RecurringScheduler(
            store: store, payer: payer, clock: clock,
            listener: { heard.add($0) })
    }

    private func add(_ rhythm: RecurringSchedule.Rhythm = .daily) async throws {
        try await scheduler().add(RecurringPlan(plan.rawValue, rhythm, from: clock.now.addingTimeInterval(Self.day)))
    }

    @Test("A first look by a clock that is two years ahead opens nothing, and the right clock pays as planned")
    func ahead() async throws {
        try await add()
        clock.advance(by: .seconds(730 * Self.day))
        try await scheduler().look()
        #expect(payer.calls.isEmpty && heard.all.count { if case .missed = $0 { true } else { false } } == 0)
        #expect(heard.all.count { if case .doubtfulClock = $0 { true } else { false } } > 0)
        clock.advance(by: .seconds(-729 * Self.day))
        try await scheduler().look()
        #expect(payer.calls == ["pay rent/0"])
    }

    @Test("A clock that is confirmed at an earlier time opens what was not paid again, and reports what was")
    func corrected() async throws {
        try await add()
        // Within the longest absence, a wrong clock is believed.
        clock.advance(by: .seconds(20 * Self.day))
        try await scheduler().look()
        #expect(payer.calls == ["pay rent/19"])
        clock.advance(by: .seconds(-10 * Self.day))
        let right = scheduler()
        try await right.trustClock()
        func numbers(_ number: (RecurringEvent) -> Int?) -> [Int] {
            heard.all.compactMap(number).sorted()
        }
        for _ in 0..<2 {
            #expect(numbers { if case .openedAhead(let charge) = $0 { charge.id.number } else { nil } } == [19])
            #expect(
                numbers { if case .reopened(let charge) = $0 { charge.id.number } else { nil } } == Array(10...18))
            // Reported once.
            try await right.trustClock()
        }
        for _ in 0..<11 {
            clock.advance(by: .seconds(Self.day))
            try await right.look()
        }
        #expect(payer.calls == ["pay rent/19"] + (10...18).map { "pay rent/\($0)" } + ["pay rent/20"])
        let charges = try await plans.charges(of: plan)
        #expect(charges.filter { if case .paid = $0.state { true } else { false } }.map(\.id.number) == Array(10...20))
    }

    @Test("A period that was tried, or refused by the payer, is not opened again")
    func touched() async throws {
        try await add()
        payer.answers = [.answer(.declined("no money"))]
        clock.advance(by: .seconds(20 * Self.day))
        try await scheduler().look()
        try await scheduler().refuse(RecurringCharge.ID(plan: plan, number: 19))
        clock.advance(by: .seconds(-10 * Self.day))
        try await scheduler().trustClock()
        let last = try await plans.charges(of: plan).last
        #expect(last?.id.number == 19 && last?.state == .missed(.refused))
    }

    @Test("A period that was put off is opened again without a report, and can be answered at once")
    func putOff() async throws {
        try await add()
        payer.answers = [.answer(.notNow("offline"))]
        clock.advance(by: .seconds(20 * Self.day))
        try await scheduler().look()
        clock.advance(by: .seconds(-10 * Self.day))
        let (right, period) = (scheduler(), RecurringCharge.ID(plan: plan, number: 19))
        try await right.trustClock()
        #expect(heard.all.count { if case .reopened(let charge) = $0 { charge.id == period } else { false } } == 0)
        let charge = try #require(try await plans.charge(period))
        #expect(charge.state == .due && charge.failures == 0 && charge.notBefore == charge.period.start)
        #expect(charge.deadline == charge.period.start.addingTimeInterval(Self.day))
        let asked = clock.uptime
        try await right.refuse(period)
        #expect(try await plans.charge(period)?.state == .missed(.refused) && clock.uptime == asked)
    }

    @Test(
        "A period that a wrong clock has ended before its notice is reported, unless the payer has ended it",
        arguments: [
            ("paid", 3.0, true), ("paid", 1.5, false), ("approved", 3, false), ("refused", 3, false),
            ("declined", 3, false),
        ])
    func endedAhead(end: String, daysBefore: Double, isReported: Bool) async throws {
        let start = clock.now.addingTimeInterval(10 * Self.day)
        let (scheduler, period) = (scheduler(), RecurringCharge.ID(plan: plan, number: 0))
        try await scheduler.add(
            RecurringPlan(plan.rawValue, .weekly, from: start, RecurringPolicy(notice: .seconds(2 * Self.day))))
        clock.advance(by: .seconds(8 * Self.day))
        try await scheduler.look()
        if end == "approved" { try await scheduler.approve(period) }
        if end == "refused" { try await scheduler.refuse(period) }
        if end == "declined" { payer.answers = [.answer(.declined("no money"))] }
        clock.advance(by: .seconds(2 * Self.day))
        try await scheduler.look()
        clock.advance(by: .seconds(start.addingTimeInterval(-daysBefore * Self.day).timeIntervalSince(clock.now)))
        try await scheduler.trustClock()
        #expect(heard.all.count { if case .openedAhead = $0 { true } else { false } } == (isReported ? 1 : 0))
    }

    @Test("A plan that is stored again trusts the time of that moment")
    func paused() async throws {
        _ = try await plans.store(
            RecurringPlan(plan.rawValue, from: clock.now), opening: [])
        let trusted = clock.now
        try await scheduler().pause(plan, during: [])
        #expect(try await plans.trustedTime() == trusted)
    }
}
