import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization
import TestSupport
import Testing

/// The payer's notices before charges, and pauses in advance.
@Suite("Notices and pauses of what recurs")
struct NoticeTests {
    private static let day = 86_400.0
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let clock: VirtualClock
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()
    /// The events of a scheduler, with the hour since the beginning.
    private let heard = Collected<String>()
    private let plan = RecurringPlan.ID(rawValue: "sub")

    init() { clock = VirtualClock(start) }

    private func scheduler() -> RecurringScheduler {
        let (heard, clock, start) = (heard, clock, start)
        return RecurringScheduler(
            store: store, payer: payer, clock: clock,
            listener: { event in
                let word =
                    switch event {
                    case .upcoming(let charge) where charge.state == .announced: "upcoming \(charge.id.number)"
                    case .paid(let charge): "paid \(charge.id.number)"
                    case .missed(let charge): "missed \(charge.id.number)"
                    default: "\(event)"
                    }
                let hour = clock.now.timeIntervalSince(start) / 3600
                heard.add("\(word) at \(hour.formatted(.number.precision(.fractionLength(0...2))))")
            })
    }

    private func words() -> [String] { heard.all }

    private func charge(_ number: Int) async throws -> RecurringCharge? {
        try await plans.charge(RecurringCharge.ID(plan: plan, number: number))
    }

    private func state(_ number: Int) async throws -> RecurringCharge.State? { try await charge(number)?.state }

    /// A daily plan that begins in two hours, and is announced an hour before.
    private func begin(_ policy: RecurringPolicy = RecurringPolicy(.all, notice: .seconds(3600))) async throws
        -> RecurringScheduler
    {
        let scheduler = scheduler()
        try await scheduler.add(RecurringPlan(plan.rawValue, from: start.addingTimeInterval(7200), policy))
        return scheduler
    }

    /// Looks at these hours since the beginning.
    private func look(_ scheduler: RecurringScheduler, at hours: Double...) async throws {
        for hour in hours {
            clock.advance(by: .seconds(start.addingTimeInterval(hour * 3600).timeIntervalSince(clock.now)))
            try await scheduler.look()
        }
    }

