public import PaymentRouting

/// The amounts that may be paid without a question, in satoshi; the guide's own limits.
///
/// The guide does not define the period of a peer's limit. Here it is the month; others have the day and the month.
public struct SpendingLimits: Sendable, Hashable {
    /// The most in a day, to all payees together.
    public var globalDaily: UInt64
    /// The most in a month, to all payees together.
    public var globalMonthly: UInt64
    /// The most that one peer receives in a month, by the peer's key. Other peers have no individual limit.
    public var perPeer: [String: UInt64]

    /// Creates limits, by default the guide's: 100,000 satoshi a day and 1,000,000 a month.
    public init(globalDaily: UInt64 = 100_000, globalMonthly: UInt64 = 1_000_000, perPeer: [String: UInt64] = [:]) {
        self.globalDaily = globalDaily
        self.globalMonthly = globalMonthly
        self.perPeer = perPeer
    }

    /// Returns the limits in the form that routers and stores of spendings apply. A peer's key may be written in any
    /// form; of several limits for one peer all count.
    ///
    /// - Throws: ``PaykitError`` when a peer's key is invalid: a limit that applies to no user is a mistake.
    public func limits() throws -> [SpendingLimit] {
        var limits = [
            SpendingLimit(try Self.satoshi(globalDaily), per: .day),
            SpendingLimit(try Self.satoshi(globalMonthly), per: .month),
        ]
        for (peer, most) in perPeer.sorted(by: { $0.key < $1.key }) {
            limits.append(
                SpendingLimit(try Self.satoshi(most), per: .month, on: .payee(try PaykitAutoPay.key(peer).text)))
        }
        return limits
    }

    static func satoshi(_ amount: UInt64) throws -> Money {
        try Money(minorUnits: UInt128(amount), currency: .satoshi)
    }
}
