public import PaymentCore

/// What a change in the middle of a period costs or gives back (Protocol 6.5).
///
/// Days are whole ones of 86,400 seconds. The old amount's share of the days that are left is given back, the new one's
/// is charged, each rounded to the currency's minor unit by itself, halves to the even one.
public struct PaykitProration: Sendable, Hashable {
    /// The old amount's share of what is left: given back.
    public let credit: Money
    /// The new amount's share of what is left: charged.
    public let charge: Money

    /// Reckons a change.
    ///
    /// - Parameters:
    ///   - old: what the period costs before the change.
    ///   - new: what it costs after it, in the same currency.
    ///   - start: when the period begins: seconds since 1970.
    ///   - end: when it ends.
    ///   - change: when the change holds.
    /// - Throws: ``PaykitSubscriptionDefect/order(_:)``.
    public init(
        from old: Money, to new: Money, start: Int64, end: Int64, change: Int64
    ) throws(PaykitSubscriptionDefect) {
        guard old.currency == new.currency, old.exponent == new.exponent else {
            throw .order("amounts of two currencies cannot be set off against each other")
        }
        guard start <= change, change <= end else {
            throw .order("Change date must be within the billing period")
        }
        let (length, isTooLong) = end.subtractingReportingOverflow(start)
        let total = length / 86_400
        guard !isTooLong, total >= 1 else { throw .order("Billing period must be at least one day") }
        // Within the period, so that neither difference can be too large.
        let left = total - (change - start) / 86_400
        credit = try Self.share(of: old, UInt128(left), of: UInt128(total))
        charge = try Self.share(of: new, UInt128(left), of: UInt128(total))
    }

    /// What is paid for the change; nil when more is given back than charged.
    public var payable: Money? { try? charge.subtracting(credit) }

    /// What is given back for the change; nil when more is charged than given back.
    public var refundable: Money? { try? credit.subtracting(charge) }

    private static func share(
        of money: Money, _ part: UInt128, of total: UInt128
    ) throws(PaykitSubscriptionDefect) -> Money {
        let product = money.minorUnits.multipliedFullWidth(by: part)
        let (quotient, remainder) = total.dividingFullWidth(product)
        let rest = total - remainder
        let isUp = remainder > rest || (remainder == rest && quotient % 2 == 1)
        do {
            return try Money(
                minorUnits: quotient + (isUp ? 1 : 0), currency: money.currency, exponent: money.exponent)
        } catch { throw .order("the amount is too large to be parted") }
    }
}
