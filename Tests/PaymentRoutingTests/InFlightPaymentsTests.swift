import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Calls for one payment in one process, at the same time and one after the other.
@Suite("Payments in flight", .timeLimit(.minutes(2)))
struct InFlightPaymentsTests {
    @Test("A call for a payment that has ended does not wait for it")
    func ended() async throws {
        let (router, calls) = (try World().router, Tally())
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        let second = Task {
            _ = try await router.pay(ScriptedProvider.link, as: .careless)
            calls.count("ended")
        }
        let limit = ContinuousClock.now + .seconds(20)
        while calls["ended"] == 0, ContinuousClock.now < limit { await Task.yield() }
        second.cancel()
        #expect(calls["ended"] == 1)
    }

    @Test("A request that waits for another one's payment looks again once that has ended, and not before")
    func waits() async throws {
        let (gate, calls) = (Gate(), Tally())
        var world = World()
        let pay = world.provider.payBody
        world.provider.payBody = { attempt, context in
            calls.count("pay")
            await gate.pass()
            return try await pay(attempt, context)
        }
        let router = try world.router(
            telling: PaymentLog { event in
                guard case .joined = event.kind else { return }
                calls.count("joined")
                Task { await gate.open() }
            })
        func intent(_ key: String) -> PaymentIntent {
            PaymentIntent(of: ScriptedProvider.link, key: key, choice: .option("card"))
        }
        async let first = router.carryOut(intent("a"), as: Payer())
        while calls["pay"] == 0 { await Task.yield() }
        _ = await router.carryOut(intent("b"), as: Payer())
        _ = await first
        #expect(calls["joined"] == 1 && calls["pay"] == 1)
    }
}
