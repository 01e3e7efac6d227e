import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@Suite("Captures of authorised money")
struct CaptureTests {
    private let journal = InMemoryJournal()
    private let clock = VirtualClock()
    private let all = CaptureRequest(of: ScriptedProvider.reference, amount: .cents(250))
    private let part = CaptureRequest(of: ScriptedProvider.reference, amount: .cents(100))
    private let pause = Pause()

    private func router(_ shop: some PaymentService, seed: UInt64 = 1) throws -> PaymentRouter {
        try PaymentRouter(shop, journal: journal, clock: clock, seed: seed)
    }

    private static func receipt(_ request: CaptureRequest) -> ServiceReport { CapturingShop.receipt(request) }

    @Test("While it is captured, a payment is not cancelled, by the same router or another", arguments: [true, false])
    func cancelledBeside(isOneProcess: Bool) async throws {
        let shop = CapturingShop(holdingAt: pause)
        let router = try router(shop)
        let other = isOneProcess ? router : try self.router(shop, seed: 2)
        async let captured = router.capture(all)
        await pause.reached()
        let code = await failure { try await other.cancel(all.payment) }?.code
        #expect(code == .inUse && shop.calls["cancel"] == 0)
        await pause.end()
        #expect(try await captured == Self.receipt(all))
        #expect(try await other.cancel(all.payment) == .cancelled)
    }

    @Test("A payment is captured once, and its capture is neither the payment nor a refund of it")
    func once() async throws {
        let shop = CapturingShop()
        for seed in [1, 1, 2] as [UInt64] {
            let outcome = try await router(shop, seed: seed).capture(all)
            #expect(outcome == Self.receipt(all) && outcome.description == "captured")
        }
        #expect(shop.calls["capture"] == 1)
        #expect(await journal.histories(of: ScriptedProvider.reference).isEmpty)
        let reference = all.reference
        #expect(reference != ScriptedProvider.reference && reference.capturedPayment == ScriptedProvider.reference)
        #expect(!reference.isPayment && !reference.isRefund && reference.description == "capture acme/p1")
        #expect(PaymentReference(parts: reference.parts) == reference)
        let router = try router(shop)
        for call: () async throws -> Void in [
            { _ = try await router.status(of: reference) },
            { _ = try await router.capture(CaptureRequest(of: reference, amount: .cents(1))) },
            { _ = try await router.refund(RefundRequest(of: reference, amount: .cents(1), id: "c")) },
        ] { #expect(await failure(call)?.code == .notAPayment) }
    }

    @Test("A capture requested while another amount is captured does not return that one's outcome")
    func meanwhile() async throws {
        let (pause, joined) = (Pause(), Gate())
        let shop = CapturingShop(holdingAt: pause)
        let router = try PaymentRouter(
            shop, journal: journal, clock: clock,
            log: PaymentLog { if case .joined = $0.kind { Task { await joined.open() } } })
        async let whole = router.capture(all)
        await pause.reached()
        async let other = failure { try await router.capture(part) }?.code
        await joined.pass()
        await pause.end()
        #expect(try await whole == Self.receipt(all))
        #expect(await other == .integrity)
        #expect(shop.calls["capture"] == 1)
    }

    @Test("Nor is one that waits for another process, nor a refund by the id of one that is in progress")
    func meanwhileElsewhere() async throws {
        var shop = CapturingShop(holdingAt: pause)
        func router(_ shop: CapturingShop, seed: UInt64) throws -> PaymentRouter {
            try PaymentRouter(
                shop, journal: journal, clock: clock, seed: seed,
                leases: LeasePolicy(duration: .seconds(1_000_000_000), timeout: .seconds(1_000_000_000)))
        }
        let (first, second) = (try router(shop, seed: 1), try router(shop, seed: 2))
        async let whole = first.capture(all)
        await pause.reached()
        async let other = failure { try await second.capture(part) }?.code
        while clock.naps.isEmpty { await Task.yield() }
        await pause.end()
        #expect(try await whole == Self.receipt(all))
        #expect(await other == .integrity && shop.calls["capture"] == 1)

        let otherPause = Pause()
        shop.shop.refundBody = { request, _ in
            await otherPause.hold()
            return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
        }
        let third = try router(shop, seed: 3)
        let events = third.events()
        func refund(_ cents: UInt128) async throws -> PaymentOutcome {
            try await third.refund(RefundRequest(of: ScriptedProvider.reference, amount: .cents(cents), id: "credit"))
        }
        async let given = refund(50)
        await otherPause.reached()
        async let more = failure { try await refund(70) }?.code
        for await event in events where event.kind == .joined { break }
        await otherPause.end()
        let receipt = try #require(try await given.receipt, "it is refunded")
        #expect(receipt.amount == .cents(50))
        #expect(await more == .integrity)
    }

    @Test("A service that captures nothing is refused by name")
    func unsupported() async throws {
        let router = try router(Shop())
        #expect(await failure { try await router.capture(all) }?.code == .unsupported)
        #expect(await journal.histories(of: all.reference).isEmpty, "nothing is begun")
    }

    @Test("While a capture may have been made, another amount is not captured, and after a refusal it is")
    func otherAmount() async throws {
        var shop = CapturingShop()
        shop.captureBody = { _, _ in throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example") }
        #expect(try await router(shop).capture(all).unknownOutcome != nil, "the request may still arrive")
        let other = try router(shop, seed: 2)
        await #expect {
            try await other.capture(part)
        } throws: {
            ($0 as? PaymentError)?.code == .integrity && "\($0)".contains("2.50 EUR")
        }
        #expect(shop.calls["capture"] == 1)
        // The service refuses it in the end, and nothing was captured.
        shop.captureStatus = { _, _ in .declined(DeclineReason(.refused, "not enough is authorised")) }
        #expect(
            try await router(shop, seed: 3).capture(all).declineReason != nil,
            "the service says that it captured nothing")
        shop.captureBody = { request, _ in Self.receipt(request) }
        let last = try router(shop, seed: 4)
        #expect(try await last.capture(part) == Self.receipt(part))
        #expect(await failure { try await last.capture(all) }?.code == .integrity)
    }

