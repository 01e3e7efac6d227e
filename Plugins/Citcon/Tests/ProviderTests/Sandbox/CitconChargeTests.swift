import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

/// Creation, confirmation and inquiry of charges.
@Suite struct CitconChargeTests {
    // MARK: 2.4

    @Test("Shows charges in the recorded order")
    func showsChargesInTheRecordedOrder() async throws {
        let world = CitconWorld()
        let answer = try await world.call("charges", CitconWorld.order("r1", clients: ["mobile_browser"]))
        #expect(
            answer.keys == [
                "object", "charge_token", "id", "reference", "amount", "currency", "time_created", "time_captured",
                "auto_capture", "status", "country", "payment",
            ])
        let data = try #require(answer.json["data"])
        #expect(data["charge_token"]?.string?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(data["id"]?.string?.wholeMatch(of: /[0-9]{22}/) != nil)
        #expect(data["status"] == "initiated")
        #expect(data["time_created"] == 1_789_000_000)
        #expect(data["time_captured"]?.isNull == true)
        #expect(answer.entries == ["mobile_browser/redirect"])
        #expect(
            answer.content?.wholeMatch(of: /https:\/\/landing\.uat01\.citconpay\.com\/v1\/landing\/[0-9a-f]{32}/) != nil
        )
    }

    /// 2.4.3, the recorded table.
    @Test(
        "Offers pages as recorded",
        arguments: [
            (
                "alipay", ["mobile_browser", "desktop"], ["desktop/redirect", "mobile_browser/redirect", "desktop/qr"],
                true
            ),
            ("alipay", ["mobile_browser"], ["mobile_browser/redirect"], true),
            ("wechatpay", ["mobile_browser"], ["mobile_browser/redirect"], true),
            (
                "upop", ["mobile_browser", "desktop"], ["desktop/redirect", "mobile_browser/redirect", "desktop/qr"],
                true
            ),
            ("paypal", ["mobile_browser", "desktop"], ["desktop/redirect", "mobile_browser/redirect"], false),
        ])
    func offersPagesAsRecorded(
        _ method: String, _ clients: [String], _ entries: [String], _ captures: Bool
    ) async throws {
        let world = CitconWorld()
        let order = CitconWorld.order("r", method: method, clients: clients)
        let answer = try await world.call("charges", order)
        #expect(answer.entries == entries)
        #expect(answer.json["data"]?["auto_capture"] == .bool(captures))
        #expect((answer.json["data"]?["exchange"] != nil) == (method == "paypal"))
        // Consecutive ids.
        let contents = answer.json["data"]?["payment"]?["client"]?.array?.compactMap { $0["content"]?.string } ?? []
        let heads = contents.compactMap { UInt32($0.suffix(32).prefix(8), radix: 16) }
        #expect(heads.count == entries.count)
        #expect(zip(heads, heads.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
    }

    @Test("Pages are where they can be reached")
    func pagesAreWhereTheyCanBeReached() async throws {
        let world = try CitconWorld().on(.loopback)
        let order = CitconWorld.order("r", clients: ["desktop"])
        let answer = try await world.call("charges", order)
        #expect(answer.content?.hasPrefix((try #require(world.server)).baseURL.origin + "/v1/landing/") == true)
        var accelerated = CitconWorld.order("s", clients: ["desktop"])
        accelerated["transaction"]?["country_accelerator"] = "CN"
        let page = try #require(try await CitconWorld().call("charges", accelerated).content)
        #expect(page.hasPrefix("https://proxy.citconpay.cn/upi/u_landing/v1/landing/"))
    }

    @Test("Amounts are whole, however they are written")
    func amountsAreWholeHoweverWritten() async throws {
        let world = CitconWorld()
        var order = CitconWorld.order("r")
        order["transaction"]?["amount"] = .number(try #require(JSONNumber("100.0")))
        #expect(try await world.call("charges", order).text.contains(#""amount":100,"#))
    }

    @Test(
        "Refuses incomplete orders",
        arguments: [
            (["transaction", "reference"], nil), (["transaction", "reference"], ""), (["transaction", "reference"], 7),
            (["transaction", "amount"], nil), (["transaction", "amount"], 0), (["transaction", "amount"], -1),
            (["transaction", "amount"], "100"), (["transaction", "currency"], nil),
            (["transaction", "currency"], "usd"),
            (["transaction", "currency"], "XXQ"), (["transaction", "country"], "usa"),
            (["transaction", "country"], "us"),
            (["urls"], nil), (["urls", "success"], "javascript:alert(1)"), (["urls", "fail"], "a\r\nSet-Cookie: a=b"),
            (["payment", "client"], ["tv"]), (["payment", "client"], "desktop"), (["payment", "expiry"], "soon"),
        ] as [([String], JSONValue?)])
    func refusesIncompleteOrders(_ path: [String], _ value: JSONValue?) async throws {
        let world = CitconWorld()
        var order = CitconWorld.order("r")
        if path.count == 1 { order[path[0]] = value } else { order[path[0]]?[path[1]] = value }
        #expect(try await world.call("charges", order).rejection == "400 4000: bad request")
        #expect(await world.sandbox.ledger.entries.isEmpty)
        // Nothing was used up.
        #expect(try await world.call("charges", CitconWorld.order("r")).status == 200)
    }

    @Test("Unknown methods have no gateway")
    func unknownMethodsHaveNoGateway() async throws {
        let order = CitconWorld.order("r", method: "bkash")
        #expect(try await CitconWorld().call("charges", order).rejection == "500 5200: gateway not support")
    }

    @Test("The earlier service speaks in milliseconds")
    func earlierServiceSpeaksInMilliseconds() async throws {
        let world = CitconWorld { $0.layer = .early }
        let answer = try await world.call("charges", CitconWorld.order("r"))
        #expect(answer.json["version"] == "v0.1.1")
        let data = try #require(answer.json["data"])
        #expect(data["time_created"] == 1_789_000_000_000)
        #expect(data["id"]?.string?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(data["amount_captured"]?.isNull == true && data["amount_refunded"]?.isNull == true)
        let key = CitconSandbox.privateKey.reveal()
        let token = try await world.send(.post, "/v1/access-tokens", ["token_type": "client"], bearer: key)
        #expect(token.json["data"]?["expiry"] == 1_789_086_400_000)
    }

    // MARK: 2.5

    @Test("Confirms with all that is known")
    func confirmsWithAllThatIsKnown() async throws {
        let (world, charge) = await CitconWorld.charged(.paidAtConfirm)
        let answer = try await world.call("charges/\(charge.token)", ["payment": ["method": "grabpay"]])
        #expect(
            answer.keys == [
                "object", "charge_token", "id", "reference", "amount", "amount_captured", "amount_refunded", "currency",
                "time_created", "time_captured", "auto_capture", "status", "country", "payment",
            ])
        #expect(answer.json["data"]?["status"] == "succeeded")
        #expect(answer.json["data"]?["amount_captured"] == 1250)
        #expect(answer.entries == [])
        let again = try await world.call("charges/\(charge.token)", ["payment": ["method": "grabpay"]])
        #expect(again.rejection == "400 4000: bad request")
        #expect(await world.captures(charge.id) == 1)
        #expect(await world.sandbox.ledger.confirmRequests(of: charge.id) == 2)
    }

    @Test("Confirmations must fit the charge")
    func confirmationsMustFitTheCharge() async throws {
        let (world, charge) = await CitconWorld.charged(.alipay)
        func confirm(_ transaction: JSONValue) async throws -> String {
            let body: JSONValue = ["payment": ["method": "alipay"], "transaction": transaction]
            return try await world.call("charges/\(charge.token)", body).rejection
        }
        for transaction: JSONValue in [
            ["reference": "other"], ["amount": 1], ["amount": 1251], ["currency": "EUR"], ["country": "DE"],
            ["reference": 5],
        ] {
            #expect(try await confirm(transaction) == "400 4000: bad request")
        }
        #expect(
            try await confirm(["reference": .string(charge.reference), "amount": 1250, "currency": "USD"]) == "200")
        #expect(try await world.call("charges/00", ["payment": [:]]).rejection == "404 4103: not found")
    }

    @Test("Charges without a method learn it later")
    func chargesWithoutMethodLearnItLater() async throws {
        let world = CitconWorld()
        let created = try await world.call("charges", CitconWorld.order("r", method: nil))
        #expect(created.json["data"]?["payment"]?["method"] == nil)
        let token = try #require(created.json["data"]?["charge_token"]?.string)
        #expect(try await world.call("charges/\(token)", [:]).rejection == "400 4000: bad request")
        let body: JSONValue = ["payment": ["method": "upop", "client": ["mobile_native"]]]
        let answer = try await world.call("charges/\(token)", body)
        #expect(answer.entries == ["mobile_native/json"])
        let content = try JSONValue(parsing: Array(try #require(answer.content).utf8))
        #expect(content["tn"]?.string?.wholeMatch(of: /[0-9]{21}/) != nil)
    }

    @Test(
        "Charges cards",
        arguments: [
            (["nonce": "fake-valid-nonce", "indicator": "braintree"] as JSONValue, "succeeded"),
            (["nonce": "fake-processor-declined-visa-nonce", "indicator": "braintree"], "failed"),
            (["data": ["pan": "4111111111111111", "cvv": "123", "expiry": "12/33"]], "succeeded"),
            (["data": ["pan": "4000000000000002", "cvv": "123", "expiry": "12/33"]], "failed"),
            (["nonce": "fake-consumed-nonce", "indicator": "braintree"], "initiated"),
            (["nonce": "tokencc_1", "indicator": "braintree"], "initiated"),
            (["nonce": "fake-valid-nonce"], "initiated"),
            (["data": ["pan": "4111111111111112", "cvv": "123", "expiry": "12/33"]], "initiated"),
            (["data": ["pan": "4111111111111111", "cvv": "x", "expiry": "12/33"]], "initiated"),
            (["client": ["mobile_native"]], "initiated"),
        ] as [(JSONValue, String)])
    func chargesCards(_ payment: JSONValue, _ state: String) async throws {
        let (world, charge) = await CitconWorld.charged(.card)
        var payment = payment
        payment["method"] = "card"
        let answer = try await world.call("charges/\(charge.token)", ["payment": payment])
        #expect(answer.status == (state == "initiated" ? 400 : 200))
        #expect(try await world.state(charge.id) == state)
        #expect(await world.captures(charge.id) == (state == "succeeded" ? 1 : 0))
    }

    @Test("Cards without proof are refused where it is needed")
    func cardsWithoutProofAreRefusedWhereItIsNeeded() async throws {
        for (nonce, state) in [
            ("fake-valid-nonce", "failed"), ("fake-three-d-secure-visa-full-authentication-nonce", "succeeded"),
        ] {
            let (world, charge) = await CitconWorld.charged(.cardWithProof)
            let payment: JSONValue = ["method": "card", "nonce": .string(nonce), "indicator": "braintree"]
            #expect(try await world.call("charges/\(charge.token)", ["payment": payment]).status == 200)
            #expect(try await world.state(charge.id) == state)
        }
    }

    // MARK: 2.6

    @Test("Reports the results of charges")
    func tellsWhatBecameOfCharges() async throws {
        let (world, charge) = await CitconWorld.charged(.payPal)
        let byID = try await world.call("transactions/\(charge.id)", as: "client")
        let byReference = try await world.call("transactions/\(charge.reference)?type=reference", as: "client")
        #expect(byID.text == byReference.text)
        #expect(
            byID.keys == [
                "id", "object", "amount", "currency", "status", "time_canceled", "expiry", "time_created", "country",
                "reference", "amount_captured", "amount_refunded", "time_captured", "auto_capture", "payment",
                "exchange", "captures", "refunds", "chargebacks",
            ])
        #expect(
            byID.text.contains(#""payment":{"method":"paypal","token":null,"type":"","data":{"pan":"","expiry":""}}"#))
        #expect(byID.json["data"]?["time_canceled"] == "")
        for path in [charge.reference, charge.token, "\(charge.id)?type=reference", "\(charge.id)0"] {
            #expect(try await world.call("transactions/\(path)").rejection == "404 4103: not found")
        }
        #expect(try await world.call("transactions/\(charge.id)?type=id").rejection == "400 4000: bad request")
    }

    @Test(
        "Charges expire",
        arguments: [
            (JSONValue.number(JSONNumber(1_789_000_060)), 60), (.number(JSONNumber(1_789_000_060_000)), 60),
            (.number(JSONNumber(60000)), 60), (nil, 7200),
        ])
    func chargesExpire(_ expiry: JSONValue, _ seconds: Int) async throws {
        let world = CitconWorld()
        var order = CitconWorld.order("r")
        order["payment"]?["expiry"] = expiry
        let data = try #require(try await world.call("charges", order).json["data"])
        let id = try #require(data["id"]?.string)
        world.clock.advance(by: .seconds(seconds - 1))
        #expect(try await world.state(id) == "initiated")
        world.clock.advance(by: .seconds(1))
        #expect(try await world.state(id) == "expired")
        let token = try #require(data["charge_token"]?.string)
        #expect(try await world.call("charges/\(token)", ["payment": [:]]).rejection == "400 4000: bad request")
        #expect(await world.events(id) == [.created, .expired, .confirmRequested])
    }

    @Test("Pending ends in failure")
    func pendingEndsInFailure() async throws {
        let (world, charge) = await CitconWorld.charged(.pending)
        _ = try await CitconFullPayer(world: world).pay(charge.link)
        world.clock.advance(by: .seconds(599))
        #expect(try await world.state(charge.id) == "pending")
        world.clock.advance(by: .seconds(1))
        #expect(try await world.state(charge.id) == "failed")
    }
}
