/// A change of a running subscription (Protocol 6.5).
@nonexhaustive
public enum PaykitSubscriptionChange: Sendable, Hashable {
    /// A higher amount.
    case upgrade(amount: String)
    /// A lower amount.
    case downgrade(amount: String)
    /// Another method of the payee.
    case method(String)
    /// Another day of the month, 1 to 28.
    case billingDay(UInt8)
    /// Another frequency.
    case frequency(PaykitFrequency)

    func applied(to terms: PaykitSubscriptionTerms) throws(PaykitSubscriptionDefect) -> PaykitSubscriptionTerms {
        var changed = terms
        switch self {
        case .upgrade(let amount), .downgrade(let amount):
            changed.amount = amount
            let isUpgrade = if case .upgrade = self { true } else { false }
            guard let old = try? terms.money(), let new = try? changed.money(), new != old,
                let isLess = try? new.isLess(than: old), isLess != isUpgrade
            else {
                throw .order(isUpgrade ? "an upgrade costs more than before" : "a downgrade costs less than before")
            }
            // The most per period that was agreed on also limits the new amount.
            if let most = changed.maximumPerPeriod,
                let limit = try? PaykitSubscriptionTerms.money(most, terms.currency),
                (try? limit.isLess(than: new)) ?? true
            {
                throw .order("the new amount is above the most that the subscription may cost")
            }
        case .method(let method): changed.methodID = method
        case .billingDay(let day):
            guard 1...28 ~= day else { throw .order("a billing day is 1 to 28, so that every month has it") }
            switch terms.frequency {
            case .monthly: changed.frequency = .monthly(dayOfMonth: day)
            case .yearly(let month, _): changed.frequency = .yearly(month: month, day: day)
            default: throw .order("only what is paid by the month or the year has a billing day")
            }
        case .frequency(let frequency): changed.frequency = frequency
        }
        return changed
    }
}

/// The credit and the charge of a change in the middle of a period (Protocol 6.5).
///
/// Days are whole days of 86,400 seconds. The old amount's share of the remaining days is credited, the new amount's is
/// charged, each rounded separately to the currency's minor unit, halves to even.
public struct PaykitProration: Sendable, Hashable {
    /// The old amount's share of the remaining days, which is credited.
    public let credit: Money
    /// The new amount's share of the remaining days, which is charged.
    public let charge: Money

    /// Computes the proration of a change in a period from `start` to `end`. Times are seconds since 1970. `old` is the
    /// price of the period before the change. `new` is the price of the period after it, in the same currency. `change`
    /// is the time when the change begins to apply.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/order(_:)``.
    public init(
        from old: Money, to new: Money, start: Int64, end: Int64, change: Int64
    ) throws(PaykitSubscriptionDefect) {
        guard old.currency == new.currency, old.exponent == new.exponent else {
            throw .order("amounts of two currencies cannot be set off against each other")
        }
        guard start <= change, change <= end else { throw .order("Change date must be within the billing period") }
        let (length, isTooLong) = end.subtractingReportingOverflow(start)
        let total = length / 86_400
        guard !isTooLong, total >= 1 else { throw .order("Billing period must be at least one day") }
        // Within the period, so that neither difference can be too large.
        let left = total - (change - start) / 86_400
        credit = try Self.share(of: old, UInt128(left), of: UInt128(total))
        charge = try Self.share(of: new, UInt128(left), of: UInt128(total))
    }

    /// The amount to pay for the change; nil when the credit exceeds the charge.
    public var payable: Money? { try? charge.subtracting(credit) }

    /// The amount to refund for the change; nil when the charge exceeds the credit.
    public var refundable: Money? { try? credit.subtracting(charge) }

    private static func share(
        of money: Money, _ part: UInt128, of total: UInt128
    ) throws(PaykitSubscriptionDefect) -> Money {
        let product = money.minorUnits.multipliedFullWidth(by: part)
        let (quotient, remainder) = total.dividingFullWidth(product)
        let rest = total - remainder
        let isUp = remainder > rest || (remainder == rest && quotient % 2 == 1)
        do {
            return try Money(minorUnits: quotient + (isUp ? 1 : 0), currency: money.currency, exponent: money.exponent)
        } catch { throw .order("the amount is too large to be parted") }
    }
}
