import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@Suite("Refunds over more than what is left of a payment")
struct RefundAmountTests {
    private static let payment = ScriptedProvider.reference
    private let journal = InMemoryJournal()
    private let clock = VirtualClock()
    private let all = CaptureRequest(of: payment, amount: .cents(250))

    private func router(_ service: any PaymentService, seed: UInt64 = 1) throws -> PaymentRouter {
        try PaymentRouter(service, journal: journal, clock: clock, seed: seed)
    }

    private static func refund(_ cents: UInt128, _ id: String) -> RefundRequest {
        RefundRequest(of: payment, amount: .cents(cents), id: id)
    }

    @Test("What was captured is refunded once, in parts, and nothing more is sent")
    func parts() async throws {
        let shop = CapturingShop()
        let router = try router(shop)
        _ = try await router.capture(all)
        #expect(try await router.refund(Self.refund(100, "a")) == made(Self.refund(100, "a")))
        let error = await failure { try await router.refund(Self.refund(151, "b")) }
        #expect(error?.code == .refundTooLarge && error?.phase == .beforeSend && error?.retry == .never)
        #expect(error?.message.contains("at most 1.50 EUR") == true, "\(error?.message ?? "")")
        #expect(shop.calls["refund"] == 1)
        #expect(await journal.unfinished().isEmpty)
        // A refund that was made stays known by its id, whatever is left.
        #expect(try await router.refund(Self.refund(150, "b")) == made(Self.refund(150, "b")))
        #expect(try await router.refund(Self.refund(150, "b")) == made(Self.refund(150, "b")))
        #expect(await failure { try await router.refund(Self.refund(1, "c")) }?.code == .refundTooLarge)
        #expect(shop.calls["refund"] == 2)
    }

    @Test("A refund in flight counts until it has failed")
    func inFlight() async throws {
        var shop = CapturingShop()
        let hasFailed = Tally()
        shop.shop.refundBody = { request, _ in
            if request.id == "a" { throw PaymentError(.network, "lost", provider: "acme", phase: .maybeSent) }
            return made(request)
        }
        shop.shop.refundStatus = { request, _ in
            hasFailed["failed"] == 0
                ? .unknown(UnknownOutcome(reference: request.reference, message: "not shown"))
                : .declined(DeclineReason(.refused, "the buyer's card is closed"))
        }
        let router = try router(shop)
        _ = try await router.capture(all)
        #expect(try await router.refund(Self.refund(200, "a")).unknownOutcome != nil, "its answer was lost")
        let error = await failure { try await router.refund(Self.refund(100, "b")) }
        #expect(error?.code == .refundTooLarge && error?.retry == .later)
        #expect(error?.message.contains("'a'") == true, "\(error?.message ?? "")")
        #expect(shop.calls["refund"] == 1)
        #expect(try await router.refund(Self.refund(50, "c")) == made(Self.refund(50, "c")))
        hasFailed.count("failed")
        #expect(try await router.refund(Self.refund(200, "a")).declineReason != nil, "it has failed")
        #expect(try await router.refund(Self.refund(100, "b")) == made(Self.refund(100, "b")))
    }

    @Test("What the payer has paid from here is what may be refunded, less where less was captured")
    func paid() async throws {
        let shop = Shop()
        let router = try router(shop)
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        #expect(await failure { try await router.refund(Self.refund(1001, "a")) }?.code == .refundTooLarge)
        let captures = try self.router(CapturingShop(), seed: 2)
        _ = try await captures.capture(CaptureRequest(of: Self.payment, amount: .cents(120)))
        #expect(await failure { try await captures.refund(Self.refund(121, "a")) }?.code == .refundTooLarge)
        #expect(try await captures.refund(Self.refund(120, "a")) == made(Self.refund(120, "a")))
    }

    @Test("Where an amount is not known, the service decides")
    func unknown() async throws {
        let router = try router(CapturingShop())
        #expect(try await router.refund(Self.refund(9000, "a")) == made(Self.refund(9000, "a")))
        _ = try await router.capture(all)
        let dollars = RefundRequest(of: Self.payment, amount: try Money(minorUnits: 900, currency: .usd), id: "b")
        #expect(try await router.refund(dollars) == made(dollars))
        // A refund that cannot be subtracted leaves nothing to compare with.
        #expect(try await router.refund(Self.refund(251, "c")) == made(Self.refund(251, "c")))
    }

    @Test("A refund that sent nothing before a crash is not sent where the rest has gone since")
    func afterCrash() async throws {
        let shop = CapturingShop()
        let router = try router(shop)
        let more = CaptureRequest(of: Self.payment, amount: .cents(250))
        _ = try await router.refund(Self.refund(100, "b"))
        let attempt = try await journal.leave(PaymentAttempt(of: Self.refund(200, "a"), from: clock.now))
        _ = try await router.capture(more)
        let error = await failure { try await router.resume(attempt, as: Payer()) as PaymentOutcome }
        #expect(error?.code == .refundTooLarge && error?.phase == .beforeSend)
        #expect(shop.calls["refund"] == 1)
        #expect(await journal.unfinished().isEmpty)
    }
}
