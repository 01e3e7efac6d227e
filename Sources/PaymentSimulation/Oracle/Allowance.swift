import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The limits of the payers of histories for payments without a question.
enum Allowance {
    static let limits: [SpendingLimit] = {
        do {
            return [
                SpendingLimit(try Money(decimal: "25.00", currency: .eur), per: .day),
                SpendingLimit(try Money(decimal: "40.00", currency: .eur), per: .week),
            ]
        } catch {
            fatalError("small amounts exist: \(error)")
        }
    }()

    /// The payers' limits, and the rate by which tokens and bitcoin count: one unit of a token is a euro, a satoshi a
    /// cent.
    ///
    /// - Parameter isRateKnown: draws whether the rate can be had.
    static func autoPay(countsCoins: Bool, isRateKnown: @escaping @Sendable () -> Bool) -> AutoPay {
        AutoPay(within: limits, timeZone: .gmt) { amount, limit in
            guard isRateKnown(), let units = units(of: amount, countsCoins: countsCoins) else { return nil }
            return try Money(minorUnits: units, currency: limit.currency)
        }
    }

    /// An amount in the limits' minor units; nil for coins that are not compared.
    static func units(of amount: Money, countsCoins: Bool) -> UInt128? {
        switch amount.exponent {
        case 8 where countsCoins && amount.currency == .satoshi: amount.minorUnits
        case 11 where countsCoins && amount.currency == .satoshi: (amount.minorUnits + 999) / 1000
        case 2: amount.minorUnits
        case 6: (amount.minorUnits + 9999) / 10_000
        default: nil
        }
    }
}

/// Compares payments without a question with the limits, and with the reservations at the end.
extension Judgement {
    func judgeAllowance(_ device: Device) async {
        for history in device.histories where witness.isUnasked(history.attempt.id) {
            guard await oracle.hasMoved(history.attempt) else { continue }
            let attempt = history.attempt
            guard device.spendings.contains(where: { $0.spending.attempt == attempt.id }) else {
                await oracle.breach(
                    nil, "\(attempt.id) was paid without a question, and nothing was reserved for it",
                    isRemembered: true)
                continue
            }
        }
        for limit in Allowance.limits {
            let sums = await oracle.allowance(limit, device.spendings)
            for (first, units) in sums.sorted(by: { $0.key < $1.key }) {
                guard units > limit.amount.minorUnits else { continue }
                await oracle.breach(
                    nil, "\(units) was paid without a question from \(first) on, beyond the limit of \(limit)",
                    isRemembered: true)
            }
        }
        for record in device.spendings where record.state == .reserved {
            let history = device.histories.first { $0.attempt.id == record.spending.attempt }
            guard history.map({ $0.isFinished && !isDistrusted($0) }) ?? true else { continue }
            await oracle.breach(nil, "something stays reserved for \(record.spending.attempt), which has ended")
        }
    }
}
