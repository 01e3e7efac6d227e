public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The payments that a router makes without a question, at any provider: all that stay within some limits.
///
/// ```swift
/// let autoPay = AutoPay(within: [SpendingLimit(try Money(decimal: "20", currency: .eur), per: .day)])
/// let router = PaymentRouter(registry: registry, transport: transport, journal: journal, autoPay: autoPay)
/// ```
///
/// The first option that the payer can fulfil and that every limit leaves room for is taken, and its amount is reserved
/// in the journal before anything can move money. For any other payment the payer's chooser is asked; where there is
/// none, it is declined (`over-limit`). A ``Payer/policy`` allows nothing beyond the limits: a payment without a
/// question has to be within both. Limits do not apply to a chooser's choice, which is not counted.
///
/// An amount that cannot be compared with the limits is never paid without a question: an option in another currency or
/// with other decimals, unless ``Converter`` states its worth; an estimate, which may become more; an amount of zero.
/// With a converter, everything needs a worth in every limit: a rate that cannot be had lifts none.
/// See <doc:AutoPaying> for the rules of counting.
public struct AutoPay: Sendable {
    /// Returns the worth of an amount in another currency, in that currency's own minor units; nil where it is unknown.
    /// Round up: the limits are counted in this worth.
    public typealias Converter = @Sendable (_ amount: Money, _ limit: Money) async throws -> Money?

    /// The limits. All that cover a payment count; a payment that none covers needs a question.
    public let limits: [SpendingLimit]
    /// The providers that it is for; nil for all.
    public let providers: Set<ProviderID>?
    /// The time zone of the payer: days, weeks and months begin at midnight there. It is stored with what is spent, and
    /// while that counts, nothing is paid without a question by the days of another zone. Nil for the zone that is
    /// stored so, at first the device's.
    public let timeZone: TimeZone?
    let converter: Converter?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limits: the most that is paid without a question.
    ///   - providers: the providers that it is for; nil for all. At others the payer chooses as without it.
    ///   - timeZone: the time zone of the payer; nil for the account's, at first the device's.
    ///   - converter: returns the worth of amounts in the currency of a limit; without one nothing is converted.
    public init(
        within limits: [SpendingLimit], at providers: Set<ProviderID>? = nil,
        timeZone: TimeZone? = nil, converting converter: Converter? = nil
    ) {
        self.limits = limits
        self.providers = providers
        self.timeZone = timeZone
        self.converter = converter
    }

    func includes(_ provider: ProviderID) -> Bool { providers?.contains(provider) ?? true }

    /// Returns the spending of paying `option`: the most that may leave the payer.
    func spending(
        on option: PaymentMethodOption, _ most: Money, of quote: PaymentQuote, by attempt: AttemptID, at now: Date,
        in store: any SpendingStore
    ) async throws -> Spending {
        let zone = if let timeZone { timeZone } else { try await store.timeZone(at: now) }
        let spending = Spending(
            attempt: attempt, payment: quote.reference, amounts: [most], day: SpendingDay(now, in: zone),
            payee: quote.payee.id, method: option.method, keeper: .journal, timeZone: zone.identifier)
        var amounts = [most]
        for limit in limits where limit.includes(spending) {
            guard !amounts.contains(where: { $0.currency.denotesSame(as: limit.amount.currency) }),
                let worth = await worth(of: most, in: limit)
            else { continue }
            amounts.append(worth)
        }
        return Spending(
            attempt: attempt, payment: quote.reference, amounts: amounts, day: spending.day, payee: spending.payee,
            method: spending.method, keeper: spending.keeper, timeZone: spending.timeZone)
    }

    /// Returns the worth of what was spent before in the currencies of the limits on `spending`, as far as it can be
    /// had now; nil where nothing is converted.
    func worths(before spending: Spending, in store: any SpendingStore) async throws -> SpendingWorths? {
        guard converter != nil else { return nil }
        var (worths, currencies) = (SpendingWorths(), [AttemptID: [Currency]]())
        let limits = limits.filter { $0.includes(spending) }
        for earlier in try await store.spendings(since: spending.day.firstThatCounts)
        where earlier.state != .released {
            let attempt = earlier.spending.attempt
            for limit in limits where limit.includes(earlier.spending) {
                let currency = limit.amount.currency
                guard earlier.spending.amount(in: currency) == nil, let amount = earlier.spending.amounts.first,
                    !currencies[attempt, default: []].contains(where: { $0.denotesSame(as: currency) })
                else { continue }
                currencies[attempt, default: []].append(currency)
                if let worth = await worth(of: amount, in: limit) { worths.add(worth, of: attempt) }
            }
        }
        return worths
    }

    /// Returns the worth of an amount in a limit's currency. Only an amount like the limit's is an answer; a failure is
    /// none either.
    private func worth(of amount: Money, in limit: SpendingLimit) async -> Money? {
        guard let worth = try? await converter?(amount, limit.amount),
            worth.currency.denotesSame(as: limit.amount.currency), worth.exponent == limit.amount.exponent,
            !worth.isZero
        else { return nil }
        return worth
    }
}

extension SpendingStore {
    /// Returns the time zone of the payer's days: that of the spendings that still count, at first the device's.
    package func timeZone(at now: Date) async throws -> TimeZone {
        let today = SpendingDay(now, in: .current)
        let known = try await spendings(since: today.firstThatCounts)
        return SpendingLedger(known).timeZone(on: today).flatMap { TimeZone(identifier: $0) } ?? .current
    }
}
