#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A rhythm with a start, an end and a time zone.
///
/// Days are days of the calendar in ``timeZone``, at the time of day of ``start``: across a change of the clocks they
/// stay at their hour. An hour that a change leaves out counts on from the time before the change; of an hour that
/// comes twice the first counts. A day that a month does not have is its last: of a subscription of the 31st the period
/// of April begins on the 30th, and that of May on the 31st again.
public struct RecurringSchedule: Sendable, Hashable {
    /// The interval of the periods.
    @nonexhaustive
    public enum Rhythm: Sendable, Hashable {
        /// Every day.
        case daily
        /// Every seven days.
        case weekly
        /// On a day of every month, 1 to 31.
        case monthly(day: Int)
        /// On a day of every year; 29 February is the 28th in years without one.
        case yearly(month: Int, day: Int)
        /// On a day, 1 to 31, of every so many months, 1 to 1200: counted from the first month whose day does not
        /// precede the start.
        case months(every: Int, day: Int)
        /// Every so many seconds, at least sixty, independently of the calendar.
        case every(seconds: Int64)
    }

    /// The interval of the periods.
    public let rhythm: Rhythm
    /// The moment before which nothing is due: the first period begins then, or on the first day of the rhythm after
    /// it. Whole seconds.
    public let start: Date
    /// The moment from which nothing is due; nil for no end.
    public let end: Date?
    /// The most periods there are; nil for no such limit.
    public let count: Int?
    /// The time zone of the days.
    public let timeZone: TimeZone
    /// The number of the first period: if a schedule replaces another, the numbers continue.
    public let firstNumber: Int

    /// The most periods that any schedule has.
    public static let maximumCount = 10_000_000
    /// Nothing begins after the year 9986, nor before as many years on the other side.
    private static let lastMoment = 253_000_000_000.0

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - rhythm: the interval of the periods.
    ///   - start: the beginning; fractions of a second are dropped.
    ///   - end: the end.
    ///   - count: the most periods.
    ///   - timeZone: the time zone of the days.
    ///   - firstNumber: the number of the first period.
    /// - Throws: ``RecurringDefect``.
    public init(
        _ rhythm: Rhythm, from start: Date, until end: Date? = nil, count: Int? = nil, in timeZone: TimeZone = .gmt,
        firstNumber: Int = 0
    ) throws(RecurringDefect) {
        let seconds = start.timeIntervalSince1970.rounded(.down)
        guard seconds.isFinite, abs(seconds) < Self.lastMoment else { throw .start }
        if let end, !(end > start) { throw .end }
        if let count, !(1...Self.maximumCount).contains(count) { throw .count }
        guard (0...Self.maximumCount).contains(firstNumber) else { throw .count }
        switch rhythm {
        case .monthly(let day): guard (1...31).contains(day) else { throw .day }
        case .yearly(let month, let day):
            guard (1...12).contains(month), (1...CivilDay.count(year: 2000, month: month)).contains(day) else {
                throw .day
            }
        case .months(let every, let day):
            guard (1...1200).contains(every) else { throw .interval }
            guard (1...31).contains(day) else { throw .day }
        case .every(let seconds): guard (60...3_200_000_000).contains(seconds) else { throw .interval }
        case .daily, .weekly: break
        }
        self.rhythm = rhythm
        self.start = Date(timeIntervalSince1970: seconds)
        self.end = end
        self.count = count
        self.timeZone = timeZone
        self.firstNumber = firstNumber
    }

    /// Returns the day of the month that a zone's clocks show.
    ///
    /// - Parameters:
    ///   - date: a moment.
    ///   - timeZone: the time zone of the day.
    /// - Returns: 1 to 31.
    public static func dayOfMonth(_ date: Date, in timeZone: TimeZone) -> Int {
        let seconds = date.timeIntervalSince1970
        guard seconds.magnitude < lastMoment else { return 1 }
        let local = CivilDay.split(Int(seconds.rounded(.down)) + timeZone.secondsFromGMT(for: date))
        return CivilDay(number: local.day).day
    }

    // MARK: Periods

    /// Returns the period of this number; nil before the first period and after the end.
    ///
    /// - Parameter number: counted from ``firstNumber``.
    public func period(_ number: Int) -> RecurringPeriod? {
        let index = number - firstNumber
        guard index >= 0, index < min(count ?? Self.maximumCount, Self.maximumCount) else { return nil }
        let start = beginning(index)
        if let end, start >= end { return nil }
        guard start.timeIntervalSince1970 < Self.lastMoment else { return nil }
        return RecurringPeriod(number: number, start: start, end: beginning(index + 1))
    }

