public import PaymentCore

/// How much may be spent without a question in a day, a week or a month.
///
/// ```swift
/// let limits = [
///     SpendingLimit(try Money(decimal: "20", currency: .eur), per: .day),
///     SpendingLimit(try Money(decimal: "5", currency: .eur), per: .week, on: .payee(coffeeShop)),
/// ]
/// ```
public struct SpendingLimit: Sendable, Hashable {
    /// A time after which what was spent does not count any more. Each begins at midnight, where the payer is.
    @nonexhaustive
    public enum Period: String, Sendable, Hashable, CaseIterable {
        /// A day of the calendar.
        case day
        /// From Monday to Sunday.
        case week
        /// From the first of a month to its last day.
        case month
    }

    /// What a limit is about.
    @nonexhaustive
    public enum Scope: Sendable, Hashable {
        /// All that is spent.
        case everything
        /// What is spent at one provider.
        case provider(ProviderID)
        /// What one payee gets, by ``Payee/id``. A payee without an id is nobody that a limit could name.
        case payee(String)
        /// What is paid by one method (``PaymentMethodOption/method``): `lightning` and `onchain` are all that the
        /// payer's settler pays so, whatever the payee calls it; elsewhere it is the option's id, at providers whose
        /// options are called by their method.
        case method(String)
    }

    /// The most that may be spent in one period: exactly so much may.
    public let amount: Money
    /// The period.
    public let period: Period
    /// What is counted.
    public let scope: Scope

    /// Creates a limit.
    public init(_ amount: Money, per period: Period, on scope: Scope = .everything) {
        self.amount = amount
        self.period = period
        self.scope = scope
    }

    /// Returns whether the limit is about such a spending.
    ///
    /// - Parameter spending: what is to be spent, or was.
    public func includes(_ spending: Spending) -> Bool {
        switch scope {
        case .everything: true
        case .provider(let provider): spending.payment.provider == provider
        case .payee(let payee): spending.payee.map { $0.isExactly(payee) } ?? false
        case .method(let method): spending.method.map { Self.plain($0).isExactly(Self.plain(method)) } ?? false
        }
    }

    /// A method by its own name: `bolt11` is a way to be paid by `lightning`.
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
