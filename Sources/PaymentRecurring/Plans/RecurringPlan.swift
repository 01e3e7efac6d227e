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

        /// Creates an id; a plan refuses one that is empty or too long.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }
    }

    /// The state of a plan.
    @nonexhaustive
    public enum Status: Sendable, Hashable {
        /// Its periods are charged.
        case active
        /// Its periods are not charged for now: those that begin meanwhile are missed.
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
    /// The times in which no beginning period is charged, whenever a scheduler looks. Unlike ``status`` they may be set
    /// in advance.
    public var pauses: [RecurringPause] = []
    /// The data that the payer needs to pay a period: the payee, the method. No secrets.
    public var details: JSONValue
    /// The number of the first period that was not opened yet.
    public private(set) var next: Int
    /// The number of times that the plan was stored: a writer names the revision that it has read.
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

    /// The plan as a journal holds it after it was stored once more.
    public var stored: RecurringPlan {
        var plan = self
        plan.revision += 1
        return plan
    }

    /// The next period that has not been opened; nil when there is none, or never will be.
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

    /// The most periods that are opened in one go.
    public static let mostOpened = 500

    /// Opens the periods that have begun by `now`, and those that the payer is to be notified of: the policy decides
    /// here, once, whether each of them is charged. Nothing is stored.
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

    /// Sets the schedule from the next period on that has not been opened. The numbers continue, so that no period gets
    /// the number of one that was charged.
    ///
    /// - Parameters:
    ///   - rhythm: the interval of the periods.
    ///   - start: the beginning: after that of the last period that was opened. Pass that period's end so that no days
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

    /// Lets no period begin from `end` on, not even one that was opened before. Periods that begin before are carried
    /// out.
    ///
    /// - Parameter end: a moment; one after the plan's end changes nothing.
    /// - Throws: ``RecurringDefect/end`` where the plan has not begun by then: ``end(at:)`` it instead.
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

    /// Charges nothing any more. A period that a payer has begun to pay is carried out all the same.
    ///
    /// - Returns: the periods that had begun and are opened.
    public mutating func end(at now: Date) -> [RecurringCharge] { move(to: .ended, at: now) }

    private mutating func move(to status: Status, at now: Date) -> [RecurringCharge] {
        guard self.status != .ended else { return [] }
        var charges: [RecurringCharge] = []
        // All of them: each depends on the state of the plan when it began.
        while case let more = open(at: now, before: policy.ahead), !more.isEmpty { charges += more }
        self.status = status
        return charges
    }
}
