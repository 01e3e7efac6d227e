public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The most that may be spent without a question in a day, a week or a month.
///
/// ```swift
/// let limits = [
///     SpendingLimit(try Money(decimal: "20", currency: .eur), per: .day),
///     SpendingLimit(try Money(decimal: "5", currency: .eur), per: .week, on: .payee(coffeeShop)),
/// ]
/// ```
public struct SpendingLimit: Sendable, Hashable {
    /// A time after which a spending no longer counts. Each period begins at midnight in the payer's time zone.
    @nonexhaustive
    public enum Period: String, Sendable, Hashable, CaseIterable {
        /// A day of the calendar.
        case day
        /// From Monday to Sunday.
        case week
        /// From the first of a month to its last day.
        case month
    }

    /// The spendings that a limit covers.
    @nonexhaustive
    public enum Scope: Sendable, Hashable {
        /// All that is spent.
        case everything
        /// Spendings at one provider.
        case provider(ProviderID)
        /// Spendings to one payee, by ``Payee/id``. No limit can name a payee without an id.
        case payee(String)
        /// Spendings by one method (``PaymentMethodOption/method``): `lightning` and `onchain` cover everything that
        /// the payer's settler pays in this way, whatever name the payee uses. Elsewhere it is the option's id, at
        /// providers that name their options by their method.
        case method(String)
    }

    /// The most that may be spent in one period, inclusive.
    public let amount: Money
    /// The period.
    public let period: Period
    /// The spendings that count.
    public let scope: Scope

    /// Creates a limit.
    public init(_ amount: Money, per period: Period, on scope: Scope = .everything) {
        self.amount = amount
        self.period = period
        self.scope = scope
    }

    /// Returns true if the limit covers a spending.
    ///
    /// - Parameter spending: a spending, before or after it is made.
    public func includes(_ spending: Spending) -> Bool {
        switch scope {
        case .everything: true
        case .provider(let provider): spending.payment.provider == provider
        case .payee(let payee): spending.payee.map { $0.isExactly(payee) } ?? false
        case .method(let method): spending.method.map { Self.plain($0).isExactly(Self.plain(method)) } ?? false
        }
    }

    /// Returns the method of a name: `bolt11` is a way to be paid by `lightning`.
    private static func plain(_ method: String) -> String { SettlementEndpoint.Kind(rawValue: method).method }
}

extension SpendingLimit: CustomStringConvertible {
    /// A few words for people: `20.00 EUR a day`, `5.00 EUR a week to 8pinxx…`.
    public var description: String {
        let about =
            switch scope {
            case .everything: ""
            case .provider(let provider): " at \(provider)"
            case .payee(let payee): " to \(payee)"
            case .method(let method): " by \(method)"
            }
        return "\(amount) a \(period.rawValue)\(about)"
    }
}

/// A day of the payer's own calendar, counted from 1 January 1970.
///
/// Days are distinguished by their number, never by moments. A day of 23 or 25 hours, on which clocks are changed, is
/// one day like any other.
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

    /// Returns the first day of the period that this day is in: the day itself, the Monday (ISO 8601), the first of the
    /// month.
    package func first(of period: SpendingLimit.Period) -> SpendingDay {
        switch period {
        case .day: self
        // 1 January 1970 was a Thursday.
        case .week: SpendingDay(number: CivilDay.floorDivide(number + 3, 7) * 7 - 3)
        case .month: SpendingDay(number: number - CivilDay(number: number).day + 1)
        }
    }

    /// Returns the first day after the period that this day is in.
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
