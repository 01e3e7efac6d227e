import PaykitProvider
import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PrivateLinkRequest {
    /// Returns the earliest of the latest 32 periods that have begun and are not paid; where all are paid, the latest.
    /// Throws ``PaykitNetworkError``, `validationFailed`, if it does not recur, or no period has begun.
    func duePeriod(at now: Date) throws(PaykitNetworkError) -> RecurringPeriod {
        guard let schedule = try? terms.recurrence?.schedule(), let last = schedule.lastPeriod(at: now) else {
            throw PaykitNetworkError(.validationFailed, "the first period of the request has not begun: pay it later")
        }
        let stored = max(schedule.firstNumber, last.number - Self.mostPeriods + 1)...last.number
        return stored.lazy.compactMap { schedule.period($0) }.first { !isPaid($0) } ?? last
    }

    private func isPaid(_ period: RecurringPeriod) -> Bool {
        guard let period = BillingPeriod(period) else { return true }
        return payments[Self.key(id, period)]?.stage == .paid || past[period] != nil
    }
}
