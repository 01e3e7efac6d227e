import CitconKit
import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import Testing

/// The code of CitconKit's Differences.md.
@Suite("Article: move from Citcon's SDK")
struct MovingFromCitconTests {
    /// A merchant's checkout.
    struct Checkout {
        static func order(_ charge: CitconSandbox.Charge) -> CPayRequest {
            let order = CPayRequest()
            order.transaction.reference = charge.reference
            order.transaction.amount = 1250
            order.transaction.currency = "USD"
            order.transaction.country = "US"
            order.payment = CPayPayment()
            order.payment?.method = "alipay"
            order.scheme = "com.shop.pay"
            order.chargeToken = charge.token
            return order
        }

        func pay(_ order: CPayRequest) async -> String {
            let result = await CPayManager.sharedInstance().requestOrder(order)
            if result.isPaid { return "paid" }
            if CPayCode.isCancellation(result.data.code, message: result.data.message) { return "cancelled" }
            return "not paid, as far as is known: \(result.data.message ?? "")"
        }
    }

    /// A screen that takes the callback, as in the guide.
    @MainActor final class Screen {
        var message = "nothing yet"
        let shown = AsyncStream<Void>.makeStream()

        func pay(_ order: CPayRequest) {
            CPayManager.sharedInstance().requestOrder(order) { [self] result in
                message = result?.status == "success" && result?.data.status == "succeeded" ? "paid" : "not paid"
                shown.continuation.yield()
            }
        }
    }

    @Test("The code after the move pays, by the call that is awaited and by the guide's callback")
    @MainActor
    func pays() async throws {
        let service = CitconSandbox(random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(service)
        defer { server.stop() }
        let (token, sandbox) = (await service.accessToken().reveal(), server.baseURL.origin + "/v1/")
        let payer = CitconSandbox.payer(.pays, at: server.baseURL, over: StandardTransport())
        CPayManager.sharedInstance().setReturnPlaces(CPayReturnPlaces(bundleIDs: ["com.shop"]))
        CPayManager.sharedInstance().setAccessToken(token)
        try CPayManager.sharedInstance().setBaseURL(sandbox)
        CPayManager.sharedInstance().setLauncher { launch in await payer.citconLauncher(launch) }
        for (scenario, words, captures) in [
            (.alipay, "paid", 1), (.cancelledInAlipay, "cancelled", 0), (.declined, "not paid, as far as is known", 0),
        ] as [(CitconSandbox.Scenario, String, Int)] {
            let charge = await service.createCharge(scenario)
            let told = await Checkout().pay(Checkout.order(charge))
            #expect(told.hasPrefix(words), "\(scenario): \(told)")
            #expect(await service.ledger.captures(of: charge.id) == captures)
        }
        let screen = Screen()
        screen.pay(Checkout.order(await service.createCharge(.alipay)))
        #expect(screen.message == "nothing yet", "a callback comes after the call has returned")
        for await _ in screen.shown.stream { break }
        #expect(screen.message == "paid")
    }
}
