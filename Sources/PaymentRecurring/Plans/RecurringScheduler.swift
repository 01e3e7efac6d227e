public import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Charges recurring payments: opens periods as they begin, and advances each of them until it is paid or missed.
///
/// Any number of schedulers may share a store, in one process or several, and any of them may end at any moment. A
/// period is opened once, by the first worker that stores its plan. It is paid under its lease, and under a name that
/// no other payment has. Once a worker has begun to pay it, no worker pays it again unless the ``RecurringPayer``
/// reports that the try had no effect. So a period is paid once at most, and ends paid or missed.
///
/// ```swift
/// let scheduler = RecurringScheduler(store: store, payer: payer, listener: { event in print(event) })
/// try await scheduler.add(plan)
/// await scheduler.run()
/// ```
///
/// See <doc:Recurring> for the rules of downtime, of the clock and of periods with an unknown outcome.
public actor RecurringScheduler {
    /// Receives the events.
    public typealias Listener = @Sendable (RecurringEvent) async -> Void
    /// Returns the time by a source other than this device's clock, such as a server; nil if it cannot.
    public typealias Witness = @Sendable () async -> Date?

    let records: RecurringPlans
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
    ///   - store: keeps the plans and their periods (``RecurringPlans``).
    ///   - payer: pays the periods.
    ///   - clock: decides what is due.
    ///   - random: names this scheduler's leases.
    ///   - trust: the limits of trust in the clock.
    ///   - witness: another source of the time, asked if the clock is not believed.
    ///   - lease: the time that a payment may take before another scheduler asks for its outcome.
    ///   - width: the number of periods that are paid at the same time.
    ///   - bound: the time for one period, after which the others continue: a payment may never return. It is asked
    ///     about again when its lease is over.
    ///   - listener: receives the events.
    public init(
        store: any RecordStore, payer: any RecurringPayer, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), trust: RecurringTrust = RecurringTrust(),
        witness: Witness? = nil, lease: Duration = .seconds(600), width: Int = 4,
        bound: Duration = .seconds(300),
        listener: @escaping Listener = { _ in }
    ) {
        records = RecurringPlans(store)
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
    /// - Throws: the storage's failure. Entries stored by then stay.
    public func look() async throws {
        guard let now = try await trustedNow() else { return }
        try await openPeriods(at: now)
        try await settle(at: now) { records, limit in try await records.openCharges(by: now, limit: limit) }
    }

    /// Looks once if a plan or a period is due by the clock.
    ///
    /// - Returns: the time until one is due; nil if it has looked, or there is none.
    /// - Throws: the storage's failure. Entries stored by then stay.
    public func lookIfDue() async throws -> Duration? {
        let next: Date?
        // A record that cannot be read delays no others: the look finds those that are due.
        do { next = try await records.nextLook() } catch RecurringPlanError.damaged { next = .distantPast }
        guard let next else { return nil }
        let wait = next.timeIntervalSince(clock.now)
        if wait > 0 { return .seconds(wait) }
        try await look()
        return nil
    }

    /// Looks at one plan only: opens the periods that have begun, and pays those that are due.
    ///
    /// - Parameter id: the plan. Nothing happens if there is none.
    /// - Throws: the storage's failure. Entries stored by then stay.
    public func look(at id: RecurringPlan.ID) async throws {
        guard let now = try await trustedNow() else { return }
        while let plan = try await records.plan(id) {
            var opened = plan
            if opened.open(at: now).isEmpty { break }
            try await change(plan) { $0.open(at: now) }
        }
        try await settle(at: now) { records, _ in
            try await records.charges(of: id).filter { !$0.state.isFinal && $0.notBefore <= now }
        }
    }

    /// Advances all periods that `list` returns, some at a time, each once.
    private func settle(
        at now: Date, _ list: (RecurringPlans, Int) async throws -> [RecurringCharge]
    ) async throws {
        var seen: Set<RecurringCharge.ID> = []
        while true {
            let charges = try await list(records, Self.page + seen.count)
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

    /// Advances a period for a bounded time, whatever its payment does.
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
            let plans = try await records.plans(dueBy: now, limit: Self.page + tried.count)
                .filter { !tried.contains($0) }
            guard !plans.isEmpty, !Task.isCancelled else { return }
            for plan in plans {
                tried.insert(plan)
                try await change(plan) { $0.open(at: now) }
            }
        }
    }

    // MARK: Time

    /// Returns the time, as far as it can be trusted: the clock's if it is believed, otherwise the latest trusted time.
    /// Nil if nothing is due by either.
    private func trustedNow() async throws -> Date? {
        let latest = try await records.trustedTime()
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
        // The time is judged in days, so once a minute is enough.
        if latest.map({ now > $0.addingTimeInterval(60) }) ?? true {
            try await records.trust(now, isCorrection: false)
            time.note(now, uptime: clock.uptime)
        }
        return now
    }

    /// Confirms that the clock is right, however far it has moved. If it was trusted at a later time before, periods
    /// may have been opened that have not begun. Those for which nothing was sent are opened again, to be charged in
    /// their time (``RecurringEvent/reopened(_:)``). Those that have ended are reported
    /// (``RecurringEvent/openedAhead(_:)``).
    ///
    /// - Throws: the storage's failure.
    public func trustClock() async throws {
        let now = clock.now
        let latest = try await records.trustedTime()
        try await records.trust(now, isCorrection: true)
        for plan in try await records.all() {
            // Periods before the last one that has begun are not reopened, and have not ended too soon.
            let begun = plan.schedule.lastPeriod(at: now.addingTimeInterval(plan.policy.opening / .seconds(1)))
            for charge in try await records.charges(of: plan.id, from: begun?.number ?? .min) {
                // After a crash in between, reported periods are not reported again, but the rest is opened again.
                if charge.reopened(at: now, of: plan) != nil {
                    try await reopen(charge.id, of: plan, at: now)
                } else if let latest, latest > now, charge.hasEnded(before: now, of: plan) {
                    await listener(.openedAhead(charge))
                }
            }
        }
    }

    // MARK: Plans

    /// Adds a plan. The present time is trusted as in a look. No later clock is believed further than
    /// ``RecurringTrust/longestAbsence`` from here, not even by the first look.
    ///
    /// - Returns: the plan as it is stored.
    /// - Throws: ``RecurringPlanError`` when there is one of its name, or the storage's failure.
    @discardableResult
    public func add(_ plan: RecurringPlan) async throws -> RecurringPlan {
        _ = try await trustedNow()
        return try await records.store(plan, opening: [])
    }

    /// Returns all plans, by name.
    ///
    /// - Throws: the storage's failure.
    public func plans() async throws -> [RecurringPlan] { try await records.all() }

    /// Charges no period of a plan that begins from now on.
    ///
    /// - Throws: the storage's failure.
    public func pause(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.pause(at: now) }
    }

    /// Charges a plan again. Periods that began during the pause are missed.
    ///
    /// - Throws: the storage's failure.
    public func resume(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.resume(at: now) }
    }

    /// Sets the times in which a plan is not charged, in advance or afterwards. Periods that begin in one of them are
    /// missed, unless a worker has begun to pay them.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens if there is none.
    ///   - pauses: all pauses; they replace the earlier ones.
    /// - Throws: the storage's failure.
    public func pause(_ id: RecurringPlan.ID, during pauses: [RecurringPause]) async throws {
        // Begun periods are not opened first. A pause applies by a period's beginning, not by the time of the look.
        _ = try await trustedNow()
        try await keepChanging(id) { plan in
            plan.pauses = pauses
            return []
        }
    }

    /// Charges nothing of a plan any more.
    ///
    /// - Throws: the storage's failure.
    public func end(_ id: RecurringPlan.ID) async throws {
        try await change(id) { plan, now in plan.end(at: now) }
    }

    /// Charges no period of a plan that begins from a moment on. Those that begin before are charged, and those that
    /// wait keep waiting.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens if there is none.
    ///   - date: the moment.
    /// - Throws: the storage's failure.
    public func stop(_ id: RecurringPlan.ID, at date: Date) async throws {
        try await change(id) { plan, now in
            if plan.schedule.start >= date { return plan.end(at: now) }
            try plan.stop(at: date)
            return []
        }
    }

    /// Changes a plan, however often others change it in the meantime. Periods that have begun by now are opened first,
    /// under the plan as it was.
    ///
    /// - Parameters:
    ///   - id: the plan. Nothing happens if there is none.
    ///   - body: changes the plan, and returns the periods that it opens.
    /// - Throws: the storage's failure, and any error of `body`.
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

    /// Changes the plan as it is stored, and repeats that until no other writer was faster.
    private func keepChanging(
        _ id: RecurringPlan.ID, _ body: (inout RecurringPlan) throws -> [RecurringCharge]
    ) async throws {
        while let plan = try await records.plan(id) { if try await change(plan, body) { return } }
    }

    /// Stores a plan that was changed, and reports the missed periods. Returns false when another writer was first.
    @discardableResult
    private func change(
        _ plan: RecurringPlan, _ body: (inout RecurringPlan) throws -> [RecurringCharge]
    ) async throws -> Bool {
        var changed = plan
        let charges = try body(&changed)
        if changed == plan { return true }
        do { _ = try await records.store(changed, opening: charges) } catch RecurringPlanError.changedPlan {
            return false
        }
        for charge in charges where charge.state.isFinal { await listener(.missed(charge)) }
        return true
    }
}

