import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// The pages to which buyers return: their allowed addresses, and that a return proves nothing (Protocol 3.4).
@Suite struct CheckoutTests {
    @Test(
        "Pages that the service would silently leave out are refused",
        arguments: [
            "", "shop", "http://shop.example/thanks", "https://shop.example/#thanks", "myshop://thanks",
            "https://shop.example/?payment_id=1", "https://shop.example/?a=1&Payment_ID=",
            "https://shop.example/?%70ayment_id=1",
            "https://pay.walletconnect.com/thanks", "https://x.pay.walletconnect.com/", "https://a@shop.example/",
        ])
    func unfit(_ url: String) {
        let good = "https://shop.example/thanks"
        let first = #expect(throws: CheckoutReturnError.self) { try CheckoutReturns(success: url, error: good) }
        #expect(first?.description.contains("success") == true)
        let second = #expect(throws: CheckoutReturnError.self) { try CheckoutReturns(success: good, error: url) }
        #expect(second?.description.contains("error URL") == true)
    }

    @Test("The sandbox's page sends buyers back when the payment has ended, and not before")
    func sandbox() async throws {
        let world = try ShopWorld()
        func order(_ reference: String, _ success: String, _ error: String) async throws -> Shop.CreatedPayment {
            try await world.client.createPayment(
                Shop.Order(
                    reference: reference, amount: ShopWorld.price,
                    returns: try CheckoutReturns(success: success, error: error)))
        }
        let paid = try await order("ORDER-1", "https://shop.example/thanks?a=1", "https://shop.example")
        #expect(await world.sandbox.returnURL(of: paid.reference.id) == nil)
        _ = try await world.router.pay(paid.link, as: SandboxWallet().payer())
        let id = paid.reference.id
        #expect(await world.sandbox.returnURL(of: id) == "https://shop.example/thanks?a=1&payment_id=\(id)")
        let page = await world.sandbox.respond(
            to: HTTPRequest(.get, try HTTPURL("https://pay.walletconnect.com/buyer/\(id)")))
        #expect(page.status == 303 && page.headers["Location"] == "https://shop.example/thanks?a=1&payment_id=\(id)")
        let lost = try await order("ORDER-2", "https://shop.example/thanks", "https://shop.example")
        _ = try await world.router.cancel(lost.reference)
        #expect(
            await world.sandbox.returnURL(of: lost.reference.id)
                == "https://shop.example?payment_id=\(lost.reference.id)")
        let none = try await world.paid("ORDER-3")
        #expect(await world.sandbox.returnURL(of: none.reference.id) == nil)
    }

    /// A service with the preview's rule: half a pair is refused, an unusable one switches the redirect off, and the
    /// generally available version does not have the member.
    @Test(
        "The sandbox takes pages as the service does",
        arguments: [
            (#"{"successUrl":"https://a.example/","errorUrl":"https://a.example/"}"#, "2026-02-19.preview", 201, true),
            (#"{"successUrl":"http://a.example/","errorUrl":"https://a.example/"}"#, "2026-02-19.preview", 201, false),
            (#"{"successUrl":"https://a.example/"}"#, "2026-02-19.preview", 400, false),
            (#"{"successUrl":"https://a.example/","errorUrl":"https://a.example/"}"#, "2026-02-18", 201, false),
            (#"{"successUrl":"https://a.example/"}"#, "2026-02-18", 201, false),
        ])
    func versions(_ checkout: String, _ version: String, _ status: Int, _ isKept: Bool) async throws {
        let world = try ShopWorld()
        let body: JSONValue = [
            "referenceId": "ORDER-1", "amount": ["unit": "iso4217/USD", "value": "1250"],
            "checkout": try JSONValue(parsing: checkout),
        ]
        let answer = await world.sandbox.respond(
            to: HTTPRequest(
                .post, try HTTPURL("https://api.pay.walletconnect.com/v1/payments"),
                headers: [
                    "Api-Key": WalletConnectPaySandbox.liveKey.reveal(), "WCP-Version": version,
                    "Merchant-Id": WalletConnectPaySandbox.merchantID, "Content-Type": "application/json",
                ], body: body.serialized()))
        #expect(answer.status == status)
        guard let id = try JSONValue(parsing: answer.body)["paymentId"]?.string else { return }
        world.clock.advance(by: .seconds(300))
        #expect((await world.sandbox.returnURL(of: id) != nil) == isKept)
    }

    // MARK: The return as a callback

    private static let router = try! PaymentRouter(
        ShopWorld.provider(), over: SandboxTransport(WalletConnectPaySandbox()))

    @Test(
        "A return is recognised by its page and the payment that it names",
        arguments: [
            "https://shop.example/thanks?payment_id=pay_1", "https://shop.example/sorry?payment_id=pay_1",
            "https://SHOP.example:443/thanks?utm=1&payment_id=pay_1",
            "https://shop.example/thanks?payment_id=pay_1#top",
        ])
    func recognised(_ url: String) throws {
        let route = try Self.router.matched(url)
        #expect(route.match.role == .callback && route.match.reference == "pay_1")
    }

    @Test(
        "A look-alike belongs to no provider",
        arguments: [
            "https://shop.example/thanks", "https://shop.example/thanks?payment_id=",
            "https://shop.example/thanks?payment_id=1",
            "https://shop.example/thanks?payment_id=pay_1&payment_id=pay_2",
            "https://shop.example/thanks?payment_id=pay_1&payment%5Fid=pay_2",
            "https://shop.example/thanks?Payment_Id=pay_1", "https://shop.example/thanks/?payment_id=pay_1",
            "https://shop.example/thanks/x?payment_id=pay_1", "http://shop.example/thanks?payment_id=pay_1",
            "https://shop.example:444/thanks?payment_id=pay_1",
            "https://shop.example.evil.example/thanks?payment_id=pay_1",
            "https://shop.example/thanks?payment_id=pay_1%2Fcancel", "https://shop.example/thanks#?payment_id=pay_1",
        ])
    func strangers(_ url: String) {
        if case .matched(let route) = Self.router.route(url) { Issue.record("\(route)") }
    }

    @Test("Coming back is a reason to ask, and no proof", arguments: ["thanks", "sorry"])
    func hint(_ page: String) async throws {
        let world = try ShopWorld { $0.settlementPolls = 1_000_000 }
        let payment = try await world.payment()
        let url = "https://shop.example/\(page)?payment_id=\(payment.reference.id)"
        // No payment was begun here: a stray link.
        #expect(try await world.router.handle(url) == nil)
        let begun = try await world.router.pay(payment.link, as: SandboxWallet().payer())
        #expect(begun.isPending)
        // Back, by either page, and still in progress.
        #expect(try await world.router.handle(url)?.isPending == true, "a return ended a payment that has not ended")
        // Another payment's return has no effect.
        #expect(try await world.router.handle("https://shop.example/thanks?payment_id=pay_other") == nil)
    }

    @Test("A return after the end reports the service's status, by whichever page", arguments: ["thanks", "sorry"])
    func end(_ page: String) async throws {
        let world = try ShopWorld { $0.settlementPolls = 100 }
        let payment = try await world.payment()
        _ = try await world.router.pay(payment.link, as: SandboxWallet().payer())
        for _ in 0..<100 { _ = try await world.client.report(of: payment.reference) }
        let outcome = try await world.router.handle("https://shop.example/\(page)?payment_id=\(payment.reference.id)")
        #expect(outcome?.receipt != nil)
    }
}
