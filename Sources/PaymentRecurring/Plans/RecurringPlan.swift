public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A recurring payment: a subscription, a standing order.
///
/// Periods are opened in their order, each once, and every one of them ends either paid or missed: ``RecurringCharge``
/// has its end and the reason. The plan holds the next one that was not opened yet (``next``).
public struct RecurringPlan: Sendable, Hashable, Identifiable {
    /// The permanent name of a plan: 1 to 128 bytes.
    public struct ID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// Creates an id. A plan refuses an id that is empty or too long.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }
    }

    /// The state of a plan.
    @nonexhaustive
    public enum Status: Sendable, Hashable {
        /// Its periods are charged.
        case active
        /// Its periods are not charged for now. Those that begin in the meantime are missed.
        case paused
        /// Its periods are never charged again.
        case ended
    }

    /// The name.
    public let id: ID
    /// The provider that pays it, by its registered id.
    public let provider: ProviderID
    /// The amount of each period that is opened from now on.
    public private(set) var amount: Money
    /// The schedule of the periods.
    public private(set) var schedule: RecurringSchedule
    /// The rule for periods that began while no scheduler ran.
    public var policy: RecurringPolicy
    /// The state of the plan.
    public private(set) var status: Status
    /// The pauses of the plan. Periods that begin in one are not charged, whenever a scheduler looks. Unlike
    /// ``status``, pauses may be set in advance.
    public var pauses: [RecurringPause] = []
    /// The data that the payer needs to pay a period: the payee, the method. No secrets.
    public var details: JSONValue
    /// The number of the first period that was not opened yet.
    public private(set) var next: Int
    /// The number of times that the plan was stored. A writer names the revision that it has read.
    public private(set) var revision: Int

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - id: the name.
    ///   - provider: the provider that pays it.
    ///   - amount: the amount of each period.
    ///   - schedule: the schedule of the periods.
    ///   - policy: the rule for periods that began while no scheduler ran.
    ///   - details: the data that the payer needs.
    /// - Throws: ``RecurringDefect/name`` or ``RecurringDefect/amount``.
    public init(
        id: ID, provider: ProviderID, amount: Money, schedule: RecurringSchedule,
        policy: RecurringPolicy = RecurringPolicy(), details: JSONValue = [:]
    ) throws(RecurringDefect) {
        guard (1...128).contains(id.rawValue.utf8.count) else { throw .name }
        guard !amount.isZero else { throw .amount }
        self.id = id
        self.provider = provider
        self.amount = amount
        self.schedule = schedule
        self.policy = policy
        status = .active
        self.details = details
        next = schedule.firstNumber
        revision = 0
    }

    /// Restores a plan from its stored form.
    ///
    /// - Throws: ``RecurringDefect``.
    package init(
        _ plan: RecurringPlan, status: Status, next: Int, revision: Int
    ) throws(RecurringDefect) {
        guard next >= plan.schedule.firstNumber, revision > 0 else { throw .count }
        self = plan
        self.status = status
        self.next = next
        self.revision = revision
    }

    /// The plan as it is stored the next time.
    package var stored: RecurringPlan {
        var plan = self
        plan.revision += 1
        return plan
    }

    /// The next period that has not been opened; nil if there is none, or never will be.
    public var nextPeriod: RecurringPeriod? { status == .ended ? nil : schedule.period(next) }
}

// MARK: Opening

extension RecurringPlan.ID {
    /// Ids are equal when their bytes are.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isExactly(right.rawValue) }
}

extension RecurringPlan {
    /// Returns true if no period that begins at a moment is charged.
    func isPaused(at date: Date) -> Bool { status == .paused || pauses.contains { $0.contains(date) } }

    /// The maximum number of periods that are opened at once.
    public static let mostOpened = 500

    /// Opens the periods that have begun by `now`, and those that the payer is to be notified of. The policy decides
    /// here, once, if each of them is charged. Nothing is stored.
    ///
    /// - Parameter now: the time, as far as it can be trusted.
    /// - Returns: the periods that are opened, in their order, at most ``mostOpened``; there may be more.
    public mutating func open(at now: Date) -> [RecurringCharge] {
        open(at: now, before: openedBefore)
    }

    /// The time before its beginning at which a period is opened. In a pause, which may end by then, the payer is not
    /// notified.
    var openedBefore: Duration { status == .paused ? policy.ahead : policy.opening }

    private mutating func open(at now: Date, before beginning: Duration) -> [RecurringCharge] {
        func last(_ before: Duration) -> Int? {
            schedule.lastPeriod(at: now.addingTimeInterval(before / .seconds(1)))?.number
        }
        guard status != .ended, let latest = last(beginning) else { return [] }
        let begun = last(policy.ahead)
        var charges: [RecurringCharge] = []
        while next <= latest, charges.count < Self.mostOpened, let period = schedule.period(next) {
            let missed = isPaused(at: period.start) ? .paused : policy.missed(period, last: begun, at: now)
            charges.append(RecurringCharge(of: self, period, missed: missed, at: now))
            next += 1
        }
        return charges
    }

    // MARK: Changes

    /// Sets the amount from the next period on that has not been opened.
    ///
    /// - Throws: ``RecurringDefect/amount``.
    public mutating func change(amount: Money) throws(RecurringDefect) {
        guard !amount.isZero else { throw .amount }
        self.amount = amount
    }

