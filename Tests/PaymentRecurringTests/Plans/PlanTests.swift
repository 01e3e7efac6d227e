import Foundation
import PaymentCore
import PaymentRecurring
import Testing

extension RecurringPlan {
    /// Creates a plan of five satoshi a period.
    init(
        _ id: String, _ rhythm: RecurringSchedule.Rhythm = .daily, from start: Date,
        _ policy: RecurringPolicy = RecurringPolicy(), details: JSONValue = [:]
    ) throws {
        try self.init(
            id: ID(rawValue: id), provider: "acme", amount: Money(minorUnits: 5, currency: .satoshi),
            schedule: RecurringSchedule(rhythm, from: start), policy: policy, details: details)
    }
}

@Suite("Plans")
struct PlanTests {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static let day = 86_400.0

    static func plan(
        _ policy: RecurringPolicy = RecurringPolicy(), _ rhythm: RecurringSchedule.Rhythm = .daily, id: String = "sub_1"
    ) throws -> RecurringPlan {
        try RecurringPlan(
            id: RecurringPlan.ID(rawValue: id), provider: "acme",
            amount: Money(minorUnits: 1000, currency: .satoshi),
            schedule: RecurringSchedule(rhythm, from: start), policy: policy)
    }

    private static func states(_ charges: [RecurringCharge]) -> String {
        charges.map {
            switch $0.state {
            case .due: "d"
            case .missed(.absence): "a"
            case .missed(.paused): "p"
            case .missed(.ended): "e"
            default: "?"
            }
        }.joined()
    }

    @Test(
        "After an absence, the policy says which periods are charged; every one of them is opened",
        arguments: [
            (RecurringPolicy(.all, mostCaughtUp: 100), "dddddddddd"),
            (RecurringPolicy(.all, mostCaughtUp: 3), "aaaaaaaddd"),
            (RecurringPolicy(.latestOnly), "aaaaaaaaad"),
            (RecurringPolicy(.none, grace: .seconds(2 * 86_400)), "aaaaaaaadd"),
            (RecurringPolicy(.none, grace: .seconds(3600)), "aaaaaaaaaa"),
        ])
    func catchUp(_ policy: RecurringPolicy, _ states: String) throws {
        var plan = try Self.plan(policy)
        let charges = plan.open(at: Self.start.addingTimeInterval(9.5 * Self.day))
        #expect(Self.states(charges) == states)
        #expect(charges.map(\.id.number) == Array(0..<10) && plan.next == 10)
        #expect(plan.open(at: Self.start.addingTimeInterval(9.9 * Self.day)).isEmpty)
    }

    @Test("Nothing is opened before it begins, unless the policy charges ahead, and then no sooner")
    func ahead() throws {
        var plan = try Self.plan()
        #expect(plan.open(at: Self.start.addingTimeInterval(-0.001)).isEmpty)
        #expect(Self.states(plan.open(at: Self.start)) == "d")
        var early = try Self.plan(RecurringPolicy(ahead: .seconds(3600)))
        #expect(early.dueDate == Self.start.addingTimeInterval(-3600))
        #expect(early.open(at: Self.start.addingTimeInterval(-3600.5)).isEmpty)
        #expect(Self.states(early.open(at: Self.start.addingTimeInterval(-3600))) == "d")
        #expect(early.open(at: Self.start.addingTimeInterval(Self.day - 3601)).isEmpty)
    }

    @Test("A long absence is opened some at a time, with the same verdicts")
    func long() throws {
        var plan = try Self.plan(RecurringPolicy(.all, mostCaughtUp: 2))
        let now = Self.start.addingTimeInterval(1199.5 * Self.day)
        var (all, counts): ([RecurringCharge], [Int]) = ([], [])
        while case let some = plan.open(at: now), !some.isEmpty {
            counts.append(some.count)
            all += some
        }
        #expect(counts == [500, 500, 200])
        #expect(all.map(\.id.number) == Array(0..<1200))
        #expect(Self.states(all) == String(repeating: "a", count: 1198) + "dd")
    }

