import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// A service that spells amounts and currencies differently: an equal amount is accepted, and nothing else (Protocol
/// 2.5 and 7).
@Suite struct EchoTests {
    @Test("Through the vendor's client: no payer is sent to pay something else", arguments: CitconSandbox.Echo.allCases)
    func client(_ echo: CitconSandbox.Echo) async throws {
        for scenario in [CitconSandbox.Scenario.wechatPay, .card, .toss, .payPal] {
            let world = CitconWorld { $0.echo = echo }
            let charge = await world.sandbox.createCharge(scenario)
            let result = await (try await world.client()).requestOrder(try CitconWorld.order(for: charge))
            #expect(result.isPaid == echo.isTrue, "\(scenario)")
            #expect(await world.sandbox.ledger.captures(of: charge.id) == (echo.isTrue ? 1 : 0), "\(scenario)")
            if echo.isTrue { #expect(result.data.amount > 0) }
        }
    }

    @Test("Through the router: nothing else is reported as paid", arguments: CitconSandbox.Echo.allCases)
    func router(_ echo: CitconSandbox.Echo) async throws {
        for scenario in [CitconSandbox.Scenario.alipay, .venmo, .alipayPlus] {
            let world = CitconWorld { $0.echo = echo }
            let charge = await world.sandbox.createCharge(scenario)
            let outcome = try? await world.router(of: world.provider()).pay(charge.link, as: world.payer())
            if case .succeeded(let receipt)? = outcome {
                #expect(echo.isTrue && receipt.transactionID == charge.id, "\(scenario)")
            } else {
                #expect(!echo.isTrue, "\(scenario): \(String(describing: outcome))")
            }
            #expect(await world.sandbox.ledger.captures(of: charge.id) == (echo.isTrue ? 1 : 0), "\(scenario)")
        }
    }

    @Test("A charge that is made over something else is not handed on", arguments: CitconSandbox.Echo.allCases)
    func made(_ echo: CitconSandbox.Echo) async throws {
        let world = try MerchantWorld { $0.echo = echo }
        let client = try CPayClient(world.wire, token: await world.sandbox.accessToken().reveal())
        let result = await client.generateOrder(Shop.order())
        #expect((result.status == "success") == echo.isTrue && (result.data.chargeToken != nil) == echo.isTrue)
        let charge = try? await world.charge("order-2")
        #expect((charge != nil) == echo.isTrue)
    }

    @Test(
        "Captures and refunds of a merchant's server, where the same is said in another way",
        arguments: CitconSandbox.Echo.allCases.filter(\.isTrue))
    func money(_ echo: CitconSandbox.Echo) async throws {
        let world = try MerchantWorld { $0.echo = echo }
        let charge = try await world.paid(captures: false)
        #expect(try await world.capture(charge) == world.captured(charge))
        let refund = RefundRequest(of: charge.reference, amount: charge.amount, id: "credit-1")
        let receipt = try #require(try await world.router.refund(refund).receipt, "not refunded")
        #expect(receipt.amount == charge.amount)
        #expect(await world.refunds(charge.id).count == 1)
    }
}
