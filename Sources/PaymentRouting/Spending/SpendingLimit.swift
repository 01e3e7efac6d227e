public import PaymentCore

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
        /// Spendings by one method (``PaymentMethodOption/method``): `lightning` and `onchain` cover all that the
        /// payer's settler pays so, whatever name the payee uses; elsewhere it is the option's id, at providers that
        /// name their options by their method.
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