    @Test("A capture that is reported as made before it was sent is not stated for another amount")
    func reportedUnsent() async throws {
        let option = PaymentMethodOption(id: "capture", title: "Capture", amount: all.amount)
        try await journal.leave(
            PaymentAttempt(at: all.reference, option: option, from: clock.now), [.outcome(Self.receipt(all))])
        let shop = CapturingShop()
        #expect(await failure { try await router(shop).capture(part) }?.code == .integrity)
        #expect(try await router(shop).capture(all) == Self.receipt(all))
        #expect(shop.calls["capture"] == 0)
    }

    @Test("A receipt for another capture, another amount or none states nothing", arguments: 0..<4)
    func foreign(row: Int) async throws {
        var shop = CapturingShop()
        let foreign: PaymentReceipt =
            switch row {
            case 0: PaymentReceipt(reference: all.reference)
            case 1: PaymentReceipt(reference: all.reference, amount: .cents(249))
            case 2: PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(250))
            default:
                PaymentReceipt(
                    reference: PaymentReference(provider: "acme", id: "p2", subject: .capture), amount: .cents(250))
            }
        shop.captureBody = { _, _ in .succeeded(foreign) }
        shop.captureStatus = { _, _ in .succeeded(foreign) }
        #expect(try await router(shop).capture(all).unknownOutcome != nil, "a foreign receipt was believed")
        #expect(await journal.unfinished().map(\.attempt.capture) == [all])
    }

    @Test("While a payment is refunded it is not captured, and the other way round", arguments: [true, false])
    func oneAtATime(isCaptureFirst: Bool) async throws {
        var shop = CapturingShop()
        shop.captureBody = { request, _ in
            if isCaptureFirst { await pause.hold() }
            return Self.receipt(request)
        }
        shop.shop.refundBody = { request, _ in
            if !isCaptureFirst { await pause.hold() }
            return .succeeded(PaymentReceipt(reference: request.reference))
        }
        let refund = RefundRequest(of: all.payment, amount: .cents(50), id: "credit-1")
        let (one, other) = (try router(shop), try router(shop, seed: 2))
        let running = Task { try await isCaptureFirst ? one.capture(all) : one.refund(refund) }
        await pause.reached()
        let second = await failure { try await isCaptureFirst ? other.refund(refund) : other.capture(all) }?.code
        #expect(second == .inUse && shop.calls["refund"] + shop.calls["capture"] == 1)
        await pause.end()
        #expect(try await running.value.receipt != nil, "the first was not made")
    }

    @Test("A capture or refund waits for another one of the payment, and is made after it")
    func oneAfterTheOther() async throws {
        var shop = CapturingShop(holdingAt: pause)
        shop.shop.refundBody = { request, _ in
            .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
        }
        let one = try router(shop)
        let other = try PaymentRouter(
            shop, journal: journal, clock: clock, seed: 2,
            leases: LeasePolicy(duration: .seconds(1_000_000_000), timeout: .seconds(1_000_000_000)))
        let refund = RefundRequest(of: all.payment, amount: .cents(50), id: "credit-1")
        let running = Task { try await one.capture(all) }
        await pause.reached()
        let ended = Tally()
        let waiting = Task {
            defer { ended.count("refund") }
            return try await other.refund(refund)
        }
        while clock.naps.isEmpty, ended["refund"] == 0 { await Task.yield() }
        #expect(shop.calls["refund"] == 0)
        await pause.end()
        #expect(try await running.value == Self.receipt(all))
        let receipt = try #require(try await waiting.value.receipt, "it was not made")
        #expect(receipt.amount == .cents(50) && shop.calls["refund"] == 1)
    }

    @Test("While a capture may still arrive, no refusal of its payment is final", arguments: [true, false])
    func openCapture(isSent: Bool) async throws {
        var shop = CapturingShop()
        shop.captureBody = { _, _ in throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example") }
        shop.shop.base.statusBody = { _, _ in .cancelled }
        let router = try router(shop)
        if isSent { _ = try await router.capture(all) }
        let outcomes = [try await router.cancel(all.payment), try await router.status(of: all.payment)]
        #expect(outcomes.map { $0 == ServiceReport.cancelled } == [!isSent, !isSent])
    }

    @Test("An interrupted capture is settled by recovery, from the service's status")
    func recovery() async throws {
        var shop = CapturingShop()
        shop.captureBody = { _, _ in throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example") }
        _ = try await router(shop).capture(all)
        shop.captureStatus = { request, _ in Self.receipt(request) }
        let reports = try await router(shop, seed: 2).recover(as: Payer())
        #expect(reports.map(\.result) == [.success(PaymentOutcome(stating: Self.receipt(all)))])
        #expect(shop.calls["capture"] == 1)
    }
}
