import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@Suite("Refunds of one payment, and notifications about refunds")
struct RefundTests {
    private let journal = InMemoryJournal()
    private let clock = VirtualClock()
    private let first = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-7")
    private let second = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-8")
    private let pause = Pause()

    private func router(_ shop: Shop, seed: UInt64 = 1) throws -> PaymentRouter {
        try PaymentRouter(shop, journal: journal, clock: clock, seed: seed)
    }

    // MARK: One at a time

    @Test("While a payment is refunded, no other refund of it begins", arguments: [true, false])
    func oneAtATime(isOneProcess: Bool) async throws {
        let (shop, slow) = (Shop(holding: first, at: pause), first)
        let one = try router(shop)
        let other = isOneProcess ? one : try router(shop, seed: 2)
        let running = Task { try await one.refund(slow) }
        await pause.reached()
        #expect(await failure { try await other.refund(second) }?.code == .inUse)
        #expect(shop.calls["refund"] == 1)
        #expect(await journal.unfinished().map(\.attempt.refund) == [first], "nothing was begun for the other one")
        // Refunds of other payments go on.
        let elsewhere = RefundRequest(
            of: PaymentReference(provider: "acme", id: "p2"), amount: .cents(250), id: "credit-9")
        #expect(try await other.refund(elsewhere) == made(elsewhere))
        await pause.end()
        #expect(try await running.value == made(first))
        #expect(try await other.refund(second) == made(second))
    }

