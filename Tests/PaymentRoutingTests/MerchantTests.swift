import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@Suite("What merchants do")
struct MerchantTests {
    private let journal: any PaymentJournal = InMemoryJournal()
    private let clock = VirtualClock()
    private let request = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-7")
    private let shop = Shop()

    private func router(_ provider: any PaymentProvider) throws -> PaymentRouter {
        try PaymentRouter(provider, journal: journal, clock: clock)
    }

    @Test("A refund that is asked for twice is made once")
    func refundOnce() async throws {
        let router = try router(shop)
        #expect(try await router.refund(request) == made(request))
        #expect(try await router.refund(request) == made(request))
        #expect(shop.calls["refund"] == 1)
        let other = RefundRequest(of: ScriptedProvider.reference, amount: .cents(1), id: "credit-8")
        #expect(try await router.refund(other) == made(other))
        #expect(shop.calls["refund"] == 2)
    }

    @Test("A payment that is called as a refund once was is another thing", arguments: [true, false])
    func namesake(refundsFirst: Bool) async throws {
        let router = try router(shop)
        let request = RefundRequest(of: ScriptedProvider.reference, amount: .cents(500), id: "7")
        let link = "https://pay.acme.example/?id=refund:7"
        if refundsFirst { #expect(try await router.refund(request) == made(request)) }
        #expect(
            try await router.pay(link, as: .careless)
                == .succeeded(PaymentReceipt(reference: PaymentReference(provider: "acme", id: "refund:7"))))
        if !refundsFirst { #expect(try await router.refund(request) == made(request)) }
        #expect(shop.calls["pay"] == 1 && shop.calls["refund"] == 1)
        #expect(request.reference != PaymentReference(provider: "acme", id: "refund:7"))
    }

    @Test("A refund whose answer was lost is settled by asking, never by sending again")
    func lostAnswer() async throws {
        var shop = Shop()
        let calls = shop.calls
        shop.refundBody = { _, _ in throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example") }
        shop.refundStatus = { request, _ in
            // The router asks five times before it leaves the payment open.
            guard calls["refund status"] > 5 else { throw PaymentError(.network, "down") }
            return .succeeded(PaymentReceipt(reference: request.reference))
        }
        let router = try router(shop)
        guard case .unknown = try await router.refund(request) else { Issue.record("it cannot be known"); return }
        let reports = try await router.recover(as: Payer())
        #expect(reports.map(\.result) == [.success(PaymentOutcome(stating: made(request)))])
        #expect(reports.first?.attempt.refund == request)
        #expect(shop.calls["refund"] == 1)
    }

    @Test("Cancelling ends the attempt; a payment that was made meanwhile stays paid")
    func cancel() async throws {
        var shop = Shop()
        shop.base.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try router(shop)
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        #expect(try await router.cancel(ScriptedProvider.reference) == .cancelled)
        #expect(try await journal.unfinished().isEmpty)
        #expect(try await router.cancel(ScriptedProvider.reference) == .cancelled, "nothing open is no obstacle")
    }

    @Test("A refund's name cancels no payment of the same id")
    func cancelledRefund() async throws {
        let refund = PaymentReference(provider: "acme", id: ScriptedProvider.reference.id, subject: .refund(of: "p1"))
        let error = await #expect(throws: PaymentError.self) { try await router(shop).cancel(refund) }
        #expect(error?.code == .notAPayment && shop.calls["cancel"] == 0)
    }

    @Test("A failure after the accepted cancellation does not say that nothing was done", arguments: [true, false])
    func failsAfterwards(isSent: Bool) async throws {
        struct Forgetful: CancellingService {
            let isSent: Bool
            let descriptor = ProviderDescriptor(id: "acme", name: "Acme", patterns: [], outboundHosts: [])
            func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
                if isSent { _ = try await context.step("cancel", .mutation(replay: .never)) { true } }
                throw PaymentError(.serviceFailure, "the question after it failed", phase: .answered)
            }
            func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
                .pending(retryAfter: nil)
            }
        }
        let router = try PaymentRouter(Forgetful(isSent: isSent), journal: journal, clock: clock)
        let error = await #expect(throws: PaymentError.self) { try await router.cancel(ScriptedProvider.reference) }
        #expect(error?.phase == (isSent ? .maybeSent : .answered))
        #expect(error?.provider == "acme")
    }

