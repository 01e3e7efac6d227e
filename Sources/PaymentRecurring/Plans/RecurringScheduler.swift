public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Charges what recurs: opens periods as they begin, and sees each of them through to paid or missed.
///
/// Any number of schedulers may share a journal, in one process or several, and any of them may end at any moment. A
/// period is opened once, by whoever stores its plan first; it is paid under its lease, and under a name that no other
/// payment has; and once somebody has begun to pay it, nobody pays it again unless the ``RecurringPayer`` says that
/// nothing came of it. So a period is paid once at most, and ends paid or missed.
///
/// ```swift
/// let scheduler = RecurringScheduler(journal: journal, payer: payer, listener: { event in print(event) })
/// try await scheduler.add(plan)
/// await scheduler.run()
/// ```
///
/// <doc:Recurring> says what becomes of downtime, of the clock and of periods that nobody can say anything of.
public actor RecurringScheduler {
    /// Hears what happens.
    public typealias Listener = @Sendable (RecurringEvent) async -> Void
    /// Says what time it is by another source than this device's clock, such as a server's; nil when it cannot.
    public typealias Witness = @Sendable () async -> Date?

    let journal: any RecurringJournal
    let payer: any RecurringPayer
    let clock: any PaymentClock
    let random: any RandomSource
    let lease: Duration
    private let width: Int
    private let witness: Witness?
    let listener: Listener
    private var time: TrustedTime
    private static let page = 200

    /// Creates a scheduler.
    ///
    /// - Parameters:
    ///   - journal: plans and periods.
    ///   - payer: pays.
    ///   - clock: says what is due.
    ///   - random: names this scheduler's leases.
    ///   - trust: how far the clock is believed.
    ///   - witness: another source of the time, asked where the clock is not believed.
    ///   - lease: how long a payment may take before another scheduler asks what became of it.
    ///   - width: how many periods are paid at the same time.
    ///   - listener: hears what happens.
    public init(
        journal: any RecurringJournal, payer: any RecurringPayer, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), trust: RecurringTrust = RecurringTrust(),
        witness: Witness? = nil, lease: Duration = .seconds(600), width: Int = 4,
        listener: @escaping Listener = { _ in }
    ) {
        self.journal = journal
        self.payer = payer
        self.clock = clock
        self.random = random
        self.lease = lease
        self.width = max(1, width)
        self.witness = witness
        self.listener = listener
        time = TrustedTime(trust)
    }

    // MARK: Looking

    /// Looks again and again until the task is cancelled. What goes wrong is told, and tried the next time.
    ///
    /// - Parameter pause: how long to wait between two looks.
    public func run(every pause: Duration = .seconds(3600)) async {
        while !Task.isCancelled {
            do { try await look() } catch { await listener(.error("\(error)")) }
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Looks once: opens what has begun, and pays what is due.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be used. What was stored by then stays.
    public func look() async throws {
        guard let now = try await trustedNow() else { return }
        try await openPeriods(at: now)
        try await settle(at: now) { journal, limit in try await journal.openCharges(by: now, limit: limit) }
    }

    /// Looks at one plan only: opens what has begun, and pays what is due.
    ///
    /// - Parameter id: the plan. Nothing happens where there is none.
    /// - Throws: ``JournalError`` when the journal cannot be used. What was stored by then stays.
    public func look(at id: RecurringPlan.ID) async throws {
        guard let now = try await trustedNow() else { return }
        while let plan = try await journal.plan(id) {
            var opened = plan
            if opened.open(at: now).isEmpty { break }
            try await change(plan) { $0.open(at: now) }
        }
        try await settle(at: now) { journal, _ in
            try await journal.charges(of: id).filter { !$0.state.isFinal && $0.notBefore <= now }
        }
    }

    /// Sees all periods through that `list` gives, some at a time, each once.
    private func settle(
        at now: Date, _ list: (any RecurringJournal, Int) async throws -> [RecurringCharge]
    ) async throws {
        var seen: Set<RecurringCharge.ID> = []
        while true {
            let charges = try await list(journal, Self.page + seen.count)
                .filter { !seen.contains($0.id) }
            guard !charges.isEmpty, !Task.isCancelled else { return }
            seen.formUnion(charges.map(\.id))
            await withTaskGroup(of: Void.self) { group in
                var waiting = charges.makeIterator()
                func next() {
                    if let charge = waiting.next() { group.addTask { await self.settle(charge.id, at: now) } }
                }
                for _ in 0..<width { next() }
                for await _ in group { next() }
            }
        }
    }

    private func openPeriods(at now: Date) async throws {
        var tried: Set<RecurringPlan> = []
        while true {
            let plans = try await journal.plans(dueBy: now, limit: Self.page + tried.count)
                .filter { !tried.contains($0) }
            guard !plans.isEmpty, !Task.isCancelled else { return }
            for plan in plans {
                tried.insert(plan)
                try await change(plan) { $0.open(at: now) }
            }
        }
    }

    // MARK: Time

    /// The time, as far as it can be trusted: the clock's where it is believed, otherwise the latest that was. Nil
    /// where nothing is due by either.
    private func trustedNow() async throws -> Date? {
        let latest = try await journal.trustedTime()
        let now = clock.now
        switch time.judge(now, uptime: clock.uptime, latest: latest) {
        case .trusted: break
        case .behind:
            if let latest { await listener(.doubtfulClock(now: now, trusted: latest)) }
            return now
        case .tooFar:
            if let witness, let other = await witness(), now <= other.addingTimeInterval(3600) {
                time.confirm(now, uptime: clock.uptime)
            } else {
                if let latest { await listener(.doubtfulClock(now: now, trusted: latest)) }
                return latest
            }
        }
        // Every minute is soon enough for what is told in days.
        if latest.map({ now > $0.addingTimeInterval(60) }) ?? true {
            try await journal.trust(now, isCorrection: false)
            time.note(now)
        }
        return now
    }

    /// Says that the clock is right, however far it has gone.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be written.
    public func trustClock() async throws {
        let now = clock.now
        try await journal.trust(now, isCorrection: true)
        time.confirm(now, uptime: clock.uptime)
    }

    // MARK: Plans

    /// Adds a plan.
    ///
    /// - Returns: the plan as it is stored.
    /// - Throws: ``RecurringJournalError`` when there is one of its name; ``JournalError``.
    @discardableResult
    public func add(_ plan: RecurringPlan) async throws -> RecurringPlan { try await journal.store(plan, opening: []) }

    /// Returns all plans, by name.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be read.
    public func plans() async throws -> [RecurringPlan] { try await journal.plans() }

    /// Charges nothing of a plan that begins from now on.
    ///
    /// - Throws: ``JournalError``.
    public func pause(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.pause(at: now) }
    }

    /// Charges a plan again. What began during the pause is missed.
    ///
    /// - Throws: ``JournalError``.
    public func resume(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.resume(at: now) }
    }

    /// Says when nothing of a plan is charged, beforehand or afterwards: periods that begin in one of these times are
    /// missed, unless somebody has begun to pay them.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens where there is none.
    ///   - pauses: all of them: what was said before does not hold any more.
    /// - Throws: ``JournalError``.
    public func pause(_ id: RecurringPlan.ID, during pauses: [RecurringPause]) async throws {
        // What has begun is not opened first: whether it is charged depends on when it began, not on who looked when.
        try await keepChanging(id) { plan in
            plan.pauses = pauses
            return []
        }
    }

    /// Charges nothing of a plan any more.
    ///
    /// - Throws: ``JournalError``.
    public func end(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.end(at: now) }
    }

    /// Charges nothing of a plan that begins from a moment on. What begins before is charged, and what waits keeps
    /// waiting.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens where there is none.
    ///   - date: the moment.
    /// - Throws: ``JournalError``.
    public func stop(_ id: RecurringPlan.ID, at date: Date) async throws {
        try await change(id) { plan, now in
            if plan.schedule.start >= date { return plan.end(at: now) }
            try plan.stop(at: date)
            return []
        }
    }

    /// Changes a plan, however often others change it meanwhile. What has begun by now is opened first, as the plan
    /// was.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens where there is none.
    ///   - body: changes it, and returns what it opens.
    /// - Throws: ``JournalError``, and what `body` throws.
    public func change(
        _ id: RecurringPlan.ID, _ body: @Sendable (inout RecurringPlan, Date) throws -> [RecurringCharge]
    ) async throws {
        guard let now = try await trustedNow() else { return }
        try await keepChanging(id) { plan in
            var charges: [RecurringCharge] = []
            while case let more = plan.open(at: now), !more.isEmpty { charges += more }
            return charges + (try body(&plan, now))
        }
    }

    /// Changes a plan as it is stored by then, until nobody else was faster.
    private func keepChanging(
        _ id: RecurringPlan.ID, _ body: (inout RecurringPlan) throws -> [RecurringCharge]
    ) async throws {
        while let plan = try await journal.plan(id) { if try await change(plan, body) { return } }
    }

    /// Stores a plan that was changed, and tells what was missed. False when somebody else was first.
    @discardableResult
    private func change(
        _ plan: RecurringPlan, _ body: (inout RecurringPlan) throws -> [RecurringCharge]
    ) async throws -> Bool {
        var changed = plan
        let charges = try body(&changed)
        if changed == plan { return true }
        do { _ = try await journal.store(changed, opening: charges) } catch RecurringJournalError.changedPlan {
            return false
        }
        for charge in charges where charge.state.isFinal { await listener(.missed(charge)) }
        return true
    }
}
