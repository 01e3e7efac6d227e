import Foundation
import PaymentCore
import PaymentRecurring
import Testing

@Suite("Policies of what recurs")
struct RecurringPolicyTests {
    @Test("A plan without a policy catches up with its latest period, at once, within a day and three tries")
    func defaults() {
        let policy = RecurringPolicy()
        #expect(policy.catchUp == .latestOnly && policy.mostCaughtUp == 12 && policy.mostAttempts == 3)
        #expect(policy.ahead == .zero && policy.notice == .zero)
        #expect(policy.grace == .seconds(86_400) && policy.pause == .seconds(60))
    }

    @Test("A policy has at least one period, one try and a second's pause, and no negative times")
    func least() {
        let one = RecurringPolicy(.all, mostCaughtUp: 1, grace: .zero, mostAttempts: 1, pause: .seconds(1))
        #expect(one.mostCaughtUp == 1 && one.mostAttempts == 1 && one.pause == .seconds(1))
        let none = RecurringPolicy(
            .all, mostCaughtUp: -1, ahead: .seconds(-1), notice: .seconds(-1), grace: .seconds(-1), mostAttempts: -1,
            pause: .seconds(-1))
        #expect(none == one)
    }

    @Test(
        "Without catching up, a period is charged until its grace is over", arguments: [(3599.0, true), (3600, false)])
    func grace(seconds: Double, isCharged: Bool) throws {
        var plan = try PlanTests.plan(RecurringPolicy(.none, grace: .seconds(3600)))
        let charges = plan.open(at: PlanTests.start.addingTimeInterval(seconds))
        #expect(charges.map(\.state) == [isCharged ? .due : .missed(.absence)])
    }

    @Test("A day that the time zone has left out is not charged")
    func noSuchDay() throws {
        // 30 December 2011 was left out in Samoa.
        let samoa = try #require(TimeZone(identifier: "Pacific/Apia"))
        let start = try Date("2011-12-28T22:00:00Z", strategy: .iso8601)
        var plan = try RecurringPlan(
            id: RecurringPlan.ID(rawValue: "sub"), provider: "acme", amount: Money(minorUnits: 5, currency: .satoshi),
            schedule: RecurringSchedule(.daily, from: start, in: samoa), policy: RecurringPolicy(.all))
        let charges = plan.open(at: start.addingTimeInterval(2.5 * 86_400))
        #expect(charges.map(\.state) == [.due, .due, .missed(.noSuchDay), .due])
    }

    @Test(
        "A pause begins with its start and is over at its end",
        arguments: [(-1.0, false), (0, true), (59, true), (60, false)])
    func pauses(seconds: Double, isPaused: Bool) {
        let date = PlanTests.start.addingTimeInterval(seconds)
        let end = PlanTests.start.addingTimeInterval(60)
        #expect(RecurringPause(from: PlanTests.start, until: end).contains(date) == isPaused)
        #expect(RecurringPause(from: PlanTests.start).contains(date) == (seconds >= 0))
    }
}
