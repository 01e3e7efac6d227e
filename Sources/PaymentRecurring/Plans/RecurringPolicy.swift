import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What becomes of periods that could not be charged when they began.
public struct RecurringPolicy: Sendable, Hashable {
    /// Which of the periods that began while nobody was there are charged all the same.
    @nonexhaustive
    public enum CatchUp: Sendable, Hashable, CaseIterable {
        /// All of them, one after the other, the latest ``RecurringPolicy/mostCaughtUp`` at most.
        case all
        /// The latest one only: it still runs.
        case latestOnly
        /// None, unless it began less than the grace ago.
        case none
    }

    /// Which periods are caught up with.
    public var catchUp: CatchUp
    /// The most periods that are charged for one absence, where all are caught up with.
    public var mostCaughtUp: Int
    /// How long before its beginning a period may be charged.
    public var ahead: Duration
    /// How long before it is charged the payer is told of a period (``RecurringEvent/upcoming(_:)``), so that they can
    /// still say no; nothing is told where it is zero. One that is found late is charged that much later.
    public var notice: Duration
    /// How long a period is tried after it began, or after it was found: then it is missed.
    public var grace: Duration
    /// How often a period is begun that is declined.
    public var mostAttempts: Int
    /// How long to wait after something went wrong, the first time; each time twice as long, an hour at most.
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

    /// How long before its beginning a period is opened.
    var opening: Duration { ahead + notice }

    /// Why a period that is opened at `now` is not charged; nil when it is.
    ///
    /// - Parameter last: the number of the last period that may be charged by now; nil for none.
    func missed(_ period: RecurringPeriod, last: Int?, at now: Date) -> RecurringCharge.Reason? {
        if period.isEmpty { return .noSuchDay }
        // What is told of beforehand is not late.
        guard let last, period.number <= last else { return nil }
        let isCharged =
            switch catchUp {
            case .all: last - period.number < mostCaughtUp
            case .latestOnly: period.number == last
            case .none: now < period.start.addingTimeInterval(grace / .seconds(1))
            }
        return isCharged ? nil : .absence
    }

    /// How long to wait after so many failures.
    package func wait(after failures: Int) -> Duration {
        min(pause * (1 << min(max(0, failures - 1), 12)), max(pause, .seconds(3600)))
    }
}
