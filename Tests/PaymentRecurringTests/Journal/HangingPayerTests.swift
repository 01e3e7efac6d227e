import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization
import TestSupport
import Testing

/// Payments of periods that never return.
@Suite("Periods whose payment hangs", .timeLimit(.minutes(5)))
struct HangingPayerTests {
    /// A payer that never returns from the plan `hung`.
    private final class HangingPayer: RecurringPayer {
        let begun = Gate()
        let never = Gate()
        let paid = Mutex<[String]>([])

        func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
            if plan.id.rawValue == "hung" {
                await begun.open()
                await never.pass()
            }
            paid.withLock { $0.append("\(charge.id)") }
            return .paid(transactionID: nil)
        }

        func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
            await never.pass()
            return nil
        }
    }

    private let clock = VirtualClock()
    private let payer = HangingPayer()
    private let events = Collected<String>()

    private func scheduler(_ bound: Duration, notice: Duration = .zero) async throws -> RecurringScheduler {
        let (events, payer) = (events, payer)
        // So that the suite ends, and fails, where nothing bounds the payment.
        Task {
            try await Task.sleep(for: .seconds(5))
            await payer.begun.open()
            await payer.never.open()
        }
        let scheduler = RecurringScheduler(
            store: InMemoryRecords(), payer: payer, clock: clock, width: 1, bound: bound,
            listener: { event in events.add("\(event)") })
        for id in ["hung", "rent"] {
            try await scheduler.add(RecurringPlan(id, from: clock.now, RecurringPolicy(.all, notice: notice)))
        }
        return scheduler
    }

    @Test("The other plans are paid day after day, and the period is reported")
    func others() async throws {
        let scheduler = try await scheduler(.milliseconds(50))
        for _ in 0..<3 {
            try await scheduler.look()
            clock.advance(by: .seconds(86_400))
        }
        #expect(payer.paid.withLock { $0 } == ["rent/0", "rent/1", "rent/2"])
        #expect(events.all.contains { $0.hasPrefix("the period hung/0 has not been carried out") })
        await payer.never.open()
    }

    @Test("An approval returns all the same, and the period is reported")
    func approved() async throws {
        let scheduler = try await scheduler(.milliseconds(50), notice: .seconds(3600))
        try await scheduler.look()
        try await scheduler.approve(RecurringCharge.ID(plan: RecurringPlan.ID(rawValue: "hung"), number: 0))
        #expect(payer.paid.withLock { $0.isEmpty })
        #expect(events.all.last?.hasPrefix("the period hung/0 has not been carried out") == true)
        await payer.never.open()
    }

    @Test("A look that is cancelled begins no further payment, and reports none as hanging")
    func cancelledLook() async throws {
        let scheduler = try await scheduler(.seconds(1))
        let look = Task { try await scheduler.look() }
        await payer.begun.pass()
        look.cancel()
        try await look.value
        #expect(payer.paid.withLock { $0.isEmpty } && events.all.isEmpty)
        await payer.never.open()
    }

    @Test("The loop ends when it is cancelled, whatever its payment does")
    func cancelled() async throws {
        let scheduler = try await scheduler(.milliseconds(50))
        let loop = Task {
            await scheduler.run()
            events.add("ended")
        }
        while events.all.isEmpty { await Task.yield() }
        loop.cancel()
        await loop.value
        await payer.never.open()
    }
}