    /// Sets the schedule from the next period on that has not been opened. The numbers continue, so no period gets the
    /// number of a period that was charged.
    ///
    /// - Parameters:
    ///   - rhythm: the interval of the periods.
    ///   - start: the beginning, after that of the last period that was opened. Pass that period's end so that no days
    ///     are charged twice.
    ///   - end: the end.
    ///   - count: the number of periods that follow.
    ///   - timeZone: the time zone of the days; nil for the earlier zone.
    /// - Throws: ``RecurringDefect``.
    public mutating func reschedule(
        _ rhythm: RecurringSchedule.Rhythm, from start: Date, until end: Date? = nil, count: Int? = nil,
        in timeZone: TimeZone? = nil
    ) throws(RecurringDefect) {
        // A charged period is not charged again under another number.
        if let last = schedule.period(next - 1), start <= last.start { throw .start }
        guard start >= schedule.start else { throw .start }
        schedule = try RecurringSchedule(
            rhythm, from: start, until: end, count: count, in: timeZone ?? schedule.timeZone, firstNumber: next)
    }

    /// Lets no period begin from `end` on, not even a period that was opened before. Periods that begin before `end`
    /// are carried out.
    ///
    /// - Parameter end: a moment; one after the plan's end changes nothing.
    /// - Throws: ``RecurringDefect/end`` if the plan has not begun by then. Call ``end(at:)`` instead.
    public mutating func stop(at end: Date) throws(RecurringDefect) {
        schedule = try RecurringSchedule(
            schedule.rhythm, from: schedule.start, until: min(schedule.end ?? end, end), count: schedule.count,
            in: schedule.timeZone, firstNumber: schedule.firstNumber)
    }

    /// Charges no period that begins from now on.
    ///
    /// - Returns: the periods that had begun and are opened.
    public mutating func pause(at now: Date) -> [RecurringCharge] { move(to: .paused, at: now) }

    /// Charges the periods that begin from now on. Those that began during the pause are missed.
    ///
    /// - Returns: the periods that are opened, missed because of the pause.
    public mutating func resume(at now: Date) -> [RecurringCharge] { move(to: .active, at: now) }

    /// Charges nothing any more, except a period that a payer has begun to pay.
    ///
    /// - Returns: the periods that had begun and are opened.
    public mutating func end(at now: Date) -> [RecurringCharge] { move(to: .ended, at: now) }

    private mutating func move(to status: Status, at now: Date) -> [RecurringCharge] {
        guard self.status != .ended else { return [] }
        var charges: [RecurringCharge] = []
        // Opens all of them, because each depends on the state of the plan when it began.
        while case let more = open(at: now, before: policy.ahead), !more.isEmpty { charges += more }
        self.status = status
        return charges
    }
}

/// The rules for periods that could not be charged when they began.
public struct RecurringPolicy: Sendable, Hashable {
    /// The rule for periods that began while no scheduler ran: it selects those that are charged.
    @nonexhaustive
    public enum CatchUp: Sendable, Hashable, CaseIterable {
        /// All of them, one after the other, the latest ``RecurringPolicy/mostCaughtUp`` at most.
        case all
        /// The latest one only, which still runs.
        case latestOnly
        /// None, unless it began less than the grace ago.
        case none
    }

    /// The rule for periods that began while no scheduler ran.
    public var catchUp: CatchUp
    /// The maximum number of periods that are charged after one absence, if all are caught up.
    public var mostCaughtUp: Int
    /// The time before its beginning from which a period may be charged.
    public var ahead: Duration
    /// The time between the notification of the payer about a period (``RecurringEvent/upcoming(_:)``) and its charge.
    /// The payer can refuse the period in this time. Zero sends no notification. A period that is found late is charged
    /// that much later.
    public var notice: Duration
    /// The time for which a period is tried after it began, or after it was found. After that it is missed.
    public var grace: Duration
    /// The maximum number of times that a declined period is begun.
    public var mostAttempts: Int
    /// The wait after the first failure; each further one doubles it, up to an hour.
    public var pause: Duration

    /// Creates a policy.
    public init(
        _ catchUp: CatchUp = .latestOnly, mostCaughtUp: Int = 12, ahead: Duration = .zero,
        notice: Duration = .zero, grace: Duration = .seconds(86_400), mostAttempts: Int = 3,
        pause: Duration = .seconds(60)
    ) {
        self.catchUp = catchUp
        self.mostCaughtUp = max(1, mostCaughtUp)
        self.ahead = max(.zero, ahead)
        self.notice = max(.zero, notice)
        self.grace = max(.zero, grace)
        self.mostAttempts = max(1, mostAttempts)
        self.pause = max(.seconds(1), pause)
    }

    /// The time before its beginning at which a period is opened.
    var opening: Duration { ahead + notice }

    /// Returns why a period that is opened at `now` is not charged; nil if it is charged.
    ///
    /// - Parameter last: the number of the last period that may be charged by now; nil for none.
    func missed(_ period: RecurringPeriod, last: Int?, at now: Date) -> RecurringCharge.Reason? {
        if period.isEmpty { return .noSuchDay }
        // A period announced in advance is not late.
        guard let last, period.number <= last else { return nil }
        let isCharged =
            switch catchUp {
            case .all: last - period.number < mostCaughtUp
            case .latestOnly: period.number == last
            case .none: now < period.start.addingTimeInterval(grace / .seconds(1))
            }
        return isCharged ? nil : .absence
    }

    /// Returns the wait after this number of failures.
    package func wait(after failures: Int) -> Duration {
        min(pause * (1 << min(max(0, failures - 1), 12)), max(pause, .seconds(3600)))
    }
}

/// A time in which nothing of a plan is charged. Periods that begin in it are missed.
public struct RecurringPause: Sendable, Hashable {
    /// The beginning.
    public let start: Date
    /// The end; nil for a pause without one.
    public let end: Date?

    /// Creates a pause. One that ends before it begins contains no moment.
    public init(from start: Date, until end: Date? = nil) {
        self.start = start
        self.end = end
    }

    /// Returns true if a moment lies in it.
    public func contains(_ date: Date) -> Bool { start <= date && (end.map { date < $0 } ?? true) }
}
