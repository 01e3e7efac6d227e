import CitconSandbox
import Foundation
import PaymentCore
import TestSupport
import Testing

/// Stored accounts, choices, and the page of the choice. Their bodies are the sandbox's (Protocol 2.11).
@Suite struct CitconVaultTests {
    private func store(_ world: CitconWorld, _ nonce: String = "fake-valid-nonce", of consumer: String = "c-1")
        async throws
        -> PayAnswer
    {
        try await world.call(
            "vault",
            [
                "consumer": ["reference": .string(consumer)],
                "payment": ["method": "card", "nonce": .string(nonce)],
            ])
    }

    @Test("Keeps, shows, lists and deletes accounts, for tokens of either kind")
    func life() async throws {
        let world = CitconWorld()
        let answer = try await store(world)
        #expect(answer.keys == ["id", "object", "consumer", "payment", "time_created", "status"])
        let id = try #require(answer.json["data"]?["id"]?.string)
        #expect(id.utf8.count == 24 && answer.json["data"]?["object"] == "vault")
        for kind in ["server", "client"] {
            #expect(try await world.call("vault/\(id)", as: kind).json["data"]?["status"] == "active")
            let list = try await world.call("vault?consumer_reference=c-1", as: kind)
            #expect(list.json["data"]?["data"]?.array?.count == 1)
        }
        #expect(try await world.call("vault?consumer_reference=c-2").json["data"]?["data"] == [])
        #expect(try await world.call("vault").rejection == "400 4000: bad request")
        #expect(try await world.send(.get, "/v1/vault/\(id)").rejection == "401 4010: unauthorized")
        let token = try await world.token()
        let deleted = try await world.send(.delete, "/v1/vault/\(id)", bearer: token)
        #expect(deleted.json["data"]?["status"] == "deleted")
        for method in [HTTPRequest.Method.delete, .get] {
            #expect(try await world.send(method, "/v1/vault/\(id)", bearer: token).rejection == "404 4103: not found")
        }
        #expect(try await world.send(.delete, "/v1/vault", bearer: token).rejection == "404 4103: not found")
    }

    @Test("A nonce is used once, and only real ones; methods that cannot be stored are refused")
    func nonces() async throws {
        let world = CitconWorld()
        for nonce in ["made-up", "fake-consumed-nonce", ""] {
            #expect(try await store(world, nonce).rejection == "400 4000: bad request")
        }
        #expect(try await store(world, of: "").rejection == "400 4000: bad request")
        let body: JSONValue = [
            "consumer": ["reference": "c-1"], "payment": ["method": "alipay", "nonce": "fake-valid-nonce"],
        ]
        #expect(try await world.call("vault", body).rejection == "400 4000: bad request")
    }

    @Test("A charge belongs to one payer")
    func onePayer() async throws {
        let world = CitconWorld()
        var order = CitconWorld.order("r1", method: "card")
        order["consumer"] = ["reference": "c-1"]
        let token = try #require(try await world.call("charges", order).json["data"]?["charge_token"]?.string)
        let stored = try #require(try await store(world, of: "c-2").json["data"]?["id"]?.string)
        let body: JSONValue = [
            "consumer": ["reference": "c-2"], "payment": ["method": "card", "token": .string(stored)],
        ]
        #expect(try await world.call("charges/\(token)", body).rejection == "400 4000: bad request")
        let own: JSONValue = ["payment": ["method": "card", "token": .string(stored)]]
        #expect(try await world.call("charges/\(token)", own).rejection == "400 4000: bad request")
    }

    @Test("Consults are for the methods that have them")
    func consults() async throws {
        let world = CitconWorld()
        for method in [
            "card", "banktransfer", "alipay", "kakaopay", "alipay%2B", "lpay", "lgpay", "samsungpay", "ubp", "paymaya",
        ] {
            let answer = try await world.call("consults?method=\(method)", as: "client")
            #expect(answer.json["data"]?["data"]?.array?.count == 2, "\(method)")
        }
        #expect(try await world.call("consults?method=wechatpay").rejection == "400 4000: bad request")
        #expect(try await world.call("consults?method=bkash").rejection == "500 5200: gateway not support")
        #expect(try await world.call("consults").rejection == "400 4000: bad request")
    }

    @Test("On the service's own page payers choose the method, of those that there are")
    func hostedPage() async throws {
        let world = CitconWorld()
        let answer = try await world.call(
            "charges", CitconWorld.order("r1", method: "hpp", clients: ["mobile_browser"]))
        let id = try #require(answer.json["data"]?["id"]?.string)
        let url = try HTTPURL(try #require(answer.content))
        let page = try await world.send(HTTPRequest(.get, url))
        #expect(page.text.contains("<option>alipay</option>") && !page.text.contains("<option>hpp</option>"))
        func press(_ form: String, on url: HTTPURL) async throws -> Int {
            try await world.send(
                HTTPRequest(
                    .post, url, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(form.utf8))
            ).status
        }
        #expect(try await press("act=pay&method=bkash", on: url) == 400)
        #expect(try await world.state(id) == "initiated")
        #expect(try await press("act=pay&method=wechatpay", on: url) == 303)
        let after = try await world.call("transactions/\(id)").json["data"]
        #expect(after?["status"] == "succeeded" && after?["payment"]?["method"] == "wechatpay")
        // Other methods have no choice.
        let other = try await world.call(
            "charges", CitconWorld.order("r2", method: "toss", clients: ["mobile_browser"]))
        #expect(try await press("act=pay&method=alipay", on: HTTPURL(#require(other.content))) == 400)
    }

    @Test("Only a paid charge can be disputed, and it has one dispute")
    func disputes() async throws {
        let world = CitconWorld()
        let charge = await world.sandbox.createCharge(.card, ipn: "https://shop.example/ipn")
        await world.sandbox.dispute(charge: charge.id, .claimed)
        #expect(await world.sandbox.notifications.isEmpty)
        await world.sandbox.pay(charge)
        for stage in [CitconSandbox.DisputeStage.claimed, .lost] {
            await world.sandbox.dispute(charge: charge.id, stage)
        }
        let list = try await world.call("transactions/\(charge.id)").json["data"]?["chargebacks"]?["data"]
        #expect(list?.array?.count == 1 && list?[0]?["status"] == "Lost")
        #expect(await world.sandbox.notifications.map(\.status) == ["success", "Notification of Claim", "Lost"])
    }

    @Test(
        "Repeats amounts and currencies as configured",
        arguments: [
            (CitconSandbox.Echo.asSent, "100", "USD"), (.lowerCase, "100", "usd"), (.fraction, "100.0", "USD"),
            (.otherAmount, "1000", "USD"), (.otherCurrency, "100", "KWD"), (.noCurrency, "100", "null"),
        ])
    func echo(_ echo: CitconSandbox.Echo, _ amount: String, _ currency: String) async throws {
        let world = CitconWorld { $0.echo = echo }
        let answer = try await world.call("charges", CitconWorld.order("r1"))
        let id = try #require(answer.json["data"]?["id"]?.string)
        for answer in [answer, try await world.call("transactions/\(id)")] {
            #expect(answer.json["data"]?["amount"]?.number?.text == amount)
            #expect((answer.json["data"]?["currency"]?.string ?? "null") == currency)
        }
    }
}
