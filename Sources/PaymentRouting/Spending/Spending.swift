public import PaymentCore

/// Money that is to leave the payer without a question, as it is counted against ``SpendingLimit``s.
public struct Spending: Sendable, Hashable {
    /// Who says what becomes of a reservation.
    @nonexhaustive
    public enum Keeper: String, Sendable, Hashable, CaseIterable {
        /// The journal, by how the attempt ends there: routers settle it, also what a crash has left.
        case journal
        /// Whoever has reserved it. Nobody else ever releases it; it counts till the end of its periods.
        case application
    }

    /// The attempt at the payment: by its id a spending is known, and counted once.
    public let attempt: AttemptID
    /// The payment.
    public let payment: PaymentReference
    /// What leaves the payer, and behind it what that is worth in other currencies that it counts in. None is zero.
    public let amounts: [Money]
    /// The payer's day on which it begins.
    public let day: SpendingDay
    /// Who is paid, by ``Payee/id``.
    public let payee: String?
    /// How it is paid, by ``PaymentMethodOption/method``.
    public let method: String?
    /// Who says what becomes of it.
    public let keeper: Keeper

    /// Creates a spending.
    public init(
        attempt: AttemptID, payment: PaymentReference, amounts: [Money], day: SpendingDay, payee: String? = nil,
        method: String? = nil, keeper: Keeper = .application
    ) {
        self.attempt = attempt
        self.payment = payment
        self.amounts = amounts
        self.day = day
        self.payee = payee
        self.method = method
        self.keeper = keeper
    }

    /// Whether both are the same but for the day: what is asked for again after midnight is no other spending.
    func isSame(as other: Spending) -> Bool {
        attempt == other.attempt && payment == other.payment && amounts == other.amounts
            && payee.isExactly(other.payee) && method.isExactly(other.method) && keeper == other.keeper
    }
}

extension String? {
    /// Whether both are the same byte for byte, or neither is there.
    fileprivate func isExactly(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}

/// What a store knows of a spending.
public struct SpendingRecord: Sendable, Hashable {
    /// What has become of it.
    @nonexhaustive
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It may be under way: it counts.
        case reserved
        /// It was paid: it counts.
        case paid
        /// It was not paid, and does not count.
        case released
    }

    /// The spending.
    public let spending: Spending
    /// What has become of it.
    public var state: State
    /// On which day somebody found it dated on a later one: whose clock was wrong, nobody knows.
    public var noticed: SpendingDay?

    /// Creates a record.
    public init(_ spending: Spending, state: State = .reserved, noticed: SpendingDay? = nil) {
        self.spending = spending
        self.state = state
        self.noticed = noticed
    }

    /// Whether it counts in the period of `today`: it is dated in it, or behind it and was found so in it. Who sets a
    /// clock back frees nothing by that; and what was dated in a far future by a wrong clock counts for a while, not
    /// till then.
    func counts(in period: SpendingLimit.Period, of today: SpendingDay) -> Bool {
        guard state != .released, spending.day >= today.first(of: period) else { return false }
        return spending.day < today.end(of: period) || noticed ?? today >= today.first(of: period)
    }
}

/// What a store says of a spending.
@nonexhaustive
public enum SpendingVerdict: Sendable, Hashable {
    /// It is within all limits.
    case granted
    /// It is not made without a question.
    case refused(SpendingDenial)
}

/// Why something is not spent without a question.
@nonexhaustive
public enum SpendingDenial: Sendable, Hashable {
    /// No limit is about it: nothing was allowed.
    case noLimit
    /// A limit is in another currency, or counts it with other decimals, and what it is worth there is not known.
    case incomparable(Money, SpendingLimit)
    /// It is more than what is left of a limit, with what has been spent already, in words.
    case exceeded(Money, SpendingLimit, spent: String)
}

extension SpendingDenial: CustomStringConvertible {
    /// What is wrong, for people, to follow the amount's or option's name.
    public var description: String {
        switch self {
        case .noLimit: "is covered by no limit"
        case .incomparable(let amount, let limit):
            "costs \(amount), which cannot be compared with the limit of \(limit)"
        case .exceeded(let amount, let limit, let spent):
            "costs \(amount), and \(spent) of the limit of \(limit) is spent or reserved already"
        }
    }
}
