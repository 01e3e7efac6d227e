import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A day of the payer's own calendar, counted from 1 January 1970.
///
/// Days are distinguished by their number, never by moments: one that is 23 or 25 hours long, because clocks are
/// changed on it, is one day like any other.
public struct SpendingDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of days after 1 January 1970; negative before.
    public let number: Int

    /// Creates a day from its number.
    ///
    /// - Parameter number: the number of days after 1 January 1970; limited to a hundred thousand years on either side.
    public init(number: Int) { self.number = min(max(number, -Self.mostDays), Self.mostDays) }

    /// Creates the day that `date` falls on in `zone`.
    ///
    /// - Parameters:
    ///   - date: the moment.
    ///   - zone: the time zone of the payer's clocks.
    public init(_ date: Date, in zone: TimeZone) {
        // A date may hold any number, also NaN.
        let seconds = date.timeIntervalSince1970
        let limit = Double(Self.mostDays) * 86_400
        let moment = seconds.isNaN ? 0 : min(max(seconds, -limit), limit)
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: moment))
        self.init(number: Int(((moment + Double(offset)) / 86_400).rounded(.down)))
    }

    private static let mostDays = 36_525_000

    /// Returns true if this day comes before `other`.
    public static func < (day: SpendingDay, other: SpendingDay) -> Bool { day.number < other.number }

    /// The date, as `2026-03-29`.
    public var description: String { CivilDay(number: number).text }

    /// The first day of the period that this day is in: the day itself, the Monday (ISO 8601), the first of the month.
    package func first(of period: SpendingLimit.Period) -> SpendingDay {
        switch period {
        case .day: self
        // 1 January 1970 was a Thursday.
        case .week: SpendingDay(number: CivilDay.floorDivide(number + 3, 7) * 7 - 3)
        case .month: SpendingDay(number: number - CivilDay(number: number).day + 1)
        }
    }

    /// The first day after the period that this day is in.
    func end(of period: SpendingLimit.Period) -> SpendingDay {
        let first = first(of: period)
        switch period {
        case .day: return SpendingDay(number: first.number + 1)
        case .week: return SpendingDay(number: first.number + 7)
        // Any month is over 31 days after its first, and the next one not.
        case .month: return SpendingDay(number: first.number + 31).first(of: .month)
        }
    }
}
