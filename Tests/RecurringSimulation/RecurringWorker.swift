import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import Synchronization

/// A scheduler in a separate process, which may end or stall at each access.
struct RecurringWorker: Sendable {
    struct Crash: Error {}

    /// The state of the process, and its faults.
    final class Life: Sendable {
        private let history: RecurringHistory
        private let isReliable: Bool
        private let dead = Mutex(false)

        init(_ history: RecurringHistory, isReliable: Bool) {
            self.history = history
            self.isReliable = isReliable
        }

        var isDead: Bool { dead.withLock { $0 } }

        /// A moment at which any fault can happen.
        func point() async throws {
            if isDead { throw Crash() }
            guard !isReliable else { return }
            if history.chance(history.trouble) {
                dead.withLock { $0 = true }
                history.state.withLock { $0.verdict.crashes += 1 }
                throw Crash()
            }
            if history.chance(history.trouble) { await history.stall() }
        }
    }

    /// A clock that may be wrong; its uptime never is.
    private struct Clock: PaymentClock {
        let history: RecurringHistory
        let start: Date

        var now: Date { history.state.withLock { $0.now.addingTimeInterval($0.offset) } }
        var uptime: Duration { .seconds(history.now.timeIntervalSince(start)) }
        func sleep(for duration: Duration) async throws { history.advance(duration / .seconds(1)) }
    }

    let life: Life
    let scheduler: RecurringScheduler

    init(_ history: RecurringHistory, isReliable: Bool = false) {
        life = Life(history, isReliable: isReliable)
        let trust =
            history.mistake == .anyClock
            ? RecurringTrust(longestAbsence: .seconds(1 << 40), longestDrift: .seconds(1 << 40)) : RecurringTrust()
        scheduler = RecurringScheduler(
            journal: CrashingJournal(history: history, life: life), payer: RecurringBankPayer(history, life),
            clock: Clock(history: history, start: history.now), random: history.random, trust: trust,
            lease: .seconds(600), width: 1,
            listener: { [answering] event in
                history.hear(event)
                if let scheduler = answering.scheduler { await history.answer(event, to: scheduler) }
            })
        answering.scheduler = scheduler
    }

    /// The scheduler, for its listener, which answers from inside.
    private final class Answering: Sendable {
        private let state = Mutex<RecurringScheduler?>(nil)

        var scheduler: RecurringScheduler? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    private let answering = Answering()

    var isDead: Bool { life.isDead }
}

/// A worker's journal: the worker may crash before and after each write.
private struct CrashingJournal: RecurringJournal {
    let history: RecurringHistory
    let life: RecurringWorker.Life
    private var base: InMemoryRecurringJournal { history.store }

    init(history: RecurringHistory, life: RecurringWorker.Life) {
        self.history = history
        self.life = life
    }

    private func wrote<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await life.point()
        let result = try await work()
        try await life.point()
        return result
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await wrote { await base.acquire(lease, at: now) }
    }

    func renew(_ lease: PaymentLease, at now: Date) async throws {
        try await wrote { try await base.renew(lease, at: now) }
    }

    func release(_ lease: PaymentLease) async throws { try await wrote { await base.release(lease) } }

    func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
        try await wrote {
            let stored = try await base.store(plan, opening: charges)
            if history.mistake == .silentMisses { history.forgetMisses(charges) }
            return stored
        }
    }

    func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? {
        try await life.point()
        return await base.plan(id)
    }

    func plans() async throws -> [RecurringPlan] { await base.plans() }

    func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
        try await life.point()
        return await base.plans(dueBy: date, limit: limit)
    }

    func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await wrote {
            if history.mistake == .lostEnding, case .paid = charge.state { return }
            try await base.write(charge, under: lease, at: now)
        }
    }

    func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await wrote {
            if history.mistake == .keptMisses { return }
            try await base.reopen(charge, under: lease, at: now)
        }
    }

    func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? {
        try await life.point()
        return await base.charge(id)
    }

    func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] { await base.charges(of: plan) }

    func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
        try await life.point()
        return await base.openCharges(by: date, limit: limit)
    }

    func trustedTime() async throws -> Date? { await base.trustedTime() }

    func trust(_ date: Date, isCorrection: Bool) async throws {
        try await wrote { await base.trust(date, isCorrection: isCorrection) }
    }
}
