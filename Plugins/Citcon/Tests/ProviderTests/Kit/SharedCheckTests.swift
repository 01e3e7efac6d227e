import PaymentCore
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The checks that protect the router's payers protect payers of the vendor's client.
@Suite("Checks of the one flow, seen by the vendor's client")
struct SharedCheckTests {
    @Test("A charge over something else is not confirmed where confirming takes the money", arguments: TermsTests.lies)
    func otherTerms(_ name: String, _ old: String, _ new: String) async throws {
        let other = ScriptedCitcon.transaction("initiated").replacing(old, with: new)
        let service = ScriptedCitcon(gateway: "braintree", before: .ok(other))
        let result = await (try CPayClient(service)).requestOrder(Shop.card())
        #expect(result.status == "fail" && !result.isPaid && service.confirmations == 0, "\(name)")
    }

    @Test(
        "A charge that is over is reported as it ended, and not confirmed",
        arguments: ["succeeded", "expired", "canceled"])
    func over(state: String) async throws {
        let service = ScriptedCitcon(gateway: "cashapp", before: .ok(ScriptedCitcon.transaction(state)))
        let result = await (try CPayClient(service)).requestOrder(Shop.order("cashapppay"))
        #expect(result.data.status == state && result.isPaid == (state == "succeeded"))
        #expect(service.confirmations == 0)
    }

    @Test("A service that reports nothing to an app keeps no order from being paid, as with the vendor's SDK")
    func untold() async throws {
        for refusal in [ScriptedCitcon.Answer.fail(404, "4103", "not found"), .fail(401, "4010", "unauthorized")] {
            let service = ScriptedCitcon(
                gateway: "braintree", confirm: .ok(ScriptedCitcon.charge("", status: "succeeded")), before: refusal)
            #expect(await (try CPayClient(service)).requestOrder(Shop.card()).isPaid)
        }
    }

    @Test("While the service cannot be asked nothing is confirmed")
    func unreachable() async throws {
        for answer in [ScriptedCitcon.Answer.fail(503, "5100", "down"), .failure(.maybeSent, .timedOut)] {
            let service = ScriptedCitcon(gateway: "braintree", before: answer)
            let result = await (try CPayClient(service)).requestOrder(Shop.card())
            #expect(result.status == "fail" && service.confirmations == 0)
            #expect(result.data.message?.contains("do not pay again") != true, "nothing was sent")
        }
    }

    @Test("A charge's secrets do not leave for another host, and its confirmation only from its step")
    func guarded() async throws {
        let service = ScriptedCitcon()
        let client = try CPayClient(service)
        let context = try client.context(client.configuration)
        let citcon = try client.service(client.configuration, context)
        await #expect(throws: CitconCallError.self) {
            try await citcon.confirm(Redacted("62d5c1e0242011eda300f59379b812ce"), Redacted([:]))
        }
        let elsewhere = HTTPRequest(.get, try HTTPURL("https://evil.example/"), replay: .safe)
        await #expect(throws: TransportError.self) { try await context.http.send(elsewhere) }
        #expect(service.calls.isEmpty)
    }
}