// MARK: - Reports

/// A scheduler's report on its work. A report on a period is stored before it is emitted. Upcoming periods are the
/// exception: they are emitted until they are stored.
@nonexhaustive
public enum RecurringEvent: Sendable, Hashable {
    /// A period is going to be paid at ``RecurringCharge/notBefore``, unless the payer refuses it before
    /// (``RecurringScheduler/refuse(_:)``). See ``RecurringPolicy/notice``.
    case upcoming(RecurringCharge)
    /// A period was paid.
    case paid(RecurringCharge)
    /// A period was not paid, and will not be: ``RecurringCharge/state`` gives the reason.
    case missed(RecurringCharge)
    /// The payer is asked to approve or refuse a period (``RecurringScheduler/approve(_:)``).
    case waiting(RecurringCharge)
    /// A period could not be paid, and will be tried again; the text gives the reason.
    case postponed(RecurringCharge, String)
    /// It is unknown if a period was paid. The outcome is asked for again.
    case unknown(RecurringCharge)
    /// The clock is not credible. Nothing that it makes due is charged until it is right again, or
    /// ``RecurringScheduler/trustClock()`` confirms it.
    case doubtfulClock(now: Date, trusted: Date)
    /// A period has ended that has not begun by the clock that is confirmed now. A clock that was ahead has opened it.
    /// It was paid early, or is missed; see ``RecurringCharge/state``. Nothing changes that.
    case openedAhead(RecurringCharge)
    /// A period that was missed by a clock that was ahead is charged in its time, because nothing was sent for it.
    case reopened(RecurringCharge)
    /// Another failure, such as a store that cannot be written; the text describes it. It is tried again.
    case error(String)
}

