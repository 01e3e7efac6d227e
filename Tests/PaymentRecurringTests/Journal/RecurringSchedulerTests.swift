import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization
import TestSupport
import Testing

/// Looks at plans: how many, which, and the time that they trust.
@Suite("Looks at what recurs")
struct RecurringSchedulerTests {
    private let clock = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000))
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()

    private func scheduler(width: Int = 4) -> RecurringScheduler {
        RecurringScheduler(store: OvertakenRecords(store), payer: payer, clock: clock, width: width)
    }

    private func plan(
        _ id: String = "sub", _ rhythm: RecurringSchedule.Rhythm = .daily, _ catchUp: RecurringPolicy.CatchUp = .all
    ) throws -> RecurringPlan {
        try RecurringPlan(id, rhythm, from: clock.now, RecurringPolicy(catchUp))
    }

    @Test("One look opens and pays the periods of any number of plans", arguments: [0, 3])
    func many(width: Int) async throws {
        let scheduler = scheduler(width: width)
        for number in 0..<450 { try await scheduler.add(try plan("plan-\(number)")) }
        try await scheduler.look()
        #expect(Set(payer.calls).count == 450 && payer.calls.count == 450)
    }

    @Test("A look that is made only if something is due returns the time until then")
    func ifDue() async throws {
        let scheduler = scheduler()
        #expect(try await scheduler.lookIfDue() == nil)
        try await scheduler.add(try RecurringPlan("sub", .daily, from: clock.now.addingTimeInterval(90)))
        #expect(try await scheduler.lookIfDue() == .seconds(90))
        #expect(payer.calls.isEmpty)
        clock.advance(by: .seconds(90))
        #expect(try await scheduler.lookIfDue() == nil)
        #expect(payer.calls == ["pay sub/0"])
        #expect(try await scheduler.lookIfDue() == .seconds(86_400))
        // A period that is tried again is due before the next one.
        payer.answers = [.answer(.notNow("offline"))]
        clock.advance(by: .seconds(86_400))
        #expect(try await scheduler.lookIfDue() == nil)
        #expect(try await scheduler.lookIfDue() == .seconds(60))
    }

    @Test("A plan that cannot be read, and is the first one that is ever due, delays no other")
    func damagedPlan() async throws {
        let records = InMemoryRecords()
        let scheduler = RecurringScheduler(store: records, payer: payer, clock: clock)
        try await scheduler.add(try RecurringPlan("later", .daily, from: clock.now.addingTimeInterval(7200)))
        try await scheduler.add(try RecurringPlan("now", .daily, from: clock.now))
        let key = StoredPlan.key(RecurringPlan.ID(rawValue: "later"))
        let marks = ["due": RecordMark(clock.now.addingTimeInterval(3600))]
        try await records.change([.record(key)]) { _ in RecordChange([.put(key, [1], marks: marks)], ()) }
        #expect(try await scheduler.lookIfDue() == nil)
        #expect(payer.calls == ["pay now/0"])
        // The damaged one is the next by now.
        clock.advance(by: .seconds(60))
        #expect(try await scheduler.lookIfDue() == nil)
        #expect(payer.calls == ["pay now/0"])
    }

    @Test("As many periods are paid at the same time as asked for, or four", arguments: [1, nil])
    func width(width: Int?) async throws {
        let payer = CountingPayer()
        let scheduler =
            width.map { RecurringScheduler(store: store, payer: payer, clock: clock, width: $0) }
            ?? RecurringScheduler(store: store, payer: payer, clock: clock)
        for number in 0..<20 { try await scheduler.add(try plan("plan-\(number)")) }
        try await scheduler.look()
        #expect((1...(width ?? 4)).contains(payer.most))
    }

    /// A payer that counts how many periods it pays at the same time.
    private final class CountingPayer: RecurringPayer {
        private let counts = Mutex((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
            counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<50 { await Task.yield() }
            counts.withLock { $0.now -= 1 }
            return .paid(transactionID: nil)
        }

        func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? { nil }
    }

    @Test("A look at one plan pays its periods alone, each in its time")
    func onePlan() async throws {
        let (scheduler, rent) = (scheduler(), RecurringPlan.ID(rawValue: "rent"))
        try await scheduler.add(try plan())
        try await scheduler.add(try plan("rent"))
        payer.answers = [.answer(.notNow("offline"))]
        for (seconds, paid) in [(0, 1), (59, 1), (1, 2), (3600, 2)] {
            clock.advance(by: .seconds(seconds))
            try await scheduler.look(at: rent)
            #expect(payer.calls == Array(repeating: "pay rent/0", count: paid))
        }
        try await scheduler.look(at: RecurringPlan.ID(rawValue: "none"))
        #expect(payer.calls.count == 2)
        #expect(try await plans.charges(of: RecurringPlan.ID(rawValue: "sub")).isEmpty)
    }

    @Test(
        "A look at one plan takes no lease of a period that has ended or is not due",
        arguments: [RecurringAnswer.paid(transactionID: nil), .notNow("offline")])
    func leases(answer: RecurringAnswer) async throws {
        payer.answers = [.answer(answer)]
        try await scheduler().add(try plan())
        try await scheduler().look()
        let watched = OvertakenRecords(store) { Issue.record("a lease is taken") }
        let scheduler = RecurringScheduler(store: watched, payer: payer, clock: clock)
        try await scheduler.look(at: RecurringPlan.ID(rawValue: "sub"))
        #expect(payer.calls == ["pay sub/0"])
    }

    @Test("A look that was cancelled opens nothing")
    func cancelled() async throws {
        let scheduler = scheduler()
        let plan = try await scheduler.add(try plan())
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await scheduler.look()
        }.value
        #expect(try await plans.charges(of: plan.id).isEmpty)
    }

    @Test("A look ends where the store lists a plan as due that is not")
    func undue() async throws {
        let store = OvertakenRecords(store, listsAll: true)
        let scheduler = RecurringScheduler(store: store, payer: payer, clock: clock)
        try await scheduler.add(try plan())
        try await scheduler.look()
        #expect(payer.calls == ["pay sub/0"])
    }

    @Test("A long absence is opened by one look, at one plan or at all", arguments: [true, false])
    func absence(isOne: Bool) async throws {
        let (scheduler, id) = (scheduler(), RecurringPlan.ID(rawValue: "sub"))
        try await scheduler.add(try plan("sub", .every(seconds: 3600), .latestOnly))
        clock.advance(by: .seconds(30 * 86_400))
        if isOne { try await scheduler.look(at: id) } else { try await scheduler.look() }
        #expect(try await plans.charges(of: id).map(\.id.number) == Array(0...720))
        #expect(payer.calls == ["pay sub/720"])
    }

    @Test("The trusted time is stored once a minute")
    func trustedTime() async throws {
        let scheduler = scheduler()
        try await scheduler.add(try plan())
        for (seconds, isStored) in [(60, false), (1, true)] {
            clock.advance(by: .seconds(seconds))
            try await scheduler.look()
            #expect((try await plans.trustedTime() == clock.now) == isStored)
        }
    }

    @Test(
        "A plan that is stopped at its beginning, or before, is ended", arguments: [(-1, true), (0, true), (1, false)])
    func stopped(seconds: Double, isEnded: Bool) async throws {
        let (scheduler, id) = (scheduler(), RecurringPlan.ID(rawValue: "sub"))
        let beginning = clock.now
        try await scheduler.add(try plan())
        try await scheduler.stop(id, at: beginning.addingTimeInterval(seconds))
        #expect(try await scheduler.plans().map(\.status) == [isEnded ? .ended : .active])
        try await scheduler.look()
        #expect(payer.calls == (isEnded ? [] : ["pay sub/0"]))
    }

    @Test(
        "A look that fails is reported, and the next one pays, an hour later unless another pause is given",
        arguments: [nil, 90])
    func failing(pause: Int?) async throws {
        let start = clock.uptime
        try await scheduler().add(try plan())
        let failing = OvertakenRecords(store, looking: { throw JournalError.notAJournal(path: "plans") })
        let events = Collected<String>()
        let scheduler = RecurringScheduler(
            store: failing, payer: payer, clock: WaitingOnceClock(clock),
            listener: { [clock] event in
                let seconds = (clock.uptime - start) / .seconds(1)
                switch event {
                case .error: events.add("error at \(seconds)")
                case .paid: events.add("paid at \(seconds)")
                default: break
                }
            })
        if let pause { await scheduler.run(every: .seconds(pause)) } else { await scheduler.run() }
        #expect(events.all == ["error at 0.0", "paid at \(pause ?? 3600).0"])
    }

    /// A clock on which one wait ends; during the next one the task is cancelled.
    private final class WaitingOnceClock: PaymentClock {
        private let base: VirtualClock
        private let waits = Mutex(0)

        init(_ base: VirtualClock) { self.base = base }

        var now: Date { base.now }
        var uptime: Duration { base.uptime }

        func sleep(for duration: Duration) async throws {
            let count = waits.withLock { count in
                count += 1
                return count
            }
            if count > 1 { withUnsafeCurrentTask { $0?.cancel() } }
            if count > 2 { Issue.record("it goes on after its cancellation") }
            try await base.sleep(for: duration)
        }
    }

    @Test("A change is made once, to the plan as another worker has stored it in the meantime")
    func changedMeanwhile() async throws {
        let other = scheduler()
        let id = try await other.add(try plan()).id
        let overtaken = OvertakenRecords(
            store,
            storing: {
                try await other.change(id) { plan, _ in
                    plan.details = ["payee": "mina"]
                    return []
                }
            })
        let scheduler = RecurringScheduler(store: overtaken, payer: payer, clock: clock)
        try await scheduler.change(id) { plan, _ in
            try plan.change(amount: Money(minorUnits: plan.amount.minorUnits + 1, currency: .satoshi))
            return []
        }
        let changed = try #require(try await plans.plan(id))
        #expect(changed.amount.minorUnits == 6 && changed.details == ["payee": "mina"] && changed.revision == 3)
        try await scheduler.change(id) { _, _ in [] }
        #expect(try await plans.plan(id) == changed)
    }

    @Test("A changed plan reports the periods that it misses at once")
    func missed() async throws {
        let events = Collected<String>()
        let scheduler = RecurringScheduler(
            store: store, payer: payer, clock: clock,
            listener: { event in
                if case .missed(let charge) = event { events.add("\(charge.id)") }
            })
        let id = RecurringPlan.ID(rawValue: "sub")
        try await scheduler.add(try plan("sub", .daily, .latestOnly))
        clock.advance(by: .seconds(2 * 86_400))
        try await scheduler.pause(id)
        #expect(events.all == ["sub/0", "sub/1"])
        try await scheduler.look()
        #expect(payer.calls.isEmpty)
    }
}