    @Test("A period is announced when its notice begins, once, and charged when it begins")
    func told() async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 0, 0.99, 1, 1.5, 1.99)
        #expect(words() == ["upcoming 0 at 1"] && payer.calls.isEmpty)
        try await look(scheduler, at: 2, 3, 24.9, 25, 26)
        #expect(words() == ["upcoming 0 at 1", "paid 0 at 2", "upcoming 1 at 25", "paid 1 at 26"])
    }

    @Test("A period that is found late is announced all the same, and charged no sooner than its notice after that")
    func late() async throws {
        let policy = RecurringPolicy(.latestOnly, notice: .seconds(3600), grace: .seconds(600))
        let scheduler = try await begin(policy)
        try await look(scheduler, at: 30, 30.5, 31)
        #expect(words() == ["missed 0 at 30", "upcoming 1 at 30", "paid 1 at 31"])
        try await look(scheduler, at: 49.5, 50, 50.5, 73.5, 97.5)
        #expect(words().dropFirst(3).prefix(3) == ["upcoming 2 at 49.5", "paid 2 at 50.5", "upcoming 3 at 73.5"])
        #expect(words().dropFirst(6).sorted() == ["missed 3 at 97.5", "upcoming 4 at 97.5"])
    }

    @Test("A period in progress is not abandoned for one that is only announced")
    func running() async throws {
        let scheduler = try await begin(RecurringPolicy(.latestOnly, notice: .seconds(3600)))
        try await look(scheduler, at: 25.5, 26.5)
        #expect(words().sorted() == ["paid 0 at 26.5", "paid 1 at 26.5", "upcoming 0 at 25.5", "upcoming 1 at 25.5"])
    }

    @Test(
        "An announcement so slow that another process takes over is repeated once, and the notice begins with the stored one"
    )
    func toldSlowly() async throws {
        let (heard, clock, start, store, payer) = (heard, clock, start, store, payer)
        @Sendable func hear(_ event: RecurringEvent) {
            let minute = Int(clock.now.timeIntervalSince(start) / 60)
            guard case .upcoming = event else { return }
            heard.add("told at \(minute)")
        }
        let other = RecurringScheduler(store: store, payer: payer, clock: clock, listener: { hear($0) })
        let slow = RecurringScheduler(
            store: store, payer: payer, clock: clock,
            listener: { event in
                hear(event)
                guard heard.all.count == 1 else { return }
                // Longer than the lease.
                clock.advance(by: .seconds(660))
                try? await other.look()
            })
        _ = try await begin()
        try await look(slow, at: 1)
        #expect(words() == ["told at 60", "told at 71"] && payer.calls.isEmpty)
        try await look(slow, at: 2, 2.18)
        #expect(payer.calls.isEmpty)
        try await look(slow, at: 2.2, 2.3)
        #expect(payer.calls == ["pay sub/0"] && words().count == 2)
    }

    @Test("A period that is being announced is announced by no other process within the lease", arguments: [599, 600])
    func toldAtOnce(seconds: Int) async throws {
        let (clock, store, payer) = (clock, store, payer)
        let other = scheduler()
        let slow = RecurringScheduler(
            store: store, payer: payer, clock: clock,
            listener: { event in
                guard case .upcoming = event else { return }
                clock.advance(by: .seconds(seconds))
                try? await other.look()
            })
        _ = try await begin()
        try await look(slow, at: 1)
        #expect(words().count == (seconds < 600 ? 0 : 1) && payer.calls.isEmpty)
        #expect(try await state(0) == .announced)
    }

    @Test("A period that is opened by a pause is neither announced nor paid in it, and its notice follows")
    func openedByPause() async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 0.5)
        clock.advance(by: .seconds(0.7 * 3600))
        try await scheduler.pause(plan)
        #expect(try await state(0) == .due)
        try await look(scheduler, at: 1.3)
        #expect(words().isEmpty && payer.calls.isEmpty)
        try await scheduler.resume(plan)
        try await look(scheduler, at: 1.4, 2, 2.9, 3)
        #expect(words() == ["upcoming 0 at 2", "paid 0 at 3"])
    }

    @Test("A period that begins in a pause is missed, though it was announced before")
    func pausedAtBeginning() async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 1)
        try await scheduler.pause(plan)
        try await look(scheduler, at: 2)
        #expect(try await state(0) == .missed(.paused) && payer.calls.isEmpty)
    }

    @Test("A period that was announced to be charged ahead is charged when it begins if that is the policy by then")
    func noLongerAhead() async throws {
        let policy = RecurringPolicy(.all, ahead: .seconds(1800), notice: .seconds(1800))
        let scheduler = try await begin(policy)
        try await look(scheduler, at: 1)
        try await scheduler.change(plan) { plan, _ in
            plan.policy.ahead = .zero
            return []
        }
        try await look(scheduler, at: 1.5, 1.9)
        #expect(words() == ["upcoming 0 at 1"] && payer.calls.isEmpty)
        try await look(scheduler, at: 2)
        #expect(payer.calls == ["pay sub/0"])
    }

    @Test("A clock that is set forward while a scheduler runs shortens no notice")
    func setForward() async throws {
        let wrong = SetClock(clock, by: .seconds(100 * Self.day))
        wrong.isSet.withLock { $0 = false }
        _ = try await begin()
        let scheduler = RecurringScheduler(store: store, payer: payer, clock: wrong)
        try await look(scheduler, at: 1)
        #expect(try await state(0) == .announced)
        wrong.isSet.withLock { $0 = true }
        try await look(scheduler, at: 1.5)
        #expect(try await state(0) == .announced && payer.calls.isEmpty)
        wrong.isSet.withLock { $0 = false }
        try await look(scheduler, at: 2)
        #expect(payer.calls == ["pay sub/0"])
    }

    @Test("A refusal in time prevents the charge, and an approval charges at once")
    func answered() async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 1)
        try await scheduler.refuse(RecurringCharge.ID(plan: plan, number: 0))
        try await look(scheduler, at: 2, 25)
        try await scheduler.approve(RecurringCharge.ID(plan: plan, number: 1))
        try await look(scheduler, at: 26)
        #expect(words() == ["upcoming 0 at 1", "missed 0 at 1", "upcoming 1 at 25", "paid 1 at 25"])
        #expect(payer.calls == ["pay sub/1 approved"])
    }

    @Test("A period that is ended, or stopped from its beginning on, after its announcement is not charged")
    func ended() async throws {
        for isStop in [true, false] {
            let tests = NoticeTests()
            let scheduler = try await tests.begin()
            try await tests.look(scheduler, at: 1)
            if isStop {
                try await scheduler.stop(plan, at: start.addingTimeInterval(7201))
                try await tests.look(scheduler, at: 2, 25)
                #expect(tests.words() == ["upcoming 0 at 1", "paid 0 at 2"])
                continue
            }
            try await scheduler.end(plan)
            try await tests.look(scheduler, at: 2, 25, 26)
            #expect(try await tests.state(0) == .missed(.ended) && tests.payer.calls.isEmpty)
        }
        // Announced, and then the end moves before it.
        let scheduler = try await begin()
        try await look(scheduler, at: 1, 2, 25)
        try await scheduler.stop(plan, at: start.addingTimeInterval(7200 + Self.day))
        try await look(scheduler, at: 26, 50)
        #expect(try await state(1) == .missed(.ended) && payer.calls == ["pay sub/0"])
    }

    @Test("What may be charged ahead is not charged either once it is stopped from its beginning on")
    func aheadAndStopped() async throws {
        let scheduler = try await begin(RecurringPolicy(.all, ahead: .seconds(3600)))
        payer.answers = [.answer(.paid(transactionID: nil)), .answer(.notNow("offline"))]
        try await look(scheduler, at: 1, 25)
        try await scheduler.stop(plan, at: start.addingTimeInterval(7200 + Self.day))
        try await look(scheduler, at: 26, 27)
        #expect(try await state(1) == .missed(.ended) && payer.calls == ["pay sub/0", "pay sub/1"])
    }

    @Test("A pause that ends before a period begins costs nothing, and nothing is announced during it")
    func shortPause() async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 0.5)
        try await scheduler.pause(plan)
        try await look(scheduler, at: 1, 1.2)
        #expect(words().isEmpty)
        try await scheduler.resume(plan)
        try await look(scheduler, at: 1.3, 2, 2.3)
        #expect(words() == ["upcoming 0 at 1.3", "paid 0 at 2.3"])
        // Announced before the pause.
        try await look(scheduler, at: 25)
        try await scheduler.pause(plan)
        try await look(scheduler, at: 25.5)
        try await scheduler.resume(plan)
        try await look(scheduler, at: 26)
        #expect(words().suffix(2) == ["upcoming 1 at 25", "paid 1 at 26"])
    }

    @Test("A period that was approved early, and whose payment came to nothing, waits in a pause, and can be refused")
    func approvedEarly() async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 1)
        payer.answers = [.lost, .nothing]
        try await scheduler.approve(RecurringCharge.ID(plan: plan, number: 0))
        try await scheduler.pause(plan)
        try await look(scheduler, at: 1.1, 1.2)
        #expect(try await state(0) == .due && payer.calls == ["pay sub/0 approved", "fate sub/0"])
        #expect(try await charge(0)?.notBefore == start.addingTimeInterval(7200))
        try await scheduler.refuse(RecurringCharge.ID(plan: plan, number: 0))
        #expect(try await state(0) == .missed(.refused))
    }

    @Test(
        "An approval in a pause has no effect, and the period is charged once the pause ends", arguments: [true, false])
    func approvedInPause(isPlanned: Bool) async throws {
        let scheduler = try await begin()
        try await look(scheduler, at: 1)
        if isPlanned {
            try await scheduler.pause(plan, during: [RecurringPause(from: start)])
        } else {
            try await scheduler.pause(plan)
        }
        let period = RecurringCharge.ID(plan: plan, number: 0)
        await #expect(throws: RecurringAnswerError.notCharged(period)) { try await scheduler.approve(period) }
        #expect(try await state(0) == .announced && payer.calls.isEmpty)
        try await scheduler.pause(plan, during: [])
        try await scheduler.resume(plan)
        try await look(scheduler, at: 2)
        #expect(payer.calls == ["pay sub/0"])
    }

    @Test("A period that begins in an announced pause is missed, whenever it is looked at; all others are charged")
    func pauses() async throws {
        for policy in [RecurringPolicy(.all), RecurringPolicy(.all, notice: .seconds(3600))] {
            for isAway in [true, false] {
                let tests = NoticeTests()
                let scheduler = try await tests.begin(policy)
                try await scheduler.pause(
                    plan,
                    during: [
                        RecurringPause(
                            from: start.addingTimeInterval(Self.day), until: start.addingTimeInterval(2 * Self.day)),
                        RecurringPause(from: start.addingTimeInterval(4 * Self.day)),
                    ])
                if isAway {
                    try await tests.look(scheduler, at: 98, 99.1)
                } else {
                    for hour in 0..<220 { try await tests.look(scheduler, at: Double(hour) / 2) }
                }
                #expect(tests.payer.calls.sorted() == ["pay sub/0", "pay sub/2", "pay sub/3"], "\(policy) \(isAway)")
                #expect(try await tests.state(1) == .missed(.paused))
            }
        }
        // A pause after the announcement, and withdrawn.
        let scheduler = try await begin()
        try await look(scheduler, at: 1)
        try await scheduler.pause(plan, during: [RecurringPause(from: start)])
        try await look(scheduler, at: 2)
        #expect(try await state(0) == .missed(.paused))
        try await scheduler.pause(plan, during: [])
        try await look(scheduler, at: 25, 26)
        #expect(payer.calls == ["pay sub/1"])
    }
}
