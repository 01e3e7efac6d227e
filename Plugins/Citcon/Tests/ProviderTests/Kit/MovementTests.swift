import CitconMerchant
import CitconSandbox
import PaymentCore
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Captures, refunds, disputes and other currencies in answers to inquiries (Protocol 2.6).
@Suite struct MovementTests {
    private func check(_ data: String) throws -> CPayCheck {
        let envelope = try Envelope(Array(#"{"status":"success","data":\#(data)}"#.utf8))
        return CPayCheck(CitconService.Answer(envelope))
    }

    @Test("Lists and the exchange are read, however little they hold")
    func lists() throws {
        let check = try check(
            #"""
            {"id":"1","status":"succeeded","exchange":{"amount":1130,"currency":"EUR","rate":0.904},
            "captures":{"data":[{"id":"2","object":"capture","reference":"c","amount":1000,"currency":"USD",
            "status":"succeeded","time_created":17}]},
            "refunds":{"data":[{"id":"3","object":"refund","amount_refunded":250,"time_completed":18},{}]},
            "chargebacks":{"data":[{"status":"Lost","captures":{"data":[{}]}},7,null]}}
            """#)
        #expect(check.data.exchange?.amount == 1130 && check.data.exchange?.currency == "EUR")
        #expect(check.data.exchange?.rate == 0.904)
        let capture = try #require(check.data.captures.first)
        #expect(capture.id == "2" && capture.object == "capture" && capture.reference == "c")
        #expect(capture.amount == 1000 && capture.currency == "USD" && capture.status == "succeeded")
        #expect(capture.timeCreated == 17 && capture.timeCompleted == 0)
        #expect(check.data.refunds.map(\.amount) == [250, 0] && check.data.refunds[0].timeCompleted == 18)
        #expect(check.data.chargebacks.map(\.status) == ["Lost"])
        #expect(!"\(check.data.captures)".contains("1000"))
    }

    @Test(
        "Nothing, null and nonsense are empty",
        arguments: [
            "{}", #"{"captures":null,"refunds":[],"chargebacks":{"data":{}},"exchange":{}}"#,
            #"{"captures":{"data":null},"exchange":{"amount":null,"currency":null,"rate":null}}"#,
        ])
    func empty(_ data: String) throws {
        let check = try check(data)
        #expect(check.data.captures.isEmpty && check.data.refunds.isEmpty && check.data.chargebacks.isEmpty)
        #expect(check.data.exchange == nil)
    }

    @Test("Of what is paid neither code nor message has a value; of what is not they stay (guide, CPayResultData)")
    func codes() throws {
        for (status, code, message) in [
            ("succeeded", nil, nil), ("authorized", nil, nil), ("failed", "2000", "m"), ("pending", "2000", "m"),
        ] as [(String, String?, String?)] {
            let check = try check(#"{"status":"\#(status)","code":"2000","message":"m"}"#)
            #expect(check.data.code == code && check.data.message == message, "\(status)")
        }
    }

    @Test("The sandbox's captures, refunds and disputes, and PayPal's exchange, as an application sees them")
    func sandbox() async throws {
        let (world, charge) = try await MerchantWorld.paid(captures: false)
        _ = try await world.capture(charge, try Money(minorUnits: 1000, currency: .usd))
        await world.sandbox.dispute(charge: charge.id, .claimed)
        await world.sandbox.dispute(charge: charge.id, .won)
        let client = try CPayClient(world.wire, token: await world.sandbox.accessToken().reveal())
        let check = await client.inquireOrder(charge.id)
        #expect(check.data.captures.map(\.amount) == [1000] && check.data.captures.map(\.object) == ["capture"])
        #expect(check.data.chargebacks.map(\.status) == ["Won"] && check.data.refunds.isEmpty)
        #expect(check.data.amountCaptured == 1000 && check.data.amount == 1250)
    }
}
