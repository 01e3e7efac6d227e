public import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Charges recurring payments: opens periods as they begin, and carries each of them on until it is paid or missed.
///
/// Any number of schedulers may share a journal, in one process or several, and any of them may end at any moment. A
/// period is opened once, by the first worker that stores its plan; it is paid under its lease, and under a name that
/// no other payment has; and once a worker has begun to pay it, no worker pays it again unless the ``RecurringPayer``
/// reports that the try came to nothing. So a period is paid once at most, and ends paid or missed.
///
/// ```swift
/// let scheduler = RecurringScheduler(journal: journal, payer: payer, listener: { event in print(event) })
/// try await scheduler.add(plan)
/// await scheduler.run()
/// ```
///
/// See <doc:Recurring> for the rules of downtime, of the clock and of periods with an unknown outcome.
public actor RecurringScheduler {
    /// Receives the events.
    public typealias Listener = @Sendable (RecurringEvent) async -> Void
    /// Returns the time by another source than this device's clock, such as a server's; nil when it cannot.
    public typealias Witness = @Sendable () async -> Date?

    let journal: any RecurringJournal
    let payer: any RecurringPayer
    let clock: any PaymentClock
    let random: any RandomSource
    let lease: Duration
    private let width: Int
    private let bound: Duration
    private let witness: Witness?
    let listener: Listener
    private var time: TrustedTime
    private static let page = 200

    /// Creates a scheduler.
    ///
    /// - Parameters:
    ///   - journal: the plans and periods.
    ///   - payer: pays the periods.
    ///   - clock: decides what is due.
    ///   - random: names this scheduler's leases.
    ///   - trust: the limits within which the clock is believed.
    ///   - witness: another source of the time, asked where the clock is not believed.
    ///   - lease: the time that a payment may take before another scheduler asks for its outcome.
    ///   - width: the number of periods that are paid at the same time.
    ///   - bound: the time for one period, after which the others go on: a payment may never return. It is asked about
    ///     again when its lease is over.
    ///   - listener: receives the events.
    public init(
        journal: any RecurringJournal, payer: any RecurringPayer, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), trust: RecurringTrust = RecurringTrust(),
        witness: Witness? = nil, lease: Duration = .seconds(600), width: Int = 4,
        bound: Duration = .seconds(300),
        listener: @escaping Listener = { _ in }
    ) {
        self.journal = journal
        self.payer = payer
        self.clock = clock
        self.random = random
        self.lease = lease
        self.width = max(1, width)
        self.bound = bound
        self.witness = witness
        self.listener = listener
        time = TrustedTime(trust)
    }

    // MARK: Looking

    /// Looks repeatedly until the task is cancelled. A failure is reported, and tried again the next time.
    ///
    /// - Parameter pause: the wait between two looks.
    public func run(every pause: Duration = .seconds(3600)) async {
        while !Task.isCancelled {
            do { try await look() } catch { await listener(.error("\(error)")) }
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Looks once: opens the periods that have begun, and pays those that are due.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be used. Entries stored by then stay.
    public func look() async throws {
        guard let now = try await trustedNow() else { return }
        try await openPeriods(at: now)
        try await settle(at: now) { journal, limit in try await journal.openCharges(by: now, limit: limit) }
    }

    /// Looks at one plan only: opens the periods that have begun, and pays those that are due.
    ///
    /// - Parameter id: the plan. Nothing happens where there is none.
    /// - Throws: ``JournalError`` when the journal cannot be used. Entries stored by then stay.
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

    /// Carries on all periods that `list` returns, some at a time, each once.
    private func settle(
        at now: Date, _ list: (any RecurringJournal, Int) async throws -> [RecurringCharge]
    ) async throws {
        var seen: Set<RecurringCharge.ID> = []
        while true {
            let charges = try await list(journal, Self.page + seen.count)
                .filter { !seen.contains($0.id) }
            guard !charges.isEmpty else { return }
            seen.formUnion(charges.map(\.id))
            await withTaskGroup(of: Void.self) { group in
                var waiting = charges.makeIterator()
                func next() {
                    guard let charge = waiting.next() else { return }
                    _ = group.addTaskUnlessCancelled { await self.settleWithin(charge.id, at: now) }
                }
                for _ in 0..<width { next() }
                for await _ in group { next() }
            }
        }
    }

    /// Carries a period on for a bounded time, whatever its payment does.
    func settleWithin(_ id: RecurringCharge.ID, at now: Date) async {
        let isDone: Void? = await TimeBound(bound, clock).result { await self.settle(id, at: now) }
        guard isDone == nil, !Task.isCancelled else { return }
        await listener(
            .error(
                "the period \(id) has not been carried out within \(bound.components.seconds) s; the others go on, and it "
                    + "is asked about again"))
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
        // Once a minute is enough for a time that is judged in days.
        if latest.map({ now > $0.addingTimeInterval(60) }) ?? true {
            try await journal.trust(now, isCorrection: false)
            time.note(now, uptime: clock.uptime)
        }
        return now
    }

    /// Confirms that the clock is right, however far it has moved. If it was trusted at a later time before, periods
    /// may have been opened that have not begun. Those for which nothing was sent are opened again, to be charged in
    /// their time (``RecurringEvent/reopened(_:)``); those that have ended are reported
    /// (``RecurringEvent/openedAhead(_:)``).
    ///
    /// - Throws: ``JournalError`` when the journal cannot be written.
    public func trustClock() async throws {
        let now = clock.now
        let latest = try await journal.trustedTime()
        try await journal.trust(now, isCorrection: true)
        for plan in try await journal.plans() {
            for charge in try await journal.charges(of: plan.id) {
                // After a crash in between, what was reported is not reported again, but the rest is opened again.
                if charge.reopened(at: now, of: plan) != nil {
                    try await reopen(charge.id, of: plan, at: now)
                } else if let latest, latest > now, charge.hasEnded(before: now, of: plan) {
                    await listener(.openedAhead(charge))
                }
            }
        }
    }

    // MARK: Plans

    /// Adds a plan. The time of now is trusted as in a look: no later clock is believed further than
    /// ``RecurringTrust/longestAbsence`` from here, also not by the first look.
    ///
    /// - Returns: the plan as it is stored.
    /// - Throws: ``RecurringJournalError`` when there is one of its name; ``JournalError``.
    @discardableResult
    public func add(_ plan: RecurringPlan) async throws -> RecurringPlan {
        _ = try await trustedNow()
        return try await journal.store(plan, opening: [])
    }

    /// Returns all plans, by name.
    ///
    /// - Throws: ``JournalError`` when the journal cannot be read.
    public func plans() async throws -> [RecurringPlan] { try await journal.plans() }

    /// Charges no period of a plan that begins from now on.
    ///
    /// - Throws: ``JournalError``.
    public func pause(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.pause(at: now) }
    }

    /// Charges a plan again. Periods that began during the pause are missed.
    ///
    /// - Throws: ``JournalError``.
    public func resume(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.resume(at: now) }
    }

    /// Sets the times in which a plan is not charged, in advance or afterwards: periods that begin in one of them are
    /// missed, unless a worker has begun to pay them.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens where there is none.
    ///   - pauses: all pauses; they replace the earlier ones.
    /// - Throws: ``JournalError``.
    public func pause(_ id: RecurringPlan.ID, during pauses: [RecurringPause]) async throws {
        // Begun periods are not opened first: whether one is charged depends on its beginning, not on the time of the
        // look.
        _ = try await trustedNow()
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

    /// Charges no period of a plan that begins from a moment on. Those that begin before are charged, and those that
    /// wait keep waiting.
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

    /// Changes a plan, however often others change it meanwhile. Periods that have begun by now are opened first, under
    /// the plan as it was.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens where there is none.
    ///   - body: changes the plan, and returns the periods that it opens.
    /// - Throws: ``JournalError``, and any error of `body`.
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

    /// Changes a plan as it is stored by then, until no other writer was faster.
    private func keepChanging(
        _ id: RecurringPlan.ID, _ body: (inout RecurringPlan) throws -> [RecurringCharge]
    ) async throws {
        while let plan = try await journal.plan(id) { if try await change(plan, body) { return } }
    }

    /// Stores a plan that was changed, and reports the missed periods. Returns false when another writer was first.
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
