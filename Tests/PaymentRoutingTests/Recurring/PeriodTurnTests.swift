import PaymentRecurring
import TestSupport
import Testing

/// The turns of periods at one payee. Where a turn never ends, most other tests of periods wait, and this one fails.
@Suite("The turns of periods")
struct PeriodTurnTests {
    private let world = RecurringWorld()

    @Test("Periods of one payee are paid one after the other")
    func turns() async throws {
        let payer = RouterPayer(try world.router(limit: 50_000), as: world.payer)
        let paid = Tally()
        for (index, name) in ["rent", "heat"].enumerated() {
            let (plan, charge) = try world.period(name)
            Task {
                if case .paid = try await payer.pay(charge, of: plan) { paid.count("paid") }
            }
            // For a bounded time: a turn that never ends is seen.
            for _ in 0..<100_000 where paid["paid"] <= index { await Task.yield() }
            #expect(paid["paid"] == index + 1)
        }
    }
}
