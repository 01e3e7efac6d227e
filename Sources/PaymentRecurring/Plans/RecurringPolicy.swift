import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules for periods that could not be charged when they began.
public struct RecurringPolicy: Sendable, Hashable {
    /// The rule that selects which of the periods that began while no scheduler ran are charged all the same.
    @nonexhaustive
    public enum CatchUp: Sendable, Hashable, CaseIterable {
        /// All of them, one after the other, the latest ``RecurringPolicy/mostCaughtUp`` at most.
        case all
        /// The latest one only: it still runs.
        case latestOnly
        /// None, unless it began less than the grace ago.
        case none
    }

    /// The rule for periods that began while no scheduler ran.
    public var catchUp: CatchUp
    /// The most periods that are charged for one absence, where all are caught up with.
    public var mostCaughtUp: Int
    /// The time before its beginning from which a period may be charged.
    public var ahead: Duration
    /// The time between the notification of the payer about a period (``RecurringEvent/upcoming(_:)``) and its charge,
    /// so that they can still refuse it; zero sends no notification. A period that is found late is charged that much
    /// later.
    public var notice: Duration
    /// The time for which a period is tried after it began, or after it was found: then it is missed.
    public var grace: Duration
    /// The most times that a declined period is begun.
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

    /// Returns the reason for which a period that is opened at `now` is not charged; nil when it is charged.
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
