public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that is paid again and again: a subscription, a standing order.
///
/// Periods are opened in their order, each once, and every one of them ends either paid or missed:
/// ``RecurringCharge`` says which, and why. The plan knows the next one that was not opened yet (``next``).
public struct RecurringPlan: Sendable, Hashable, Identifiable {
    /// What names a plan, for ever: 1 to 128 bytes.
    public struct ID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// Creates an id; a plan refuses one that is empty or too long.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }
    }

    /// Whether its periods are charged.
    @nonexhaustive
    public enum Status: Sendable, Hashable {
        /// They are.
        case active
        /// Not for now: periods that begin meanwhile are missed.
        case paused
        /// Never again.
        case ended
    }

    /// The name.
    public let id: ID
    /// Who pays it: what a provider is registered as.
    public let provider: ProviderID
    /// What is paid for a period that is opened from now on.
    public private(set) var amount: Money
    /// When.
    public private(set) var schedule: RecurringSchedule
    /// What becomes of periods that nobody was there to charge.
    public var policy: RecurringPolicy
    /// Whether its periods are charged.
    public private(set) var status: Status
    /// When nothing is charged that begins then, whoever looks at whatever time. Unlike ``status`` it may be told
    /// beforehand.
    public var pauses: [RecurringPause] = []
    /// Whatever the payer needs to pay a period: who is paid, by which method. No secrets.
    public var details: JSONValue
    /// The number of the first period that was not opened yet.
    public private(set) var next: Int
    /// How often the plan was stored: who stores it says which one they have seen.
    public private(set) var revision: Int

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - id: the name.
    ///   - provider: who pays it.
    ///   - amount: what is paid each period.
    ///   - schedule: when.
    ///   - policy: what becomes of periods that nobody was there to charge.
    ///   - details: whatever the payer needs.
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

    /// Puts a plan together again from what a journal holds of it.
    ///
    /// - Throws: ``RecurringDefect``.
    package init(
        _ plan: RecurringPlan, status: Status, next: Int, revision: Int
    ) throws(RecurringDefect) {
        guard next >= plan.schedule.firstNumber, revision >= 0 else { throw .count }
        self = plan
        self.status = status
        self.next = next
        self.revision = revision
    }

    /// The plan as a journal keeps it after it was stored once more.
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

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: rawValue) }
}

extension RecurringPlan {
    /// Whether nothing is charged that begins at a moment.
    func isPaused(at date: Date) -> Bool { status == .paused || pauses.contains { $0.contains(date) } }

    /// The most periods that are opened in one go.
    public static let mostOpened = 500

    /// Opens the periods that have begun by `now`, and those that the payer is to be told of: what each of them is to
    /// become is decided here, by the policy, and once. Nothing is stored.
    ///
    /// - Parameter now: the time, as far as it can be trusted.
    /// - Returns: the periods that are opened, in their order, at most ``mostOpened``; there may be more.
    public mutating func open(at now: Date) -> [RecurringCharge] {
        open(at: now, before: openedBefore)
    }

    /// How long before its beginning a period is opened. In a pause, which may end by then, nobody is told of it.
    var openedBefore: Duration { status == .paused ? policy.ahead : policy.opening }

    private mutating func open(at now: Date, before beginning: Duration) -> [RecurringCharge] {
        func last(_ before: Duration) -> Int? {
            schedule.lastPeriod(at: now.addingTimeInterval(before / .seconds(1)))?.number
        }
        guard status != .ended, let latest = last(beginning), latest >= next else { return [] }
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

    /// Has another amount be paid from the next period on that has not been opened.
    ///
    /// - Throws: ``RecurringDefect/amount``.
    public mutating func change(amount: Money) throws(RecurringDefect) {
        guard !amount.isZero else { throw .amount }
        self.amount = amount
    }

    /// Has another schedule hold from the next period on that has not been opened. The numbers go on, so that no period
    /// gets the number of one that was charged.
    ///
    /// - Parameters:
    ///   - rhythm: how often.
    ///   - start: from when: after the beginning of the last period that was opened. Who wants no days to be charged
    ///     twice lets it be that period's end.
    ///   - end: until when.
    ///   - count: how many periods follow.
    ///   - timeZone: whose days are meant; nil for the zone that held before.
    /// - Throws: ``RecurringDefect``.
    public mutating func reschedule(
        _ rhythm: RecurringSchedule.Rhythm, from start: Date, until end: Date? = nil, count: Int? = nil,
        in timeZone: TimeZone? = nil
    ) throws(RecurringDefect) {
        // What was charged is not charged again under another number.
        if let last = schedule.period(next - 1), start <= last.start { throw .start }
        guard start >= schedule.start else { throw .start }
        schedule = try RecurringSchedule(
            rhythm, from: start, until: end, count: count, in: timeZone ?? schedule.timeZone, firstNumber: next)
    }

    /// Lets nothing begin from `end` on, not even what was opened before. What begins until then is seen through.
    ///
    /// - Parameter end: a moment; one after the plan's end changes nothing.
    /// - Throws: ``RecurringDefect/end`` where the plan has not begun by then: ``end(at:)`` it instead.
    public mutating func stop(at end: Date) throws(RecurringDefect) {
        if let known = schedule.end, known <= end { return }
        schedule = try RecurringSchedule(
            schedule.rhythm, from: schedule.start, until: end, count: schedule.count, in: schedule.timeZone,
            firstNumber: schedule.firstNumber)
    }

    /// Charges nothing of what begins from now on.
    ///
    /// - Returns: what had begun and is opened.
    public mutating func pause(at now: Date) -> [RecurringCharge] { move(to: .paused, at: now) }

    /// Charges what begins from now on. What began during the pause is missed.
    ///
    /// - Returns: what is opened, missed because of the pause.
    public mutating func resume(at now: Date) -> [RecurringCharge] { move(to: .active, at: now) }

    /// Charges nothing any more. A period that a payer has begun to pay is seen through all the same.
    ///
    /// - Returns: what had begun and is opened.
    public mutating func end(at now: Date) -> [RecurringCharge] { move(to: .ended, at: now) }

    private mutating func move(to status: Status, at now: Date) -> [RecurringCharge] {
        guard self.status != .ended else { return [] }
        var charges: [RecurringCharge] = []
        // However many there are: what they are depends on how things stood when they began.
        while case let more = open(at: now, before: policy.ahead), !more.isEmpty { charges += more }
        self.status = status
        return charges
    }
}