extension RecurringEvent: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .upcoming(let charge): "\(charge.id): \(charge.amount) will be paid \(charge.notBefore)"
        case .paid(let charge): "\(charge.id): paid \(charge.amount)"
        case .missed(let charge):
            if case .missed(let reason) = charge.state {
                "\(charge.id): missed, \(reason)"
            } else {
                "\(charge.id): missed"
            }
        case .waiting(let charge):
            if case .waiting(let text) = charge.state {
                "\(charge.id): waits for the payer, \(text)"
            } else {
                "\(charge.id): waits for the payer"
            }
        case .postponed(let charge, let text): "\(charge.id): tried again later, \(text)"
        case .unknown(let charge):
            if case .unknown(let text) = charge.state {
                "\(charge.id): not known whether it was paid, \(text)"
            } else {
                "\(charge.id): not known whether it was paid"
            }
        case .doubtfulClock(let now, let trusted):
            now > trusted
                ? "the clock has gone on further than it can have; set it right, or say that it is right"
                : "the clock is behind what it was; nothing is due until it is right"
        case .openedAhead(let charge):
            "\(charge.id): ended by a clock that was ahead, and begins \(charge.period.start)"
        case .reopened(let charge): "\(charge.id): will be charged when it begins, \(charge.period.start)"
        case .error(let text): text
        }
    }
}

