import PaymentCore
import PaymentRouting

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
}

/// Compares payments without a question with the limits, and with the reservations at the end.
extension Judgement {
    func judgeAllowance(_ device: Device) async {
        var spent: [Spending] = []
        for history in device.histories where witness.isUnasked(history.attempt.id) {
            guard await oracle.hasMoved(history.attempt) else { continue }
            let attempt = history.attempt
            guard let record = device.spendings.first(where: { $0.spending.attempt == attempt.id }) else {
                await oracle.breach(nil, "\(attempt.id) was paid without a question, and nothing was reserved for it")
                continue
            }
            // The amount is the one that left, whatever the records state.
            spent.append(
                Spending(
                    attempt: attempt.id, payment: attempt.reference, amounts: [attempt.option.amount],
                    day: record.spending.day))
        }
        for limit in Allowance.limits {
            let periods = Dictionary(grouping: spent.filter(limit.includes)) { $0.day.first(of: limit.period) }
            for (first, spendings) in periods.sorted(by: { $0.key < $1.key }) {
                let units = spendings.reduce(UInt128(0)) { $0 + $1.amounts[0].minorUnits }
                guard units > limit.amount.minorUnits else { continue }
                await oracle.breach(
                    nil, "\(units) was paid without a question from \(first) on, beyond the limit of \(limit)")
            }
        }
        for record in device.spendings where record.state == .reserved {
            let history = device.histories.first { $0.attempt.id == record.spending.attempt }
            guard history.map({ $0.isFinished && !isDistrusted($0) }) ?? true else { continue }
            await oracle.breach(nil, "something stays reserved for \(record.spending.attempt), which has ended")
        }
    }
}
