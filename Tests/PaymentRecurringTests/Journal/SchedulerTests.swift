import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization
import TestSupport
import Testing

@Suite("Charging what recurs")
struct SchedulerTests {
    private static let day = 86_400
    private let clock = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000))
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()
    private let heard = Collected<RecurringEvent>()

    /// A word for each event.
    private var words: [String] {
        heard.all.map {
            switch $0 {
            case .upcoming(let charge): "upcoming \(charge.id.number)"
            case .paid(let charge): "paid \(charge.id.number)"
            case .missed(let charge):
                if case .missed(let reason) = charge.state { "missed \(charge.id.number): \(reason)" } else { "?" }
            case .waiting(let charge): "waiting \(charge.id.number)"
            case .postponed(let charge, _): "postponed \(charge.id.number)"
            case .unknown(let charge): "unknown \(charge.id.number)"
            case .doubtfulClock: "doubtful clock"
            case .openedAhead(let charge): "opened ahead \(charge.id.number)"
            default: "problem"
            }
        }
    }

    private func scheduler(
        _ trust: RecurringTrust = RecurringTrust(), witness: RecurringScheduler.Witness? = nil
    ) -> RecurringScheduler {
        RecurringScheduler(store: store, payer: payer, clock: clock, trust: trust, witness: witness) {
            [heard] event in heard.add(event)
        }
    }

    private func plan(
        _ policy: RecurringPolicy = RecurringPolicy(.all), _ rhythm: RecurringSchedule.Rhythm = .daily
    ) throws -> RecurringPlan {
        try RecurringPlan("sub", rhythm, from: clock.now, policy)
    }

    private func id(_ number: Int) -> RecurringCharge.ID {
        RecurringCharge.ID(plan: RecurringPlan.ID(rawValue: "sub"), number: number)
    }

    @Test("A period is paid when it begins, once, however often it is looked at and by however many")
    func once() async throws {
        let schedulers = [scheduler(), scheduler(), scheduler()]
        try await schedulers[0].add(try plan())
        for _ in 0..<5 {
            await withTaskGroup(of: Void.self) { group in
                for scheduler in schedulers { group.addTask { try? await scheduler.look() } }
            }
            for scheduler in schedulers { try await scheduler.look() }
            clock.advance(by: .seconds(Self.day))
        }
        #expect(payer.calls == (0..<5).map { "pay sub/\($0)" })
        #expect(words == (0..<5).map { "paid \($0)" })
    }

    @Test("A clock that is set back charges nothing a second time, and what had not begun by it waits")
    func setBack() async throws {
        let scheduler = scheduler()
        try await scheduler.add(try plan())
        try await scheduler.look()
        clock.advance(by: .seconds(Self.day))
        try await scheduler.look()
        clock.advance(by: .seconds(-30 * Self.day))
        for _ in 0..<3 { try await scheduler.look() }
        #expect(payer.calls == ["pay sub/0", "pay sub/1"])
        #expect(words.contains("doubtful clock"))
        clock.advance(by: .seconds(31 * Self.day))
        try await scheduler.look()
        #expect(payer.calls.count == 3)
    }

    @Test("A clock that is set forward while a scheduler runs is not believed; a restart believes a month, and no more")
    func setForward() async throws {
        let first = scheduler()
        try await first.add(try plan(RecurringPolicy(.latestOnly), .monthly(day: 1)))
        clock.advance(by: .seconds(40 * Self.day))
        try await first.look()
        let paid = payer.calls.count
        // Set, not passed: the uptime stays.
        let wrong = SetClock(clock, by: .seconds(100 * Self.day))
        let running = RecurringScheduler(
            store: store, payer: payer, clock: wrong,
            listener: { [heard] event in heard.add(event) })
        wrong.isSet.withLock { $0 = false }
        try await running.look()
        wrong.isSet.withLock { $0 = true }
        try await running.look()
        #expect(payer.calls.count == paid && words.last == "doubtful clock")
        let restarted = RecurringScheduler(store: store, payer: payer, clock: wrong)
        try await restarted.look()
        #expect(payer.calls.count == paid, "a hundred days are not believed after a restart either")
        let near = SetClock(clock, by: .seconds(30 * Self.day))
        try await RecurringScheduler(store: store, payer: payer, clock: near).look()
        #expect(payer.calls.count <= paid + 1, "a month is, and charges one period ahead at most")
    }

    @Test("A clock that is doubted is believed once the application or another source of time says that it is right")
    func witness() async throws {
        let first = scheduler()
        try await first.add(try plan(RecurringPolicy(.latestOnly)))
        try await first.look()
        clock.advance(by: .seconds(200 * Self.day))
        let held = scheduler()
        try await held.look()
        #expect(payer.calls.count == 1 && words.last == "doubtful clock")
        let lying = scheduler(witness: { [clock] in clock.now.addingTimeInterval(-3601) })
        try await lying.look()
        #expect(payer.calls.count == 1)
        let told = scheduler(witness: { [clock] in clock.now.addingTimeInterval(-3600) })
        try await told.look()
        #expect(payer.calls.count == 2)
        clock.advance(by: .seconds(200 * Self.day))
        let again = scheduler()
        try await again.look()
        #expect(payer.calls.count == 2)
        try await again.trustClock()
        try await again.look()
        #expect(payer.calls.count == 3)
    }

    @Test("After a crash while paying the service is asked, and nothing is paid until it reports that nothing was sent")
    func interrupted() async throws {
        payer.answers = [
            .lost, .answer(.unknown("?")), .answer(.unknown("?")), .nothing, .answer(.paid(transactionID: "t")),
        ]
        let scheduler = scheduler()
        try await scheduler.add(try plan())
        for _ in 0..<4 {
            try await scheduler.look()
            clock.advance(by: .seconds(3600))
        }
        #expect(payer.calls == ["pay sub/0", "fate sub/0", "fate sub/0", "fate sub/0", "pay sub/0"])
        #expect(words == ["unknown 0", "unknown 0", "unknown 0", "paid 0"])
        #expect(try await plans.charge(id(0))?.state == .paid(transactionID: "t"))
    }

    @Test("A period that may have been paid is never abandoned, however late it is")
    func neverGivenUp() async throws {
        payer.answers = [.lost] + Array(repeating: .answer(.unknown("?")), count: 12)
        let scheduler = scheduler()
        try await scheduler.add(try plan(RecurringPolicy(.latestOnly, grace: .seconds(60)), .yearly(month: 1, day: 15)))
        for _ in 0..<12 {
            try await scheduler.look()
            clock.advance(by: .seconds(Self.day))
        }
        #expect(try await plans.charge(id(0))?.state.isOpen == true)
        payer.answers = [.answer(.paid(transactionID: nil))]
        try await scheduler.look()
        #expect(try await plans.charge(id(0))?.state == .paid(transactionID: nil))
    }

    @Test("Another worker that takes over leaves nothing to the one that stalled")
    func takenOver() async throws {
        let other = scheduler()
        payer.whilePaying = { [clock] in
            clock.advance(by: .seconds(3600))
            try? await other.look()
        }
        payer.answers = [.answer(.paid(transactionID: "late")), .answer(.paid(transactionID: "found"))]
        let stalled = scheduler()
        try await stalled.add(try plan())
        try await stalled.look()
        // The stalled worker's result is refused: another worker has its lease.
        #expect(try await plans.charge(id(0))?.state == .paid(transactionID: "found"))
        #expect(payer.calls == ["pay sub/0", "fate sub/0"] && words == ["paid 0"])
    }

    @Test("A decline is tried again as often as the policy says; what cannot be sent until it is too late")
    func declined() async throws {
        payer.answers = Array(repeating: .answer(.declined("no money")), count: 9)
        let scheduler = scheduler()
        try await scheduler.add(try plan(RecurringPolicy(.latestOnly, mostAttempts: 3), .weekly))
        for _ in 0..<9 {
            try await scheduler.look()
            clock.advance(by: .seconds(3600))
        }
        #expect(words == ["postponed 0", "postponed 0", "missed 0: declined: no money"])
        payer.answers = Array(repeating: .answer(.notNow("offline")), count: 90)
        clock.advance(by: .seconds(7 * Self.day))
        for _ in 0..<30 {
            try await scheduler.look()
            clock.advance(by: .seconds(3600))
        }
        #expect(words.last == "missed 1: it could not be paid: it was tried until it was too late")
        #expect(payer.calls.count > 20)
    }

    @Test("A period that needs the payer's answer waits for it, is paid with it, and is missed without it in time")
    func approval() async throws {
        payer.answers = [.answer(.needsApproval("above")), .answer(.paid(transactionID: nil))]
        let scheduler = scheduler()
        try await scheduler.add(try plan(RecurringPolicy(.all, grace: .seconds(7200))))
        try await scheduler.look()
        try await scheduler.look()
        #expect(payer.calls == ["pay sub/0"] && words == ["waiting 0"])
        try await scheduler.approve(id(0))
        #expect(payer.calls.last == "pay sub/0 approved" && words.last == "paid 0")
        await #expect(throws: RecurringAnswerError.tooLate(id(0))) { try await scheduler.approve(id(0)) }
        await #expect(throws: RecurringAnswerError.tooLate(id(0))) { try await scheduler.refuse(id(0)) }
        await #expect(throws: RecurringAnswerError.notOpened(id(9))) { try await scheduler.refuse(id(9)) }
        #expect(payer.calls.count == 2)
        for (number, end) in [(1, "missed 1: it was not approved"), (2, "missed 2: the payer said no")] {
            payer.answers = [.answer(.needsApproval("above"))]
            clock.advance(by: .seconds(Self.day))
            try await scheduler.look()
            if number == 2 {
                try await scheduler.refuse(id(2))
            } else {
                clock.advance(by: .seconds(7200))
                await #expect(throws: RecurringAnswerError.tooLate(id(1))) { try await scheduler.approve(id(1)) }
                #expect(payer.calls.count == 3, "too late is too late")
                try await scheduler.look()
                clock.advance(by: .seconds(-7200))
            }
            #expect(words.last == end)
        }
    }

    @Test("After downtime each period is there, charged or missed as the policy says, and reported")
    func downtime() async throws {
        let first = scheduler()
        try await first.add(try plan(RecurringPolicy(.all, mostCaughtUp: 2)))
        try await first.look()
        clock.advance(by: .seconds(5 * Self.day))
        try await scheduler().look()
        let absent = (1...3).map { "missed \($0): no application was running to pay it" }
        #expect(Array(words.prefix(4)) == ["paid 0"] + absent)
        // Due plans are charged concurrently.
        #expect(words.dropFirst(4).sorted() == ["paid 4", "paid 5"])
    }

    @Test("What a plan is ended or paused in the middle of is not begun, and what was begun is seen through")
    func ended() async throws {
        payer.answers = [.lost, .answer(.paid(transactionID: nil))]
        let scheduler = scheduler()
        try await scheduler.add(try plan())
        try await scheduler.look()
        try await scheduler.end(RecurringPlan.ID(rawValue: "sub"))
        clock.advance(by: .seconds(10 * Self.day))
        try await scheduler.look()
        #expect(words == ["unknown 0", "paid 0"])
        #expect(try await plans.charges(of: RecurringPlan.ID(rawValue: "sub")).count == 1)
        payer.answers = [.answer(.notNow("offline"))]
        let other = try RecurringPlan("other", from: clock.now)
        try await scheduler.add(other)
        try await scheduler.look()
        try await scheduler.end(other.id)
        clock.advance(by: .seconds(120))
        try await scheduler.look()
        #expect(words.last == "missed 0: it was ended")
    }

    @Test("A plan that is stopped at a moment is charged until then, and what waits by then keeps waiting")
    func stopped() async throws {
        payer.answers = [.answer(.paid(transactionID: nil)), .answer(.needsApproval("above the limit"))]
        let (scheduler, id) = (scheduler(), RecurringPlan.ID(rawValue: "sub"))
        try await scheduler.add(try plan())
        try await scheduler.stop(id, at: clock.now.addingTimeInterval(Double(2 * Self.day)))
        #expect(try await scheduler.plans().map(\.id) == [id])
        try await scheduler.look()
        clock.advance(by: .seconds(Self.day))
        try await scheduler.look()
        for _ in 0..<2 { try await scheduler.stop(id, at: clock.now.addingTimeInterval(Double(Self.day))) }
        try await scheduler.approve(RecurringCharge.ID(plan: id, number: 1))
        clock.advance(by: .seconds(9 * Self.day))
        try await scheduler.look()
        #expect(words == ["paid 0", "waiting 1", "paid 1"])
    }

    @Test("A store that fails is a problem of that look, and pays nothing")
    func problems() async throws {
        let scheduler = RecurringScheduler(store: store, payer: payer, clock: clock, listener: { _ in })
        try await scheduler.add(try plan())
        await #expect(throws: RecurringPlanError.self) { try await scheduler.add(try plan()) }
        try await scheduler.change(RecurringPlan.ID(rawValue: "nobody")) { _, _ in [] }
        #expect(payer.calls.isEmpty)
    }

    @Test("A period whose lease cannot be taken is reported, and paid at the next look")
    func failingLease() async throws {
        let failing = OvertakenRecords(store) { throw JournalError.notAJournal(path: "plans") }
        let scheduler = RecurringScheduler(
            store: failing, payer: payer, clock: clock,
            listener: { [heard] event in heard.add(event) })
        try await scheduler.add(try plan())
        try await scheduler.look()
        #expect(words == ["problem"] && payer.calls.isEmpty)
        try await scheduler.look()
        #expect(words == ["problem", "paid 0"])
    }
}