    @Test("What begins in a pause is missed, what began before it is not, and what follows it is charged")
    func pause() throws {
        var plan = try Self.plan(RecurringPolicy(.all))
        #expect(Self.states(plan.pause(at: Self.start.addingTimeInterval(1.5 * Self.day))) == "dd")
        #expect(plan.status == .paused)
        #expect(Self.states(plan.open(at: Self.start.addingTimeInterval(3.5 * Self.day))) == "pp")
        #expect(Self.states(plan.resume(at: Self.start.addingTimeInterval(5.5 * Self.day))) == "pp")
        #expect(Self.states(plan.open(at: Self.start.addingTimeInterval(6.5 * Self.day))) == "d")
    }

    @Test("An end is one: nothing is opened after it, whatever else is tried")
    func ended() throws {
        var plan = try Self.plan(RecurringPolicy(.all))
        #expect(Self.states(plan.end(at: Self.start.addingTimeInterval(0.5 * Self.day))) == "d")
        #expect(plan.dueDate == nil && plan.nextPeriod == nil)
        #expect(plan.resume(at: Self.start.addingTimeInterval(9 * Self.day)).isEmpty)
        #expect(plan.status == .ended && plan.open(at: .distantFuture).isEmpty)
    }

    @Test("After a stop nothing begins from its moment on; it only moves forward, and what was opened stays")
    func stopped() throws {
        var plan = try Self.plan(RecurringPolicy(.all))
        let third = Self.start.addingTimeInterval(2 * Self.day)
        #expect(plan.open(at: Self.start.addingTimeInterval(0.5 * Self.day)).map(\.id.number) == [0])
        try plan.stop(at: third)
        try plan.stop(at: third.addingTimeInterval(Self.day))
        #expect(plan.schedule.end == third && plan.status == .active)
        #expect(plan.open(at: .distantFuture).map(\.id.number) == [1])
        #expect(plan.nextPeriod == nil && plan.dueDate == nil)
        try plan.stop(at: Self.start.addingTimeInterval(1))
        #expect(plan.open(at: .distantFuture).isEmpty && plan.next == 2)
        #expect(throws: RecurringDefect.end) { try plan.stop(at: Self.start) }
    }