    @Test("Interrupted refunds wait for the payment as well")
    func recovery() async throws {
        let attempt = try await journal.leave(
            PaymentAttempt(at: second.reference, option: .euros("refund"), from: clock.now))
        let (shop, slow) = (Shop(holding: first, at: pause), first)
        let (one, other) = (try router(shop), try router(shop, seed: 2))
        let running = Task { try await one.refund(slow) }
        await pause.reached()
        #expect(await failure { try await other.resume(attempt, as: Payer()) }?.code == .inUse)
        #expect(try await other.recover(as: Payer()).isEmpty, "another worker has them")
        #expect(shop.calls["refund"] == 1)
        await pause.end()
        _ = try await running.value
        #expect(
            try await other.recover(as: Payer()).map(\.result) == [.success(PaymentOutcome(stating: made(second)))])
    }

    @Test("A refund that takes long keeps the payment")
    func longRefunds() async throws {
        var shop = Shop()
        let (journal, clock) = (journal, clock)
        let stranger = PaymentLease(payment: first.payment, holder: "stranger", duration: .seconds(600))
        shop.refundBody = { request, context in
            for _ in 0..<3 { try await context.clock.sleep(for: .seconds(590)) }
            #expect(await !journal.acquire(stranger, at: clock.now))
            return .succeeded(PaymentReceipt(reference: request.reference))
        }
        #expect(try await router(shop).refund(first) == made(first))
        #expect(await journal.acquire(stranger, at: clock.now), "it is released afterwards")
    }

    @Test("A refund whose payment another process has taken over writes nothing more")
    func takenOver() async throws {
        var shop = Shop()
        let (journal, clock) = (journal, clock)
        let stranger = PaymentLease(payment: first.payment, holder: "stranger", duration: .seconds(600))
        shop.refundBody = { request, _ in
            clock.advance(by: .seconds(700))
            #expect(await journal.acquire(stranger, at: clock.now))
            return .declined(DeclineReason(.refused, "counted beside another one"))
        }
        #expect(await failure { try await router(shop).refund(first) }?.code == .inUse)
        #expect(await journal.unfinished().count == 1)
    }

    @Test("A payer's page that never returns does not keep the payment from being refunded")
    func besideThePayer() async throws {
        var shop = Shop()
        shop.base.payBody = { _, _ in
            await pause.hold()
            return .pending(retryAfter: nil)
        }
        let router = try router(shop)
        let paying = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        #expect(try await router.refund(first) == made(first))
        await pause.end()
        _ = try await paying.value
    }

    /// Makes refunds by one id, which the shop declines while `isBusy`.
    private func router(
        declining isBusy: @escaping @Sendable (RefundRequest, Tally) -> Bool, _ calls: Tally
    ) throws -> PaymentRouter {
        var shop = Shop()
        shop.refundBody = { request, _ in
            calls.count("refund")
            while isBusy(request, calls) { await Task.yield() }
            return .declined(DeclineReason(.refused, "no"))
        }
        shop.refundStatus = { _, _ in .declined(DeclineReason(.refused, "no")) }
        return try PaymentRouter(
            shop, journal: journal, clock: clock,
            log: PaymentLog { if case .joined = $0.kind { calls.count("joined") } })
    }

    private func refund(_ cents: UInt128) -> RefundRequest {
        RefundRequest(of: first.payment, amount: .cents(cents), id: first.id)
    }

    @Test("Two callers that request one refund receive the refusal of one request, also after one of another amount")
    func requestedTogether() async throws {
        let calls = Tally()
        let router = try router(
            declining: { request, calls in request.amount == .cents(250) && calls["joined"] == 0 }, calls)
        _ = try await router.refund(refund(70))
        async let one = router.refund(refund(250))
        async let other = router.refund(refund(250))
        for outcome in try await [one, other] {
            #expect(outcome == .declined(DeclineReason(.refused, "no")))
        }
        #expect(calls["refund"] == 2)
    }

    @Test("Requests of other amounts by one id are made one after the other, and one that three others precede is not")
    func requestedInTurn() async throws {
        let calls = Tally()
        // Each waits until all others wait for it.
        let waiting = [3, 5, 6]
        let router = try router(
            declining: { _, calls in calls["joined"] < waiting[min(calls["refund"], 3) - 1] }, calls)
        let codes = await withTaskGroup(of: PaymentError.Code?.self) { group in
            for cents: UInt128 in 1...4 {
                group.addTask { await failure { try await router.refund(refund(cents)) }?.code }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 3 && codes.filter { $0 == .inUse }.count == 1)
        #expect(calls["refund"] == 3)
    }

    @Test("The outcome of a refund is stated where the journal cannot be read any more after its end")
    func unreadable() async throws {
        var shop = Shop()
        shop.refundBody = { request, _ in made(request) }
        let journal = FailingJournal { _ in false }
        let router = try PaymentRouter(shop, journal: journal, clock: clock)
        await journal.delayNextRelease { await journal.hide() }
        #expect(try await router.refund(first) == made(first))
        await #expect(throws: PaymentError.self) { try await router.refund(first) }
    }

    @Test("A refund is not refunded")
    func refundOfRefund() async throws {
        let shop = Shop()
        let request = RefundRequest(of: first.reference, amount: .cents(250), id: "credit-9")
        #expect(await failure { try await router(shop).refund(request) }?.code == .notAPayment)
        #expect(shop.calls["refund"] == 0)
    }

    // MARK: Notifications

    private func notification(of payment: String, _ cents: String? = nil) -> IncomingNotification {
        var headers: HTTPHeaders = ["Signature": "good", "Refund-Of": payment]
        headers["Cents"] = cents
        return IncomingNotification(headers: headers, body: Array(first.id.utf8))
    }

    @Test("A notification about a refund ends the refund of the same payment and amount, and no other")
    func notifications() async throws {
        var shop = Shop()
        shop.refundBody = { _, _ in .pending(retryAfter: nil) }
        let router = try router(shop)
        #expect(try await router.refund(first) == .pending(retryAfter: nil))
        for payment in ["p2", "", "P1"] {
            let genuine = try await router.handle(notification(of: payment, "250"), from: "acme")
            #expect(genuine.reference.isRefund && genuine.reference != first.reference)
        }
        #expect(
            await failure { try await router.handle(notification(of: "p1", "1000"), from: "acme") }?.code == .integrity)
        #expect(await journal.unfinished().count == 1)
        _ = try await router.handle(notification(of: "p1", "250"), from: "acme")
        #expect(await journal.unfinished().isEmpty)
        let paid = PaymentReceipt(reference: first.reference, amount: first.amount)
        #expect(await journal.histories(of: first.reference).map(\.report) == [.succeeded(paid)])
    }
}
