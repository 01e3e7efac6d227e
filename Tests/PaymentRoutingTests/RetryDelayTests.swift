import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@Suite("The delay that a service asks for")
struct RetryDelayTests {
    private static func limited(_ seconds: Int) -> PaymentError {
        PaymentError(
            HTTPResponse(status: 429, headers: ["Retry-After": "\(seconds)"]), provider: "acme", isMutation: false)
    }

    /// Sends, and loses the answer.
    private static let lost: ScriptedProvider.Pay = { _, context in
        try await context.step("pay", .mutation(replay: .never)) { () -> ServiceReport in
            throw PaymentError(.network, "lost", provider: "acme", phase: .maybeSent)
        }
    }

    @Test("An open payment's status is not asked for again before the service wants it")
    func waits() async throws {
        var world = World()
        let asked = Tally()
        world.provider.payBody = Self.lost
        world.provider.statusBody = { payment, _ in
            asked.count("status")
            switch asked["status"] {
            case 1: throw Self.limited(9)
            case 2: return .pending(retryAfter: .seconds(8))
            default: return .succeeded(PaymentReceipt(reference: payment))
            }
        }
        let start = world.clock.now
        #expect(try await world.pay() == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(asked["status"] == 3)
        #expect(world.clock.now.timeIntervalSince(start) == 17)
    }

    @Test("A service that wants to be left alone for long is, and the payment is unknown")
    func givesUp() async throws {
        var world = World()
        world.provider.payBody = Self.lost
        world.provider.statusBody = { _, _ in throw Self.limited(31) }
        #expect(try await world.pay().unknownOutcome != nil, "nobody knows the outcome")
        #expect(world.provider.calls["status"] == 1)
        #expect(world.clock.slept == .zero)
    }

    @Test(
        "A recovery that the service puts off says until when",
        arguments: [(Duration.seconds(120), 120.0), (.zero, 1), (.seconds(999_999), 3600)])
    func recovery(wish: Duration, wait: Double) async throws {
        var world = World()
        world.provider.payBody = { _, _ in .pending(retryAfter: wish) }
        let id = try await world.crashed([.stepStarted(name: "pay", kind: .mutation(replay: .never))])
        let report = try await world.router.recover(id, as: Payer())
        #expect(report.askAgain?.timeIntervalSince(world.clock.now) == wait)
    }
}