    @Test("Another schedule keeps the numbers, and charges nothing again")
    func rescheduled() throws {
        var plan = try Self.plan(RecurringPolicy(.all))
        _ = plan.open(at: Self.start.addingTimeInterval(2.5 * Self.day))
        let moment = Self.start.addingTimeInterval(2 * Self.day)
        #expect(throws: RecurringDefect.start) { try plan.reschedule(.weekly, from: moment) }
        #expect(throws: RecurringDefect.start) { try plan.reschedule(.weekly, from: Self.start) }
        try plan.reschedule(.weekly, from: moment.addingTimeInterval(Self.day))
        let charges = plan.open(at: Self.start.addingTimeInterval(11 * Self.day))
        #expect(charges.map(\.id.number) == [3, 4])
        // Before anything was opened, nothing can be moved before the start either.
        var fresh = try Self.plan()
        #expect(throws: RecurringDefect.start) {
            try fresh.reschedule(.daily, from: Self.start.addingTimeInterval(-1))
        }
        try fresh.reschedule(.weekly, from: Self.start)
        #expect(fresh.nextPeriod?.end == Self.start.addingTimeInterval(7 * Self.day))
    }

    @Test("An amount holds for what is opened afterwards; nothing is not an amount, and no name not a name")
    func amounts() throws {
        var plan = try Self.plan(RecurringPolicy(.all))
        let first = plan.open(at: Self.start)
        try plan.change(amount: Money(minorUnits: 5, currency: .satoshi))
        let second = plan.open(at: Self.start.addingTimeInterval(Self.day))
        #expect((first + second).map(\.amount.minorUnits) == [1000, 5])
        let nothing = try Money(minorUnits: 0, currency: .satoshi)
        #expect(throws: RecurringDefect.amount) { try plan.change(amount: nothing) }
        #expect(throws: RecurringDefect.amount) {
            try RecurringPlan(id: plan.id, provider: plan.provider, amount: nothing, schedule: plan.schedule)
        }
        for (bytes, isName) in [(0, false), (1, true), (128, true), (129, false)] {
            #expect(((try? Self.plan(id: String(repeating: "a", count: bytes))) != nil) == isName)
        }
        #expect(throws: RecurringDefect.name) { try Self.plan(id: String(repeating: "é", count: 65)) }
    }

    @Test(
        "A period is untouched until it is begun or answered, and stays so if it is missed otherwise",
        arguments: [
            (.due, 0, false, true), (.announced, 0, false, true), (.missed(.absence), 0, false, true),
            (.due, 1, false, false), (.due, 0, true, false), (.missed(.declined("no")), 1, false, false),
            (.missed(.refused), 0, false, false), (.missed(.noSuchDay), 0, false, false),
            (.started, 0, false, false), (.waiting("above"), 0, false, false), (.unknown("lost"), 0, false, false),
            (.paid(transactionID: nil), 0, false, false),
        ] as [(RecurringCharge.State, Int, Bool, Bool)])
    func untouched(state: RecurringCharge.State, attempts: Int, isApproved: Bool, isUntouched: Bool) throws {
        var plan = try Self.plan()
        var charge = try #require(plan.open(at: Self.start).first)
        (charge.state, charge.attempts, charge.isApproved) = (state, attempts, isApproved)
        #expect(charge.isUntouched == isUntouched)
    }

    @Test("No two periods have one name, whatever plans are called")
    func names() {
        let ids = [("a", 11), ("a/1", 1), ("a/1/1", 1), ("a", 1), ("a/11", 1), ("\u{E9}", 1), ("e\u{301}", 1)].map {
            RecurringCharge.ID(plan: RecurringPlan.ID(rawValue: $0.0), number: $0.1)
        }
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids.map { Array($0.description.utf8) }).count == ids.count)
    }

    @Test("A plan is stored only over the one that was seen, with all that lies between, and nothing twice")
    func storing() throws {
        let seen = try Self.plan(RecurringPolicy(.all)).stored
        var changed = seen
        let charges = changed.open(at: Self.start.addingTimeInterval(Self.day))
        try changed.checkStoring(charges, over: seen)
        #expect(throws: RecurringPlanError.changedPlan(seen.id)) {
            try changed.checkStoring(charges, over: seen.stored)
        }
        #expect(throws: RecurringPlanError.changedPlan(seen.id)) { try changed.checkStoring(charges, over: nil) }
        #expect(throws: RecurringPlanError.changedPlan(seen.id)) { try changed.checkStoring([], over: seen) }
        #expect(throws: RecurringPlanError.changedPlan(seen.id)) {
            try changed.checkStoring(charges + charges, over: seen)
        }
        let (alike, other) = (try Self.plan(RecurringPolicy(.all), id: "\u{E9}"), try Self.plan(id: "e\u{301}").stored)
        #expect(throws: RecurringPlanError.changedPlan(alike.stored.id)) {
            try alike.stored.checkStoring([], over: other)
        }
        #expect(throws: RecurringPlanError.misplacedCharge(charges[1].id)) {
            try changed.checkStoring(charges.reversed(), over: seen)
        }
    }

    @Test("Waits grow, and stay below an hour")
    func waits() {
        let policy = RecurringPolicy(pause: .seconds(60))
        #expect(
            (0...9).map { policy.wait(after: $0) / .seconds(1) } == [
                60, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600,
            ])
        #expect(RecurringPolicy(pause: .seconds(7200)).wait(after: .max) == .seconds(7200))
    }
}
