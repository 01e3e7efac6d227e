import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization
import TestSupport
import Testing

@Suite("Trust in the clock of what recurs")
struct RecurringTrustTests {
    /// A clock that can be set, by a number of hours; its uptime is unaffected.
    private final class OffClock: PaymentClock {
        private let base = VirtualClock(Date(timeIntervalSince1970: 1_800_000_000 - 86_400))
        let hours = Mutex(0.0)

        init() { base.advance(by: .seconds(86_400)) }

        var now: Date { base.now.addingTimeInterval(3600 * hours.withLock { $0 }) }
        var uptime: Duration { base.uptime }
        func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

        /// Lets hours pass, and sets the clock.
        func pass(_ passed: Double, andSetTo hours: Double) {
            base.advance(by: .seconds(3600 * passed))
            self.hours.withLock { $0 = hours }
        }
    }

    private let clock = OffClock()
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private let list = Collected<RecurringEvent>()
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func scheduler(witness: RecurringScheduler.Witness? = nil) -> RecurringScheduler {
        let list = list
        return RecurringScheduler(
            store: store, payer: ScriptedPayer(), clock: clock, witness: witness,
            listener: { event in list.add(event) })
    }

    /// A scheduler that has trusted the present time, with a plan that begins in fifty years.
    private func running(witness: RecurringScheduler.Witness? = nil) async throws -> RecurringScheduler {
        let scheduler = scheduler(witness: witness)
        try await scheduler.add(RecurringPlan("sub", from: clock.now.addingTimeInterval(50 * 365 * 86_400)))
        return scheduler
    }

    /// Looks, and returns true if the clock was believed.
    private func believes(_ scheduler: RecurringScheduler) async throws -> Bool {
        list.clear()
        try await scheduler.look()
        return list.all.isEmpty
    }

    @Test("A clock that is doubted is reported with its time and the trusted one", arguments: [-25.0, 745])
    func reported(hours: Double) async throws {
        _ = try await running()
        clock.pass(0, andSetTo: hours)
        #expect(try await !believes(scheduler()))
        #expect(list.all == [.doubtfulClock(now: clock.now, trusted: start)])
        #expect(try await plans.trustedTime() == start)
    }

    private static let halfASecond = 0.5 / 3600

    @Test(
        "While a scheduler runs, the clock is believed within a day, ahead and behind",
        arguments: [(-26.0, true), (-26 - halfASecond, false), (24, true), (24 + halfASecond, false)])
    func drift(hours: Double, isBelieved: Bool) async throws {
        let scheduler = try await running()
        clock.pass(2, andSetTo: hours)
        #expect(try await believes(scheduler) == isBelieved)
    }

    @Test(
        "After a restart, the clock is believed within 31 days",
        arguments: [(744.0, true), (744 + halfASecond, false)])
    func absence(hours: Double, isBelieved: Bool) async throws {
        _ = try await running()
        clock.pass(2, andSetTo: hours - 2)
        #expect(try await believes(scheduler()) == isBelieved)
    }

    @Test("A clock that is set forward a little at a time is believed for a day in all")
    func creeping() async throws {
        let scheduler = try await running()
        clock.pass(1, andSetTo: 20)
        #expect(try await believes(scheduler))
        clock.pass(1, andSetTo: 40)
        #expect(try await !believes(scheduler))
    }

    @Test("A running scheduler asks another source of time once, and follows the clock that it has confirmed")
    func witness() async throws {
        let asked = Mutex(0)
        let scheduler = try await running(witness: { [clock] in
            asked.withLock { $0 += 1 }
            return clock.now
        })
        clock.pass(1, andSetTo: 2400)
        for _ in 0..<3 {
            #expect(try await believes(scheduler))
            clock.pass(1, andSetTo: 2400)
        }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("A later time that another scheduler has trusted in the meantime stays")
    func later() async throws {
        let later = start.addingTimeInterval(10_000 * 3600)
        let scheduler = try await running(witness: { [clock, plans] in
            try? await plans.trust(later, isCorrection: false)
            return clock.now
        })
        clock.pass(0, andSetTo: 2400)
        #expect(try await believes(scheduler))
        #expect(try await plans.trustedTime() == later)
    }

    @Test("A running scheduler follows a clock that another one has confirmed", arguments: [true, false])
    func confirmedElsewhere(isRestarted: Bool) async throws {
        var scheduler = try await running()
        if isRestarted {
            scheduler = self.scheduler()
            #expect(try await believes(scheduler))
        }
        clock.pass(0, andSetTo: 2400)
        #expect(try await !believes(scheduler))
        try await self.scheduler().trustClock()
        for _ in 0..<2 {
            clock.pass(1, andSetTo: 2400)
            #expect(try await believes(scheduler))
        }
        clock.pass(0, andSetTo: 2430)
        #expect(try await !believes(scheduler))
    }

    @Test(
        "A clock that was confirmed at an earlier time, here or elsewhere, is not believed when it is set forward again",
        arguments: [true, false])
    func confirmedEarlier(isElsewhere: Bool) async throws {
        _ = try await running()
        clock.pass(0, andSetTo: 480)
        let scheduler = scheduler()
        #expect(try await believes(scheduler))
        clock.pass(0, andSetTo: 0)
        try await (isElsewhere ? self.scheduler() : scheduler).trustClock()
        // Longer than the drift.
        clock.pass(30, andSetTo: 0)
        #expect(try await believes(scheduler))
        clock.pass(0, andSetTo: 480)
        #expect(try await !believes(scheduler))
    }
}
