import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentStore
import TestSupport

/// Charges plans again and again, as a worker that tests kill: every due period, and every question with a yes.
struct Recurring {
    /// The file with the plans.
    let plans: String
    /// The file with the payments.
    let journal: String
    /// The file of payments, one line for each.
    let till: String
    /// The number of hours after noon.
    let hours: Int
    /// The number of looks.
    let count: Int

    init?(_ words: [String]) {
        guard words.count == 5, let hours = Int(words[3]), let count = Int(words[4]) else { return nil }
        (plans, journal, till) = (words[0], words[1], words[2])
        (self.hours, self.count) = (hours, count)
    }

    func run(within limits: [SpendingLimit]) async throws {
        let clock = NoonClock(hours: hours)
        let store = try SQLiteRecords(path: plans)
        let plans = RecurringPlans(store)
        let router = PaymentRouter(
            registry: try ProviderRegistry([TillProvider(file: till)]), transport: NoNetwork(),
            journal: try SQLiteJournal(path: journal), clock: clock,
            leases: LeasePolicy(duration: .seconds(600), timeout: .seconds(3)),
            autoPay: AutoPay(within: limits, timeZone: .gmt))
        let scheduler = RecurringScheduler(
            store: store, payer: RouterPayer(router, as: Payer()), clock: clock, width: 2,
            listener: { tell("\($0)".split(separator: "\n").first.map(String.init) ?? "") })
        for _ in 0..<count {
            try await scheduler.look()
            for plan in try await plans.all() {
                for charge in try await plans.charges(of: plan.id) {
                    // The payer approves every payment above the limits.
                    guard case .waiting = charge.state else { continue }
                    try await scheduler.approve(charge.id)
                }
            }
        }
        let reports = try await router.recover(as: Payer())
        tell("looked \(count) times, recovered \(reports.count)")
    }
}
