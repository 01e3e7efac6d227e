import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization
import TestSupport
import Testing

/// The payer's answers about periods, from inside the listener and while other workers have the period.
@Suite("The payer's answers about periods")
struct DecisionTests {
    private let clock = VirtualClock()
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let payer = ScriptedPayer()
    private let log = Log()
    private let id = RecurringCharge.ID(plan: RecurringPlan.ID(rawValue: "gym"), number: 0)

    /// The scheduler, for its own listener, and the events.
    private final class Log: Sendable {
        let scheduler = Mutex<RecurringScheduler?>(nil)
        let events = Mutex<[String]>([])
        let failures = Mutex<[String]>([])

        func answer(_ answer: (RecurringScheduler) async throws -> Void) async {
            guard let scheduler = scheduler.withLock({ $0 }) else { return }
            do { try await answer(scheduler) } catch { failures.withLock { $0.append("\(error)") } }
        }
    }

    private func scheduler(
        _ answer: @escaping @Sendable (RecurringScheduler, RecurringEvent) async throws -> Void = { _, _ in }
    ) -> RecurringScheduler {
        let log = log
        let scheduler = RecurringScheduler(
            store: store, payer: payer, clock: clock,
            listener: { event in
                log.events.withLock { $0.append(Self.name(event)) }
                await log.answer { try await answer($0, event) }
            })
        log.scheduler.withLock { $0 = scheduler }
        return scheduler
    }

    private static func name(_ event: RecurringEvent) -> String {
        switch event {
        case .upcoming: "upcoming"
        case .paid: "paid"
        case .missed: "missed"
        case .waiting: "waiting"
        case .postponed: "postponed"
        case .unknown: "unknown"
        default: "\(event)"
        }
    }

    private var events: [String] { log.events.withLock { $0 } }
    private var failures: [String] { log.failures.withLock { $0 } }

    private func plan(notice: Duration = .zero, mostAttempts: Int = 3) throws -> RecurringPlan {
        try RecurringPlan(
            id.plan.rawValue, from: clock.now.addingTimeInterval(notice / .seconds(1)),
            RecurringPolicy(.all, notice: notice, mostAttempts: mostAttempts))
    }

    @Test("A refusal from inside the listener takes effect: an announced period is not paid")
    func refusesAnnounced() async throws {
        let scheduler = scheduler { scheduler, event in
            if case .upcoming(let charge) = event { try await scheduler.refuse(charge.id) }
        }
        try await scheduler.add(try plan(notice: .seconds(7200)))
        try await scheduler.look()
        clock.advance(by: .seconds(7200))
        try await scheduler.look()
        #expect(payer.calls.isEmpty && failures.isEmpty)
        #expect(events == ["upcoming", "missed"])
        #expect(try await plans.charge(id)?.state == .missed(.refused))
    }

    @Test("An approval from inside the listener takes effect, and its payment is reported afterwards")
    func approvesWaiting() async throws {
        payer.answers = [.answer(.needsApproval("above"))]
        let scheduler = scheduler { scheduler, event in
            if case .waiting(let charge) = event { try await scheduler.approve(charge.id) }
        }
        try await scheduler.add(try plan())
        try await scheduler.look()
        #expect(payer.calls == ["pay gym/0", "pay gym/0 approved"] && failures.isEmpty)
        #expect(events == ["waiting", "paid"])
    }

    @Test("An approval from inside the announcement pays at once")
    func approvesAnnounced() async throws {
        let scheduler = scheduler { scheduler, event in
            if case .upcoming(let charge) = event { try await scheduler.approve(charge.id) }
        }
        try await scheduler.add(try plan(notice: .seconds(7200)))
        try await scheduler.look()
        #expect(payer.calls == ["pay gym/0 approved"] && failures.isEmpty)
        #expect(events == ["upcoming", "paid"])
    }

    @Test("An approval from inside the announcement stands when its payment is put off: it is not announced over")
    func approvesPutOff() async throws {
        payer.answers = [.answer(.notNow("offline"))]
        let scheduler = scheduler { scheduler, event in
            if case .upcoming(let charge) = event { try await scheduler.approve(charge.id) }
        }
        try await scheduler.add(try plan(notice: .seconds(7200)))
        try await scheduler.look()
        clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(payer.calls == ["pay gym/0 approved", "pay gym/0 approved"] && failures.isEmpty)
        #expect(events == ["upcoming", "postponed", "paid"])
    }

    @Test("An answer waits for the worker that has the period, and is not lost when that never ends")
    func inUse() async throws {
        let scheduler = scheduler()
        try await scheduler.add(try plan(notice: .seconds(7200)))
        try await scheduler.look()
        let lease = RecurringPlans.lease(of: id, holder: "another", duration: .seconds(3600))
        #expect(await store.acquire(lease, at: clock.now))
        let (asked, store) = (clock.uptime, store)
        // So that the test ends, and fails, where nothing bounds the wait.
        let release = Task {
            try await Task.sleep(for: .seconds(5))
            await store.release(lease)
        }
        defer { release.cancel() }
        await #expect(throws: RecurringAnswerError.inUse(id)) { try await scheduler.refuse(id) }
        #expect(clock.uptime - asked == .seconds(30))
        #expect(try await plans.charge(id)?.state == .announced)
        let patient = RecurringScheduler(
            store: store, payer: payer,
            clock: WatchedClock(base: clock, whileAsleep: { await store.release(lease) }))
        try await patient.refuse(id)
        #expect(try await plans.charge(id)?.state == .missed(.refused))
    }

    /// A clock that lets something happen before each wait.
    private struct WatchedClock: PaymentClock {
        let base: VirtualClock
        let whileAsleep: @Sendable () async -> Void
        var now: Date { base.now }
        var uptime: Duration { base.uptime }
        func sleep(for duration: Duration) async throws {
            await whileAsleep()
            try await base.sleep(for: duration)
        }
    }

    @Test("Outages are no declines, however many")
    func outages() async throws {
        payer.answers =
            Array(repeating: .answer(.notNow("offline")), count: 3) + [.answer(.declined("no money"))]
        let scheduler = scheduler()
        try await scheduler.add(try plan(mostAttempts: 2))
        for _ in 0..<5 {
            try await scheduler.look()
            clock.advance(by: .seconds(3600))
        }
        #expect(events == ["postponed", "postponed", "postponed", "postponed", "paid"])
    }
}