    /// Returns the last period that has begun by `date`, or that is the last of all; nil if none has begun.
    ///
    /// - Parameter date: a moment.
    public func lastPeriod(at date: Date) -> RecurringPeriod? {
        guard period(firstNumber).map({ $0.start <= date }) ?? false else { return nil }
        // Beginnings grow with their number: the first one that has not come yet is found by bisection.
        var (begun, open) = (firstNumber, firstNumber + 1)
        while let period = period(open), period.start <= date {
            (begun, open) = (open, open + 2 * (open - firstNumber))
        }
        while open - begun > 1 {
            let middle = begun + (open - begun) / 2
            if let period = period(middle), period.start <= date { begun = middle } else { open = middle }
        }
        return period(begun)
    }

    /// Returns the beginning of the period with this index, regardless of ``end`` and ``count``.
    private func beginning(_ index: Int) -> Date {
        switch rhythm {
        case .daily: zoned(day: startDay + index)
        case .weekly: zoned(day: startDay + 7 * index)
        case .monthly(let day): zoned(month: firstMonth(day, every: 1) + index, day: day)
        case .yearly(let month, let day):
            zoned(month: firstMonth(day, every: 12, beginningWith: month - 1) + 12 * index, day: day)
        case .months(let every, let day): zoned(month: firstMonth(day, every: 1) + every * index, day: day)
        case .every(let seconds): start.addingTimeInterval(Double(seconds) * Double(index))
        }
    }

    /// The first month, counted from the year 0, whose day does not come before the start.
    private func firstMonth(_ day: Int, every step: Int, beginningWith month: Int? = nil) -> Int {
        let parts = CivilDay(number: startDay)
        var first = parts.year * 12 + (month ?? parts.month - 1)
        while zoned(month: first, day: day) < start { first += step }
        return first
    }

    // MARK: Local time

    /// Seconds since 1970 as the zone's clocks show them at the start.
    private var localStart: Int {
        Int(start.timeIntervalSince1970) + timeZone.secondsFromGMT(for: start)
    }

    private var startDay: Int { CivilDay.split(localStart).day }

    private func zoned(month: Int, day: Int) -> Date {
        let year = CivilDay.floorDivide(month, 12)
        let month = month - year * 12 + 1
        return zoned(
            day: CivilDay.number(
                year: year, month: month, day: min(day, CivilDay.count(year: year, month: month))))
    }

    /// The start's time of day on another day.
    private func zoned(day: Int) -> Date {
        let local = day * 86_400 + CivilDay.split(localStart).second
        // Beyond the range in which calendars are consulted.
        guard abs(Double(local)) < 2 * Self.lastMoment else { return Date(timeIntervalSince1970: Double(local)) }
        // The offsets of the clocks before and after: a day and more apart, since zones have changed sides of the date
        // line.
        let offsets = [-1, 1].map {
            timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local + $0 * 129_600)))
        }
        for offset in offsets.sorted(by: >) {
            let date = Date(timeIntervalSince1970: Double(local - offset))
            if timeZone.secondsFromGMT(for: date) == offset { return date }
        }
        // Left out by a change of the clocks: counted on from before it.
        return Date(timeIntervalSince1970: Double(local - offsets[0]))
    }
}

/// One period of a schedule. Its payment is due when it begins.
public struct RecurringPeriod: Sendable, Hashable {
    /// Its number. With the id of the recurring payment it names the period permanently.
    public let number: Int
    /// The moment at which it begins.
    public let start: Date
    /// The moment at which the next one begins.
    public let end: Date

    /// Creates a period.
    public init(number: Int, start: Date, end: Date) {
        self.number = number
        self.start = start
        self.end = end
    }

    /// True if it is over when it begins: a day that a zone left out when it changed sides of the date line.
    public var isEmpty: Bool { end <= start }
}

/// Why a schedule or a plan is invalid.
@nonexhaustive
public enum RecurringDefect: Error, Sendable, Hashable {
    /// The start is not a date of the calendar.
    case start
    /// It ends before it begins.
    case end
    /// It has no periods, or too many.
    case count
    /// There is no such day.
    case day
    /// Between two periods are fewer than sixty seconds, or more than a hundred years.
    case interval
    /// A name is empty or longer than 128 bytes.
    case name
    /// The amount is zero.
    case amount
}

extension RecurringDefect: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .start: "the start is no date before the year 9987"
        case .end: "the end does not come after the start"
        case .count: "there has to be one period at least, and \(RecurringSchedule.maximumCount) at most"
        case .day: "there is no such day; a day of the month is 1 to 31"
        case .interval: "an interval has 60 seconds at least, and a hundred years at most"
        case .name: "a name has 1 to 128 bytes"
        case .amount: "the amount is zero"
        }
    }
}