/// A clock that was set; its uptime is unaffected.
final class SetClock: PaymentClock {
    let isSet = Mutex(true)
    private let base: VirtualClock
    private let difference: Double

    init(_ base: VirtualClock, by difference: Duration) {
        self.base = base
        self.difference = difference / .seconds(1)
    }

    var now: Date { base.now.addingTimeInterval(isSet.withLock { $0 } ? difference : 0) }
    var uptime: Duration { base.uptime }
    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}

/// A payer with scripted answers, which is paid otherwise.
final class ScriptedPayer: RecurringPayer {
    enum Step: Sendable {
        case answer(RecurringAnswer)
        case lost
        case nothing
    }

    struct Lost: Error {}

    private struct State {
        var answers: [Step] = []
        var calls: [String] = []
        var whilePaying: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var calls: [String] { state.withLock { $0.calls } }
    var answers: [Step] {
        get { state.withLock { $0.answers } }
        set { state.withLock { $0.answers = newValue } }
    }
    var whilePaying: (@Sendable () async -> Void)? {
        get { state.withLock { $0.whilePaying } }
        set { state.withLock { $0.whilePaying = newValue } }
    }

    private func next(_ call: String) throws -> RecurringAnswer? {
        let step = state.withLock {
            $0.calls.append(call)
            return $0.answers.isEmpty ? Step.answer(.paid(transactionID: nil)) : $0.answers.removeFirst()
        }
        switch step {
        case .answer(let answer): return answer
        case .lost: throw Lost()
        case .nothing: return nil
        }
    }

    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        let answer = try next("pay \(charge.id)" + (charge.isApproved ? " approved" : ""))
        if let work = state.withLock({ state in
            defer { state.whilePaying = nil }
            return state.whilePaying
        }) {
            await work()
        }
        return answer ?? .unknown("")
    }

    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try next("fate \(charge.id)")
    }
}