    @Test("A genuine notification ends the attempt, once; another changes nothing")
    func notification() async throws {
        var shop = Shop()
        shop.base.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try router(shop)
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        let forged = IncomingNotification(headers: ["Signature": "bad"], body: Array("p1".utf8))
        #expect(await failure { try await router.handle(forged, from: "acme") }?.code == .untrustedNotification)
        #expect(try await journal.unfinished().count == 1)
        let genuine = IncomingNotification(headers: ["Signature": "good"], body: Array("p1".utf8))
        for _ in 1...2 {
            let notification = try await router.handle(genuine, from: "acme")
            #expect(notification.reference == ScriptedProvider.reference)
        }
        #expect(try await journal.unfinished().isEmpty)
        let paid = PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "notified")
        #expect(try await journal.histories(of: ScriptedProvider.reference).map(\.report) == [.succeeded(paid)])
    }

    @Test("A provider that cannot do it says so")
    func unsupported() async throws {
        let router = try router(ScriptedProvider())
        let asks: [@Sendable () async throws -> Void] = [
            { _ = try await router.refund(request) },
            { _ = try await router.cancel(ScriptedProvider.reference) },
            { _ = try await router.handle(IncomingNotification(headers: [:], body: []), from: "acme") },
        ]
        for ask in asks {
            #expect(await failure { try await ask() }?.code == .unsupported)
        }
        #expect(try await journal.unfinished().isEmpty)
    }
}

/// A merchant's service that has no payer's side.
private struct Till: RefundingService {
    let base: Shop
    var descriptor: ProviderDescriptor { ProviderDescriptor(id: "till", name: "Till", outboundHosts: []) }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: payment, in: context)
    }
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.refund(request, in: context)
    }
    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: refund, in: context)
    }
}

@Suite("Merchants' services beside providers")
struct ServiceTests {
    private let journal = InMemoryJournal()
    private let shop = Shop()

    private func router(_ shop: Shop) throws -> PaymentRouter {
        try PaymentRouter(shop.base, Till(base: shop), journal: journal)
    }

    @Test("Each does its own part, in one journal")
    func together() async throws {
        let router = try router(shop)
        let payment = PaymentReference(provider: "till", id: "7")
        let request = RefundRequest(of: payment, amount: .cents(250), id: "credit-7")
        for _ in 0..<2 {
            #expect(try await router.refund(request) == .succeeded(PaymentReceipt(reference: request.reference)))
        }
        #expect(shop.calls["refund"] == 1)
        let paid = try await router.pay("https://pay.acme.example/?id=7", as: .careless)
        #expect(paid == .succeeded(PaymentReceipt(reference: PaymentReference(provider: "acme", id: "7"))))
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("What a service cannot do is unsupported, and nothing is begun")
    func unsupported() async throws {
        let router = try router(shop)
        let payment = PaymentReference(provider: "till", id: "7")
        #expect(await failure { try await router.cancel(payment) }?.code == .unsupported)
        let notification = IncomingNotification(headers: [:], body: [])
        #expect(await failure { try await router.handle(notification, from: "till") }?.code == .unsupported)
        let refund = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-8")
        #expect(await failure { try await router.refund(refund) }?.code == .unsupported, "the provider gives none back")
        for begun in [payment.cancellation, refund.reference] { #expect(await journal.histories(of: begun).isEmpty) }
        #expect(await journal.unfinished().isEmpty)
    }
}
