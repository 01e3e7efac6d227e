public import PaymentCore

/// Money that is to leave the payer without a question, counted against ``SpendingLimit``s.
public struct Spending: Sendable, Hashable {
    /// The authority that decides the state of a reservation.
    @nonexhaustive
    public enum Keeper: String, Sendable, Hashable, CaseIterable {
        /// The journal, by the attempt's end there: routers settle it, also after a crash.
        case journal
        /// The application that reserved it. Nothing else ever releases it. It counts until the end of its periods.
        case application
    }

    /// The attempt at the payment. Its id identifies a spending, and each counts once.
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
    /// The identifier of the time zone that ``day`` is a date in; nil if it is not stated. An account has one time
    /// zone: another zone has other dates, each with its own budget.
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

    /// Returns true if both are the same except for the day. A request repeated after midnight is not another spending.
    func isSame(as other: Spending) -> Bool {
        attempt == other.attempt && payment == other.payment && amounts == other.amounts
            && payee.isExactly(other.payee) && method.isExactly(other.method) && keeper == other.keeper
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
    /// The day on which its date was found to be in the future. Which clock was wrong is unknown.
    public var noticed: SpendingDay?

    /// Creates a record.
    public init(_ spending: Spending, state: State = .reserved, noticed: SpendingDay? = nil) {
        self.spending = spending
        self.state = state
        self.noticed = noticed
    }

    /// Returns true if it counts in the period of `today`: it is dated in the period, or it is dated later and was
    /// found so in the period. So setting a clock back frees nothing. A spending that a wrong clock dated far in the
    /// future counts for a while, not until then.
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

/// Why an amount is not spent without a question.
@nonexhaustive
public enum SpendingDenial: Sendable, Hashable {
    /// No limit is about it: nothing was allowed.
    case noLimit
    /// A limit is in another currency, or counts the currency with other decimals, and the amount's worth there is not
    /// known.
    case incomparable(Money, SpendingLimit)
    /// The amount exceeds the rest of a limit; `spent` is what has been spent already, in words.
    case exceeded(Money, SpendingLimit, spent: String)
    /// The day is a date in the first time zone, and those of the account in the second one.
    case otherTimeZone(String, account: String)
    /// An earlier spending counts against a limit, and its worth there is not known.
    case uncounted(Money, SpendingLimit, earlier: Money)
}

extension SpendingDenial: CustomStringConvertible {
    /// A message for people, to follow the amount's or option's name.
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

/// The worth of earlier spendings in currencies that they have no amount in, by the rates of now.
///
/// An amount that could not be converted when it was spent counts as soon as its worth is known.
public struct SpendingWorths: Sendable, Hashable {
    private var amounts: [AttemptID: [Money]] = [:]

    /// Creates worths of no spending: everything counts by its own amounts.
    public init() {}

    /// Adds the worth of a spending. The first one in a currency counts.
    ///
    /// - Parameters:
    ///   - worth: the worth, in a currency that the spending has no amount in.
    ///   - attempt: the attempt that the spending belongs to.
    public mutating func add(_ worth: Money, of attempt: AttemptID) { amounts[attempt, default: []].append(worth) }

    /// Returns the worth of a spending in a currency; nil if it is unknown.
    func worth(of attempt: AttemptID, in currency: Currency) -> Money? {
        amounts[attempt]?.first { $0.currency.denotesSame(as: currency) }
    }
}

// MARK: - The account

/// The account of spendings without a question: reserved before anything can move money, then paid or released.
///
/// It is part of the journal (`SQLiteJournal`, `InMemoryJournal`), next to the attempts that the reservations belong
/// to. A reservation is kept for as long as its attempt may be paid. It is released when the attempt ended unpaid or
/// was never begun. `SpendingConformance` in `PaymentTesting` checks any store against these rules.
///
/// Several tasks and processes may share one. Every method that writes does so in one atomic step. It returns only when
/// its writes survive the end of the process and of the machine.
public protocol SpendingStore: Sendable {
    /// Reserves a spending, unless a limit would be exceeded with all that is reserved and paid in its period.
    ///
    /// All limits that cover the spending count. If nothing is converted, at least one limit of each scope and period
    /// must be in a currency that the spending has an amount in, and all limits in such a currency apply. With worths,
    /// each limit needs a worth, also of every earlier spending that counts. A spending that no limit covers is not
    /// granted. A spending in a time zone other than that of the spendings that still count is not granted either.
    /// Repeated for the same attempt, a reservation is the same one and counts once.
    ///
    /// - Parameters:
    ///   - spending: the spending, on the payer's day.
    ///   - limits: the limits.
    ///   - worths: the worth of earlier spendings in currencies of the limits that they have no amount in; nil if
    ///     nothing is converted.
    /// - Returns: the decision; a refusal has reserved nothing.
    /// - Throws: ``SpendingError``, and any error of the storage. A write that throws has stored nothing, or the
    ///   reservation: release it.
    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict

    /// Marks a reservation as paid. It counts until the end of its periods. A repetition changes nothing. A released
    /// reservation becomes paid as well, and counts again.
    ///
    /// - Parameter attempt: the attempt that the reservation belongs to.
    /// - Throws: ``SpendingError/unknown(_:)``, and any error of the storage.
    func commit(_ attempt: AttemptID) async throws

    /// Releases a reservation, because nothing was paid and nothing will be. A repetition changes nothing. An attempt
    /// without a reservation changes nothing either.
    ///
    /// - Parameter attempt: the attempt that the reservation belongs to.
    /// - Throws: ``SpendingError/paid(_:)`` when it was paid, which nothing undoes; ``SpendingError/open(_:)`` when the
    ///   attempt has not ended; and any error of the storage.
    func release(_ attempt: AttemptID) async throws

    /// Returns the record of an attempt's spending; nil when there is none.
    ///
    /// - Parameter attempt: the attempt that the spending belongs to.
    /// - Throws: any error of the storage.
    func spending(of attempt: AttemptID) async throws -> SpendingRecord?

    /// Returns all spendings that are reserved, oldest first.
    ///
    /// - Throws: any error of the storage.
    func reservedSpendings() async throws -> [SpendingRecord]

    /// Returns all spendings of a day and later, of any state, oldest first.
    ///
    /// - Parameter day: the first day.
    /// - Throws: any error of the storage.
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord]
}

extension SpendingStore {
    /// Reserves a spending if nothing is converted: ``reserve(_:within:counting:)``.
    ///
    /// - Throws: ``SpendingError``, and any error of the storage.
    public func reserve(_ spending: Spending, within limits: [SpendingLimit]) async throws -> SpendingVerdict {
        try await reserve(spending, within: limits, counting: nil)
    }

    /// Returns the decision about a spending now. It reserves nothing: only ``reserve(_:within:counting:)`` permits a
    /// payment.
    ///
    /// - Parameters:
    ///   - spending: the spending to examine.
    ///   - limits: the limits.
    ///   - worths: the worth of earlier spendings; nil if nothing is converted.
    /// - Throws: ``SpendingError/nothing(_:)``, and any error of the storage.
    public func preview(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths? = nil
    ) async throws -> SpendingVerdict {
        var book = SpendingLedger(try await spendings(since: spending.day.firstThatCounts))
        return try book.reserve(spending, within: limits, counting: worths)
    }
}

/// Why a store of spendings did not write.
@nonexhaustive
public enum SpendingError: Error, Sendable, Hashable {
    /// No spending of this attempt is known.
    case unknown(AttemptID)
    /// The spending has no amount, or one that is zero.
    case nothing(AttemptID)
    /// The attempt has a reservation for something else, or had one.
    case taken(AttemptID)
    /// The spending was paid.
    case paid(AttemptID)
    /// The attempt is open, and may still pay.
    case open(AttemptID)
}

extension SpendingError: CustomStringConvertible {
    /// A message for people: what happened, then what to do.
    public var description: String {
        switch self {
        case .unknown(let id): "nothing was reserved for the attempt \(id); reserve before anything is paid"
        case .nothing(let id): "the attempt \(id) would spend nothing; ask the payer instead"
        case .taken(let id): "a spending of the attempt \(id) is known already; begin another attempt"
        case .paid(let id): "what the attempt \(id) spent was paid; it counts until its periods end"
        case .open(let id): "the attempt \(id) has not ended and may still pay; end it first"
        }
    }
}

extension String? {
    /// Returns true if both are the same byte for byte, or both are nil.
    fileprivate func isExactly(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}