// MARK: - Trust in the clock

/// The limits of trust in this device's clock.
///
/// A clock that was set forward makes periods look due that are not. The time that passes while a scheduler runs is
/// known from the clock's uptime, which is never set. The time that passes while none runs is known from the clock
/// alone.
public struct RecurringTrust: Sendable, Hashable {
    /// The longest time without a running scheduler, by the clock, that is believed. However wrong the clock is,
    /// periods are never charged earlier than that before they begin.
    public var longestAbsence: Duration
    /// The maximum by which the clock may outrun the uptime while a scheduler runs.
    public var longestDrift: Duration

    /// Creates the limits.
    public init(longestAbsence: Duration = .seconds(31 * 86_400), longestDrift: Duration = .seconds(86_400)) {
        self.longestAbsence = max(.zero, longestAbsence)
        self.longestDrift = max(.zero, longestDrift)
    }
}

/// One scheduler's judgement of its clock.
struct TrustedTime {
    /// The result of comparing the clock with what is known.
    enum Judgement: Hashable {
        case trusted
        /// The clock is later than it can be. Only periods due before are looked at.
        case tooFar
        /// The clock is behind a time that was trusted before.
        case behind
    }

    private let trust: RecurringTrust
    /// A time that was trusted, and the uptime at that time.
    private var anchor: (date: Date, uptime: Duration)?
    /// The latest time in the store that this scheduler knows, and the uptime when it learned it.
    private var known: (date: Date, uptime: Duration)?

    init(_ trust: RecurringTrust) { self.trust = trust }

    /// - Parameter latest: the latest time that any scheduler trusted.
    mutating func judge(_ now: Date, uptime: Duration, latest: Date?) -> Judgement {
        if let latest, let known, let expected = expected(uptime) {
            // Another scheduler has a better time: the time was confirmed there, or that scheduler has run for longer.
            if latest > known.date { anchor = (max(latest, expected), uptime) }
            // The clock was confirmed at an earlier time since then.
            if latest < known.date { anchor = (latest, known.uptime) }
        }
        known = latest.map { ($0, uptime) }
        if let latest, now < latest.addingTimeInterval(-(trust.longestDrift / .seconds(1))) { return .behind }
        guard isPlausible(now, uptime, latest) else { return .tooFar }
        if anchor == nil { anchor = (now, uptime) }
        return .trusted
    }

    private func isPlausible(_ now: Date, _ uptime: Duration, _ latest: Date?) -> Bool {
        if let expected = expected(uptime) {
            return now <= expected.addingTimeInterval(trust.longestDrift / .seconds(1))
        }
        guard let latest else { return true }
        return now <= latest.addingTimeInterval(trust.longestAbsence / .seconds(1))
    }

    private func expected(_ uptime: Duration) -> Date? {
        anchor.map { $0.date.addingTimeInterval(max(.zero, uptime - $0.uptime) / .seconds(1)) }
    }

    /// Notes a time that a trustworthy source has confirmed.
    mutating func confirm(_ now: Date, uptime: Duration) { anchor = (now, uptime) }

    /// Notes that the store holds this time now.
    mutating func note(_ now: Date, uptime: Duration) { known = (now, uptime) }
}
