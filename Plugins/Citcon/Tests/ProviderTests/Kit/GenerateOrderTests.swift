import CitconSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Charges and tokens that an application requests itself (Protocol 1.3, 2.4 and 2.8).
@Suite struct GenerateOrderTests {
    private static let chargeToken = "62d5c1e0242011eda300f59379b812ce"

    /// `data` of a new charge.
    private static func made(_ token: String = chargeToken) -> String {
        ScriptedCitcon.charge().replacing(#""62d5""#, with: "\"\(token)\"")
    }

    private static func order() -> CPayRequest {
        let order = Shop.order()
        order.chargeToken = nil
        return order
    }

    @Test("The whole order makes a charge, once, and its token comes back (Protocol 2.4)")
    @MainActor
    func calls() async throws {
        let service = ScriptedCitcon { _, _ in .ok(Self.made()) }
        let client = try CPayClient(service)
        let order = Self.order()
        let result = await client.generateOrder(order)
        #expect(result.status == "success" && result.data.chargeToken == Self.chargeToken && !result.isPaid)
        #expect(service.calls == ["POST charges"] && service.seen.first?.replay == .never)
        #expect(service.seen.first?.body == order.body)
        #expect(service.seen.first?.headers["Authorization"] == "Bearer UPI_token")
        // As the vendor's code calls it.
        let heard = Heard()
        client.generateOrder(order) { result in
            #expect(MainQueue.isHere)
            heard.add(result?.data.chargeToken ?? "none")
        }
        #expect(await heard.first(1) == [Self.chargeToken])
    }

    @Test("A method may be said later, and addresses are an object even when there are none")
    func least() async throws {
        let service = ScriptedCitcon { _, _ in .ok(Self.made()) }
        let order = Self.order()
        order.payment = nil
        order.urls = CPayUrls()
        #expect(await (try CPayClient(service)).generateOrder(order).status == "success")
        #expect(service.seen.first?.body?["urls"] == [:] && service.seen.first?.body?["payment"] == nil)
    }

    static let missing: [(String, @Sendable (CPayRequest) -> Void)] = [
        (".transaction.reference can not be empty", { $0.transaction.reference = nil }),
        (".transaction.amount can not be empty", { $0.transaction.amount = 0 }),
        (".transaction.currency can not be empty", { $0.transaction.currency = nil }),
        (".transaction.country can not be empty", { $0.transaction.country = "" }),
        (
            ".transaction.reference has characters that can not be part of an address",
            { $0.transaction.reference = ".." }
        ),
    ]

    @Test("What every charge needs is looked at before anything is sent", arguments: missing)
    func missingMember(_ message: String, _ spoil: @Sendable (CPayRequest) -> Void) async throws {
        let service = ScriptedCitcon { _, _ in .ok(Self.made()) }
        let order = Self.order()
        spoil(order)
        let result = await (try CPayClient(service)).generateOrder(order)
        #expect(result.status == "fail" && result.data.code == "-1" && result.data.message == message)
        #expect(service.calls.isEmpty)
    }

    @Test("A charge over something else is not handed on", arguments: TermsTests.lies)
    func lie(_ name: String, _ old: String, _ new: String) async throws {
        let service = ScriptedCitcon { _, _ in .ok(Self.made().replacing(old, with: new)) }
        let result = await (try CPayClient(service)).generateOrder(Self.order())
        #expect(result.status == "fail" && result.data.chargeToken == nil, "\(name)")
        #expect(result.data.message?.hasPrefix(CPayMessage.invalidContent) == true, "\(name)")
        #expect(service.calls == ["POST charges"])
    }

    @Test("A token that is none, or would lead to another path, is not handed on", arguments: ["", "..", "a/../b"])
    func unusableToken(_ token: String) async throws {
        let service = ScriptedCitcon { _, _ in .ok(Self.made(token)) }
        let result = await (try CPayClient(service)).generateOrder(Self.order())
        #expect(result.status == "fail" && result.data.chargeToken == nil)
        #expect(result.data.message?.contains("another reference") == true)
    }

    @Test("A used reference is refused with the service's own code")
    func duplicate() async throws {
        let service = ScriptedCitcon { _, _ in .fail(400, "4100", "duplicate request") }
        let result = await (try CPayClient(service)).generateOrder(Self.order())
        #expect(result.data.code == "4100" && result.data.message == "duplicate request")
        #expect(service.calls == ["POST charges"])
    }

    @Test(
        "After a lost answer nothing is sent again; the message says what to do",
        arguments: [
            (ScriptedCitcon.Answer.failure(.maybeSent, .timedOut), "-1"), (.fail(500, "5100", "down"), "5100"),
            (.json(200, "oops"), "-2"),
        ], [true, false])
    func lost(_ answer: (ScriptedCitcon.Answer, String), _ isMade: Bool) async throws {
        let service = ScriptedCitcon { call, _ in
            if call == "POST charges" { return answer.0 }
            return isMade ? ScriptedCitcon.waiting : .fail(404, "4103", "not found")
        }
        let result = await (try CPayClient(service)).generateOrder(Self.order())
        #expect(service.calls == ["POST charges", "GET transactions/order-1?type=reference"])
        #expect(result.status == "fail" && result.data.code == answer.1 && result.data.chargeToken == nil)
        #expect(result.data.message?.contains("order again under another reference") == true)
        #expect((result.data.id != nil) == isMade && (result.data.status == "initiated") == isMade)
    }

    @Test("What was sent in secret does not come back in the result")
    func secrets() async throws {
        let service = ScriptedCitcon { _, _ in
            .fail(400, "4000", "bad card 4111111111111111 for UPI_token of nonce-0123456789")
        }
        let order = Self.order()
        order.payment?.nonce = "nonce-0123456789"
        order.payment?.data = CPayPaymentData()
        order.payment?.data?.pan = "4111111111111111"
        let result = await (try CPayClient(service)).generateOrder(order)
        let shown = "\(result) \(result.data.message ?? "")"
        for secret in ["4111111111111111", "UPI_token", "nonce-0123456789"] { #expect(!shown.contains(secret)) }
        #expect(result.data.message?.hasPrefix("bad card <redacted>") == true)
    }

    @Test("Another order's charge under the reference is not reported as this one's")
    func lostToAnother() async throws {
        let service = ScriptedCitcon { call, _ in
            call == "POST charges"
                ? .failure(.maybeSent, .timedOut) : .ok(ScriptedCitcon.transaction("succeeded", amount: 7))
        }
        let result = await (try CPayClient(service)).generateOrder(Self.order())
        #expect(result.data.id == nil && result.data.status == nil && !result.isPaid)
    }

    @Test("Made and then paid, against the sandbox; a reference works once")
    func sandbox() async throws {
        let world = CitconWorld()
        let client = try await world.client()
        let order = Self.order()
        order.transaction.autoCapture = true
        let made = await client.generateOrder(order)
        order.chargeToken = made.data.chargeToken
        let paid = await client.requestOrder(order)
        #expect(paid.isPaid && paid.data.id == made.data.id)
        #expect(await client.generateOrder(order).data.code == "4100")
        #expect(await client.requestOrder(order).data.status == "succeeded", "its token is used up")
        #expect(await world.sandbox.ledger.captures(of: made.data.id ?? "") == 1)
    }

    // MARK: Access tokens

    @Test("A demonstration's key gets a server's token (Protocol 1.3)")
    func accessToken() async throws {
        let world = CitconWorld()
        let client = try await world.client()
        let token = try #require(await client.getAccessToken(CitconSandbox.privateKey.reveal()))
        #expect(token.hasPrefix("UPI_"))
        client.configuration.accessToken = Redacted(token)
        #expect(await client.generateOrder(Self.order()).status == "success")
        #expect(await client.getAccessToken("sk-wrong") == nil)
        #expect(await client.getAccessToken("") == nil)
        let service = ScriptedCitcon { _, _ in .ok(#"{"access_token":"UPI_1","expiry":1762681312}"#) }
        #expect(await (try CPayClient(service)).getAccessToken("sk-1") == "UPI_1")
        #expect(service.calls == ["POST access-tokens"] && service.seen.first?.body == ["token_type": "server"])
        #expect(service.seen.first?.headers["Authorization"] == "Bearer sk-1")
        let heard = Heard()
        try CPayClient(service).getAccessToken("sk-1") { heard.add($0 ?? "none") }
        #expect(await heard.first(1) == ["UPI_1"])
    }

    @Test("No key is sent to the environment with real money")
    func production() async throws {
        let service = ScriptedCitcon { _, _ in .ok(#"{"access_token":"UPI_1"}"#) }
        for (base, expected) in [(nil, nil), ("http://127.0.0.1:9/v1/", "UPI_1")] as [(String?, String?)] {
            let configuration = CPayClientConfiguration(endpoint: try CPayEndpoint(.PROD, baseURL: base))
            let client = CPayClient(configuration: configuration, transport: service)
            #expect(await client.getAccessToken("sk-live") == expected)
        }
        #expect(service.calls.count == 1)
    }
}
