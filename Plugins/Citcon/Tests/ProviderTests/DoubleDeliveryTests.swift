import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconMerchant
@testable import CitconProvider

/// A network that delivers a request twice and returns only the second answer, which is a refusal because of the first.
@Suite struct DoubleDeliveryTests {
    /// Delivers the `POST`s to one path twice.
    private struct Twice: HTTPTransport {
        let base: any HTTPTransport
        let path: String

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            if request.method == .post, request.url.path.hasPrefix(path) { _ = try await base.send(request) }
            return try await base.send(request)
        }
    }

    @Test(
        "Only what was judged before the charge was looked at is proof that nothing was done",
        arguments: [
            (400, "4000", false), (400, "4100", false), (404, "4103", false), (422, "9999", false), (429, "", false),
            (400, "", false), (409, "", false), (406, "4202", false), (401, "4010", true), (400, "4102", true),
            (403, "", true), (415, "", true),
        ])
    func proof(_ status: Int, _ code: String, _ isProof: Bool) async throws {
        let state = Mutexed("initiated")
        let refusal: ScriptedCitcon.Answer = code.isEmpty ? .json(status, "<html>") : .fail(status, code, "no")
        let service = ScriptedCitcon(gateway: "fomo", confirm: refusal, state: state)
        let journal = InMemoryJournal()
        let router = try Shop.router(service, journal)
        let payer = Payer(browser: { _ in nil }, policy: .firstWhateverItCosts)
        let link = LinkTests.good.replacing("wechatpay", with: "grabpay")
        let outcome = try? await router.pay(link, as: payer)
        #expect((outcome == nil) == isProof)
        #expect(await journal.unfinished().isEmpty == isProof)
        // The first copy is seen late.
        state.change { $0 = "succeeded" }
        let reports = try await router.recover(as: Payer())
        #expect(reports.isEmpty == isProof)
        if !isProof { #expect(try reports.first?.result.get().description.hasPrefix("paid") == true) }
        #expect(service.confirmations == 1)
    }

    @Test("A wallet that was never started takes no money: a refusal is the end where the charge still waits")
    func refusedWallets() async throws {
        let inquiries: [(ScriptedCitcon.Answer, isOpen: Bool)] = [
            (.ok(ScriptedCitcon.transaction("initiated")), false), (.fail(404, "4103", "not found"), false),
            (.ok(ScriptedCitcon.transaction("pending")), true), (.ok(ScriptedCitcon.transaction("new-word")), true),
            (.ok(ScriptedCitcon.transaction("initiated", amount: 7)), true), (.fail(503, "5100", "down"), true),
            (.fail(401, "4010", "unauthorized"), true),
        ]
        for (answer, isOpen) in inquiries {
            let service = ScriptedCitcon(confirm: .fail(400, "4100", "duplicate request"), inquiry: answer)
            let journal = InMemoryJournal()
            let router = try Shop.router(service, journal)
            let outcome = try? await router.pay(
                LinkTests.good, as: Payer(appLauncher: { _ in nil }, policy: .firstWhateverItCosts))
            #expect((outcome != nil) == isOpen, "\(answer)")
            #expect(await journal.unfinished().isEmpty == !isOpen, "\(answer)")
        }
    }

    @Test("The vendor's client reports what the first copy paid, and the refusal otherwise")
    func client() async throws {
        for (state, isPaid) in [("succeeded", true), ("authorized", true), ("expired", false), ("initiated", false)] {
            let service = ScriptedCitcon(
                gateway: "braintree", confirm: .fail(400, "4100", "duplicate request"),
                inquiry: .ok(ScriptedCitcon.transaction(state)), before: ScriptedCitcon.waiting)
            let result = await (try CPayClient(service)).requestOrder(Shop.card())
            #expect(result.isPaid == isPaid, "\(state)")
            if !isPaid { #expect(result.status == "fail" && result.data.code == "4100", "\(state)") }
        }
    }

    @Test("A refund that arrived twice is found by its reference, whatever the second answer was (Protocol 2.7, 2.8)")
    func refunds() async throws {
        for code in ["4100", "4202", "4000"] {
            let (world, charge) = try await MerchantWorld.paid()
            let wire = Twice(base: world.wire, path: "/v1/refunds")
            // The first copy is carried out; the service chooses the wording of the second answer.
            world.refuse("refunds", 400, code, after: 1)
            let router = try world.otherServer(over: wire, world.journal)
            let request = RefundRequest(
                of: charge.reference, amount: try Money(minorUnits: 1000, currency: .usd), id: "credit-1")
            let outcome = try await router.refund(request)
            #expect(outcome.description.hasPrefix("refunded"), "\(code): \(outcome)")
            #expect(await world.refunds(charge.id).count == 1)
        }
    }

    @Test(
        "A refund that was refused, and cannot be looked for, stays open: nor where its charge is said not to be there",
        arguments: [503, 404])
    func refundsThatCannotBeLookedFor(_ status: Int) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        world.refuse("refunds", 406, "4202")
        world.faults.inject(.status(status), times: 1000, after: 1) { method, path in
            method == "GET" && path.hasPrefix("/v1/transactions/")
        }
        let request = RefundRequest(
            of: charge.reference, amount: try Money(minorUnits: 1000, currency: .usd), id: "credit-1")
        let outcome = try await world.router.refund(request)
        #expect(outcome.isUnknown, "nobody can know: \(outcome)")
        #expect(await world.journal.unfinished().count == 1)
    }
}
