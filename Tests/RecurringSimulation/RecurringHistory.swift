import Foundation
import PaymentCore
import PaymentRecurring
import PaymentTesting
import Synchronization

/// Years of many plans, charged by several workers that crash, stall, are away, and have wrong clocks.
///
/// Everything runs on one task: while a worker stalls, others look in the middle of its work. The same seed is the same
/// history.
package final class RecurringHistory: Sendable {
    /// The size of a history.
    package struct Size: Sendable {
        /// The number of plans.
        package var plans: Int
        /// The number of days.
        package var days: Int
        /// True if clocks may be wrong.
        package var hasWrongClocks: Bool

        package init(plans: Int, days: Int = 1826, hasWrongClocks: Bool = true) {
            self.plans = plans
            self.days = days
            self.hasWrongClocks = hasWrongClocks
        }
    }

    /// The result of a history.
    package struct Verdict: Sendable {
        /// The violations, one sentence each; the first fifty.
        package var breaches: [String] = []
        /// The number of periods.
        package var periods = 0
        /// The number of paid periods.
        package var paid = 0
        /// The number of missed periods, by reason.
        package var missed: [String: Int] = [:]
        /// The number of crashes, stalls and looks of workers.
        package var (crashes, stalls, looks) = (0, 0, 0)
    }

    /// A planted mistake.
    package enum Mistake: String, Sendable, CaseIterable {
        case unjoinedPayer = "a payer pays although another has taken the payment over"
        case forgetfulPayer = "a payer says that nothing was sent when it does not know"
        case lostEnding = "that a period was paid is not kept"
        case anyClock = "any clock is believed"
        case silentMisses = "periods that are missed are not kept"
        case firstClock = "the time at which a plan is added is not trusted, and the first clock is believed"
        case keptMisses = "periods that a clock that was ahead has ended stay missed"
        case anyTerms = "terms of a plan that have changed since the payer was asked are taken for the same"
        case swallowedAnswers = "an answer from inside a listener is taken for given when it was refused"
    }

    static let start = Date(timeIntervalSince1970: 1_767_225_600)
    static let day = 86_400.0

    struct State {
        var now = RecurringHistory.start
        /// The error of the workers' clocks, in seconds.
        var offset = 0.0
        /// True if a clock was ever wrong.
        var wasWrong = false
        var verdict = Verdict()
        var depth = 0
        /// The start times of completed looks.
        var looks: [Date] = []
        /// The periods that a planted mistake makes the store forget.
        var forgotten: Set<RecurringCharge.ID> = []
        /// The times of the payer's notices of coming periods.
        var told: [RecurringCharge.ID: Date] = [:]
        /// The payer's answers from inside listeners that were taken: true for a yes.
        var answers: [RecurringCharge.ID: Bool] = [:]
    }

    let state = Mutex(State())
    let random: SeededRandomSource
    let size: Size
    let mistake: Mistake?
    let store = InMemoryRecords()
    var records: RecurringPlans { RecurringPlans(store) }
    let bank: RecurringBank
    private let plans: [RecurringPlan]

    package init(seed: UInt64, size: Size, mistake: Mistake? = nil) throws {
        random = SeededRandomSource(seed: seed)
        self.size = size
        self.mistake = mistake
        bank = RecurringBank()
        let random = random
        plans = try (0..<size.plans).map { try Self.plan($0, random, size) }
    }

    var now: Date { state.withLock { $0.now } }

    /// The probability that a worker crashes, or stalls, at each access: the same in a look at many plans as in one at
    /// ten, so that most periods are paid for any number of plans.
    var trouble: Double { 0.004 * min(1, 10 / Double(max(1, size.plans))) }

    func chance(_ probability: Double) -> Bool { random.fraction() < probability }

    func advance(_ seconds: Double) { state.withLock { $0.now += seconds } }

    // MARK: Plans

    private static let zones = ["GMT", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"]

    private static func plan(_ index: Int, _ random: SeededRandomSource, _ size: Size) throws -> RecurringPlan {
        func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let rhythm: RecurringSchedule.Rhythm =
            switch draw(10) {
            case 0: .daily
            case 1, 2: .weekly
            case 3: .yearly(month: 2, day: 29)
            case 4: .every(seconds: Int64(86_400 + draw(1_000_000)))
            default: .monthly(day: 1 + draw(31))
            }
        let start = Self.start.addingTimeInterval(Double(draw(60 * 86_400)))
        let policy = RecurringPolicy(
            [.all, .latestOnly, .none][draw(3)], mostCaughtUp: 1 + draw(40), ahead: .seconds(draw(2) * draw(7200)),
            notice: .seconds(draw(3) / 2 * (60 + draw(7200))), grace: .seconds(3600 * (1 + draw(72))),
            mostAttempts: 1 + draw(4))
        return try RecurringPlan(
            id: RecurringPlan.ID(rawValue: "plan-\(index)"), provider: "acme",
            amount: Money(minorUnits: UInt128(1 + draw(100_000)), currency: .satoshi),
            schedule: RecurringSchedule(
                rhythm, from: start, until: draw(8) == 0 ? start.addingTimeInterval(day * 400) : nil,
                in: TimeZone(identifier: zones[draw(zones.count)]) ?? .gmt),
            policy: policy, details: ["asks": .bool(draw(10) == 0)])
    }

    // MARK: Playing

    /// Runs it to its end, and judges it.
    package func run() async throws -> Verdict {
        try await addPlans()
        var workers: [RecurringWorker?] = [nil, nil, nil]
        let end = Self.start.addingTimeInterval(Double(size.days) * Self.day)
        while now < end {
            // Mostly hours pass, now and then weeks without any worker.
            advance(chance(0.01) ? random.fraction() * 45 * Self.day : random.fraction() * 0.9 * Self.day)
            if size.hasWrongClocks { moveClock() }
            let index = Int(random.next() % 3)
            let worker = workers[index] ?? RecurringWorker(self)
            workers[index] = worker
            await look(worker)
            if chance(0.02) { try await change(worker) }
            // An operator confirms that the clock is right, after a long absence.
            if chance(0.05), state.withLock({ $0.offset == 0 }) { try? await worker.scheduler.trustClock() }
            if worker.isDead || chance(0.03) { workers[index] = nil }
        }
        try await settle()
        try await judge()
        return state.withLock { $0.verdict }
    }

    /// Adds the plans by a right clock. The next process may have one that is far ahead.
    private func addPlans() async throws {
        let scheduler = RecurringWorker(self, isReliable: true).scheduler
        for plan in plans {
            if mistake == .firstClock {
                try await records.store(plan, opening: [])
            } else {
                try await scheduler.add(plan)
            }
        }
        if size.hasWrongClocks, chance(0.3) { moveClock(by: 400) }
    }

    private func moveClock() {
        guard chance(0.01) else { return }
        let offset = [0, 0, 0, -400, -2, -1.0 / 12, 1.0 / 12, 0.5, 15, 20, 400, 4000][Int(random.next() % 12)]
        moveClock(by: offset)
    }

    private func moveClock(by offset: Double) {
        state.withLock {
            $0.offset = offset * Self.day
            $0.wasWrong = $0.wasWrong || offset > 0
        }
    }

    func look(_ worker: RecurringWorker) async {
        let (began, stalls) = state.withLock {
            $0.verdict.looks += 1
            $0.depth += 1
            return ($0.now, $0.verdict.stalls)
        }
        defer { state.withLock { $0.depth -= 1 } }
        guard (try? await worker.scheduler.look()) != nil, !worker.isDead else { return }
        // A stalled worker may have seen less than others by its end, and one that distrusted its clock nothing.
        guard state.withLock({ $0.verdict.stalls }) == stalls, let trusted = try? await records.trustedTime(),
            trusted >= began.addingTimeInterval(-61)
        else { return }
        state.withLock { $0.looks.append(began) }
    }

    /// Records an event for the payer.
    func hear(_ event: RecurringEvent) {
        guard case .upcoming(let charge) = event else { return }
        state.withLock { if $0.told[charge.id] == nil { $0.told[charge.id] = $0.now } }
    }

    /// Answers an event from inside its listener, by chance.
    func answer(_ event: RecurringEvent, to scheduler: RecurringScheduler) async {
        let id: RecurringCharge.ID
        switch event {
        case .upcoming(let charge), .waiting(let charge): id = charge.id
        // Too late, or beside another worker.
        case .postponed(let charge, _), .unknown(let charge), .paid(let charge): id = charge.id
        default: return
        }
        guard chance(0.1) else { return }
        let isYes = chance(0.5)
        do {
            if isYes { try await scheduler.approve(id) } else { try await scheduler.refuse(id) }
        } catch {
            guard mistake == .swallowedAnswers, error is RecurringAnswerError else { return }
        }
        state.withLock { $0.answers[id] = $0.answers[id] ?? isYes }
    }

    func forgetMisses(_ charges: [RecurringCharge]) {
        state.withLock { $0.forgotten.formUnion(charges.filter { $0.state == .missed(.absence) }.map(\.id)) }
    }

    /// Stalls a worker in the middle of its work: time passes, and others look.
    func stall() async {
        guard state.withLock({ $0.depth < 3 }) else { return }
        state.withLock { $0.verdict.stalls += 1 }
        advance(random.fraction() * 1800)
        await look(RecurringWorker(self))
    }

    private func change(_ worker: RecurringWorker) async throws {
        guard let plan = plans.randomElement(random) else { return }
        switch random.next() % 9 {
        case 0: try? await worker.scheduler.end(plan.id)
        case 1, 2: try? await worker.scheduler.pause(plan.id)
        case 3, 4, 5: try? await worker.scheduler.resume(plan.id)
        case 6:
            let payee = JSONValue.number(JSONNumber(Int64(random.next() % 1000)))
            try? await worker.scheduler.change(plan.id) { plan, _ in
                plan.details["payee"] = payee
                return []
            }
        default:
            for charge in try await records.charges(of: plan.id) where !charge.state.isFinal {
                guard case .waiting = charge.state else { continue }
                if chance(0.3) {
                    try? await worker.scheduler.refuse(charge.id)
                } else {
                    try? await worker.scheduler.approve(charge.id)
                }
            }
        }
    }

    /// Settles: all clocks are right, nothing fails, and everything completes.
    private func settle() async throws {
        bank.isReliable.withLock { $0 = true }
        state.withLock { $0.offset = 0 }
        let worker = RecurringWorker(self, isReliable: true)
        try await worker.scheduler.trustClock()
        try await judgeReopening()
        for _ in 0..<120 {
            try await worker.scheduler.look()
            advance(6 * 3600)
        }
        try await worker.scheduler.look()
    }
}

extension Array {
    func randomElement(_ random: SeededRandomSource) -> Element? {
        isEmpty ? nil : self[Int(random.next() % UInt64(count))]
    }
}
