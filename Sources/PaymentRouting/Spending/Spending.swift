public import PaymentCore

/// Money that is to leave the payer without a question, counted against ``SpendingLimit``s.
public struct Spending: Sendable, Hashable {
    /// The authority that decides the state of a reservation.
    @nonexhaustive
    public enum Keeper: String, Sendable, Hashable, CaseIterable {
        /// The journal, by the attempt's end there: routers settle it, also after a crash.
        case journal
        /// The application that reserved it. Nothing else ever releases it; it counts until the end of its periods.
        case application
    }

    /// The attempt at the payment: its id identifies a spending, which counts once.
    public let attempt: AttemptID
    /// The payment.
    public let payment: PaymentReference
    /// The amount that leaves the payer, followed by its worth in other currencies that it counts in. None is zero.
    public let amounts: [Money]
    /// The payer's day on which it begins.
    public let day: SpendingDay
    /// The payee, by ``Payee/id``.
    public let payee: String?
    /// The method of payment, by ``PaymentMethodOption/method``.
    public let method: String?
    /// The authority that decides its state.
    public let keeper: Keeper
    /// The identifier of the time zone that ``day`` is a date in; nil where it is not stated. An account has one:
    /// another zone has other dates, each with its own budget.
    public let timeZone: String?

    /// Creates a spending.
    public init(
        attempt: AttemptID, payment: PaymentReference, amounts: [Money], day: SpendingDay, payee: String? = nil,
        method: String? = nil, keeper: Keeper = .application, timeZone: String? = nil
    ) {
        self.attempt = attempt
        self.payment = payment
        self.amounts = amounts
        self.day = day
        self.payee = payee
        self.method = method
        self.keeper = keeper
        self.timeZone = timeZone
    }

    /// Returns true if both are the same but for the day: a request repeated after midnight is no other spending.
    func isSame(as other: Spending) -> Bool {
        attempt == other.attempt && payment == other.payment && amounts == other.amounts
            && payee.isExactly(other.payee) && method.isExactly(other.method) && keeper == other.keeper
    }
}

extension String? {
    /// Returns true if both are the same byte for byte, or both are nil.
    fileprivate func isExactly(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}

/// A store's record of a spending.
public struct SpendingRecord: Sendable, Hashable {
    /// The state of a spending.
    @nonexhaustive
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It may be in progress: it counts.
        case reserved
        /// It was paid: it counts.
        case paid
        /// It was not paid, and does not count.
        case released
    }

    /// The spending.
    public let spending: Spending
    /// The state of the spending.
    public var state: State
    /// The day on which it was found dated on a later one: it is unknown which clock was wrong.
    public var noticed: SpendingDay?

    /// Creates a record.
    public init(_ spending: Spending, state: State = .reserved, noticed: SpendingDay? = nil) {
        self.spending = spending
        self.state = state
        self.noticed = noticed
    }

    /// Returns true if it counts in the period of `today`: it is dated in it, or after it and was found so in it.
    /// Setting a clock back frees nothing by that; and a spending that a wrong clock dated far in the future counts for
    /// a while, not until then.
    func counts(in period: SpendingLimit.Period, of today: SpendingDay) -> Bool {
        guard state != .released, spending.day >= today.first(of: period) else { return false }
        return spending.day < today.end(of: period) || noticed ?? today >= today.first(of: period)
    }
}

/// A store's decision about a spending.
@nonexhaustive
public enum SpendingVerdict: Sendable, Hashable {
    /// It is within all limits.
    case granted
    /// It is not made without a question.
    case refused(SpendingDenial)
}

/// The reason for which an amount is not spent without a question.
@nonexhaustive
public enum SpendingDenial: Sendable, Hashable {
    /// No limit is about it: nothing was allowed.
    case noLimit
    /// A limit is in another currency, or counts it with other decimals, and the amount's worth there is not known.
    case incomparable(Money, SpendingLimit)
    /// The amount exceeds the rest of a limit; `spent` is what has been spent already, in words.
    case exceeded(Money, SpendingLimit, spent: String)
    /// The day is a date in the first time zone, and those of the account in the second one.
    case otherTimeZone(String, account: String)
    /// Something that was spent before counts against a limit, and its worth there is not known.
    case uncounted(Money, SpendingLimit, earlier: Money)
}

extension SpendingDenial: CustomStringConvertible {
    /// The reason for people, to follow the amount's or option's name.
    public var description: String {
        switch self {
        case .noLimit: "is covered by no limit"
        case .incomparable(let amount, let limit):
            "costs \(amount), which cannot be compared with the limit of \(limit)"
        case .exceeded(let amount, let limit, let spent):
            "costs \(amount), and \(spent) of the limit of \(limit) is spent or reserved already"
        case .otherTimeZone(let zone, let account):
            "would be counted by the days of \(zone), and the account counts by those of \(account): use that time zone, "
                + "or another account"
        case .uncounted(let amount, let limit, let earlier):
            "costs \(amount), and \(earlier) that was spent before cannot be compared with the limit of \(limit)"
        }
    }
}
