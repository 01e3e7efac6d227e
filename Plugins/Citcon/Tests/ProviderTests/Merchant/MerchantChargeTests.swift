import CitconKit
import CitconMerchant
import CitconProvider
import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// Creation of charges on a merchant's server, and its access tokens.
@Suite struct MerchantChargeTests {
    // MARK: Access tokens (Protocol 1.2, 1.3)

    @Test("Only the token call sees the private key")
    func onlyTheTokenCallSeesThePrivateKey() async throws {
        let world = try MerchantWorld()
        _ = try await world.charge()
        _ = try await world.charge("order-2")
        let key = "Bearer " + CitconSandbox.privateKey.reveal()
        #expect(world.wire.credentials.map(\.path) == ["/v1/access-tokens", "/v1/charges", "/v1/charges"])
        #expect(world.wire.credentials.map { $0.authorization == key } == [true, false, false])
        #expect(world.wire.credentials.dropFirst().allSatisfy { $0.authorization.hasPrefix("Bearer UPI_") })
        let text = shown(world.merchant)
        #expect(!text.contains(CitconSandbox.privateKey.reveal()) && !text.contains("UPI_"))
    }

    @Test("Tokens are kept until they expire", arguments: CitconSandbox.Layer.allCases)
    func tokensAreKeptUntilTheyExpire(_ layer: CitconSandbox.Layer) async throws {
        let world = try MerchantWorld { $0.layer = layer }
        _ = try await world.charge("a")
        world.clock.advance(by: .seconds(24 * 3600 - 1))
        _ = try await world.charge("b")
        #expect(world.posts("access-tokens") == 1)
        world.clock.advance(by: .seconds(1))
        _ = try await world.charge("c")
        _ = try await world.charge("d")
        #expect(world.posts("access-tokens") == 2)
        // No expired token was used.
        #expect(world.posts("charges") == 4)
    }

    @Test("Refused tokens are replaced once")
    func refusedTokensAreReplacedOnce() async throws {
        let world = try MerchantWorld()
        let refusal = #"{"status":"fail","data":{"code":"4010","message":"unauthorized"}}"#
        world.faults.inject(.status(401, body: refusal)) { $1 == "/v1/charges" }
        #expect(try await world.charge().token != nil)
        #expect(world.posts("access-tokens") == 2 && world.posts("charges") == 2)
        world.faults.inject(.status(401, body: refusal), times: 2) { $1 == "/v1/charges" }
        let error = await failure { _ = try await world.charge("order-2") }
        #expect(error?.code == .unauthorized && error?.phase == .answered && error?.vendorCode == "4010")
        #expect(world.posts("charges") == 4)
    }

    /// A token for an app can pay, and cannot refund (Protocol 1.3).
    @Test("Apps get separate tokens", arguments: CitconSandbox.Layer.allCases)
    func appsGetTokensOfTheirOwn(_ layer: CitconSandbox.Layer) async throws {
        let world = try MerchantWorld { $0.layer = layer }
        let charge = try await world.charge()
        let app = try await world.client.appToken()
        #expect(app.expiry == world.clock.now + 24 * 3600)
        #expect(try await world.client.appToken() == app, "the same while it is good")
        #expect(!"\(app)".contains("UPI_"))
        let body = #"{"id":"\#(charge.id)","reference":"refund-1","amount":1}"#
        for (path, status) in [("refunds", 401), ("transactions/\(charge.id)", 200)] {
            let request = HTTPRequest(
                status == 401 ? .post : .get, try HTTPURL("https://api.sandbox.citconpay.com/v1/\(path)"),
                headers: ["Authorization": "Bearer \(app.token.reveal())", "Content-Type": "application/json"],
                body: status == 401 ? Array(body.utf8) : [])
            #expect(try await world.wire.send(request).status == status)
        }
        #expect(world.wire.credentials.count { $0.authorization.contains("sk-") } == 3)
    }

    @Test("Wrong keys are refused")
    func wrongKeysAreRefused() async throws {
        let world = try MerchantWorld { $0.privateKey = Redacted("sk-other") }
        let error = await failure { _ = try await world.charge() }
        #expect(error?.code == .unauthorized && error?.phase == .answered)
        #expect(error?.message.contains("private key") == true)
        #expect(world.posts("charges") == 0)
    }

    // MARK: Charges (Protocol 2.4, 2.8)

    @Test("Makes the charge that was ordered")
    func makesTheChargeThatWasOrdered() async throws {
        let world = try MerchantWorld()
        var order = try MerchantWorld.order()
        order.autoCapture = false
        order.note = "two coffees"
        order.consumer = Redacted("customer-7")
        order.isForMainlandChina = true
        order.urls = CitconOrder.URLs(
            ipn: "https://shop.example/ipn", success: "https://shop.example/paid", fail: "https://shop.example/failed",
            cancel: "https://shop.example/cancelled")
        let charge = try await world.client.createCharge(order)
        let sent = try JSONValue(parsing: try #require(world.faults.requests.last).body)
        #expect(
            sent == [
                "transaction": [
                    "reference": "order-1", "amount": 1250, "currency": "USD", "country": "US", "auto_capture": false,
                    "note": "two coffees", "country_accelerator": "CN",
                ],
                "payment": ["method": "alipay", "client": ["mobile_browser"]],
                "consumer": ["reference": "customer-7"],
                "urls": [
                    "ipn": "https://shop.example/ipn", "success": "https://shop.example/paid",
                    "fail": "https://shop.example/failed", "cancel": "https://shop.example/cancelled",
                ],
            ])
        #expect(charge.reference == PaymentReference(provider: "citcon-merchant", id: "order-1"))
        #expect(charge.token?.reveal().count == 32)
        #expect(charge.amount == order.amount && charge.status == .initiated)
        #expect(charge.pages.map(\.format) == ["redirect"])
        #expect(!"\(charge)".contains(try #require(charge.token).reveal()))
    }

    @Test("Sends no more than was ordered")
    func sendsNoMoreThanWasOrdered() async throws {
        let world = try MerchantWorld()
        let order = CitconOrder(reference: "order-1", amount: try Money(minorUnits: 1, currency: .usd), country: "US")
        _ = try await world.client.createCharge(order)
        let sent = try JSONValue(parsing: try #require(world.faults.requests.last).body)
        #expect(
            sent == [
                "transaction": ["reference": "order-1", "amount": 1, "currency": "USD", "country": "US"], "urls": [:],
            ])
    }

    @Test("Lost answers are settled by asking")
    func lostAnswersAreSettledByAsking() async throws {
        let world = try MerchantWorld()
        world.faults.inject(.dropAfter) { $1 == "/v1/charges" }
        let charge = try await world.charge()
        // Only the lost answer had the token.
        #expect(charge.token == nil)
        #expect(await world.events(charge.id) == [.created])
        #expect(world.posts("charges") == 1)
        #expect(world.faults.requests.last?.path == "/v1/transactions/order-1")
        #expect(world.faults.requests.last?.query == "type=reference")
    }

    @Test(
        "Never sends an order twice",
        arguments: [
            FaultInjector.Fault.dropBefore, .status(508, body: #"{"status":"fail","data":{"code":"4105"}}"#), .garbage,
            .status(200, body: #"{"status":"perhaps","data":{}}"#),
        ])
    func neverSendsAnOrderTwice(_ fault: FaultInjector.Fault) async throws {
        let world = try MerchantWorld()
        world.faults.inject(fault) { $1 == "/v1/charges" }
        let error = await failure { _ = try await world.charge() }
        #expect(error?.phase == .maybeSent)
        #expect(world.posts("charges") == 1)
        #expect(try await world.client.charge(for: try MerchantWorld.order()) == nil)
    }

    @Test("A failure to get a token makes no charge")
    func noToken() async throws {
        let world = try MerchantWorld()
        world.faults.inject(.dropBefore) { $1 == "/v1/access-tokens" }
        let error = await failure { _ = try await world.charge() }
        #expect(error != nil && error?.phase != .maybeSent)
        #expect(world.posts("charges") == 0)
    }

    @Test("Used references are refused")
    func usedReferencesAreRefused() async throws {
        let world = try MerchantWorld()
        _ = try await world.charge()
        let error = await failure { _ = try await world.charge() }
        #expect(error?.code == .requestRefused && error?.vendorCode == "4100" && error?.phase == .answered)
        #expect(error?.message.contains("reference") == true)
        #expect(world.posts("charges") == 2)
    }

    @Test("Charges other than the ordered one are not accepted")
    func otherChargesThanOrderedAreNotAccepted() async throws {
        let world = try MerchantWorld()
        _ = try await world.charge()
        let other = try MerchantWorld.order("order-1", cents: 1)
        #expect(await failure { _ = try await world.client.charge(for: other) }?.code == .integrity)
        for (id, reference, amount, code) in [
            ("1", "order-2", 1, .integrity), ("1", "order-1", 1250, .integrity),
            ("", "order-2", 1250, .invalidResponse), ("1", "order-2", nil, .invalidResponse),
        ] as [(String, String, JSONValue, PaymentError.Code)] {
            world.answer(
                "charges",
                [
                    "id": .string(id), "reference": .string(reference), "amount": amount, "currency": "USD",
                    "charge_token": "t", "status": "initiated",
                ])
            let error = await failure { _ = try await world.charge("order-2") }
            #expect(error?.code == code && error?.phase == .maybeSent, "\(id) \(reference) \(amount)")
        }
    }

    @Test("Every country of two capital letters is sent", arguments: ["AZ", "ZA"])
    func countries(_ country: String) async throws {
        let world = try MerchantWorld()
        var order = try MerchantWorld.order()
        order.country = country
        #expect(try await world.client.createCharge(order).country == country)
    }

    @Test(
        "Unfit references are not sent",
        arguments: [
            "", "a&b", "é", ".", "..", "refund-1", "cancel-1", "capture-1", "landing:1", "a\nb", "a\u{7F}",
            String(repeating: "a", count: 129),
        ])
    func unfitReferencesAreNotSent(_ reference: String) async throws {
        let world = try MerchantWorld()
        let error = await failure { _ = try await world.charge(reference) }
        #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        #expect(world.faults.requests.isEmpty)
    }

    @Test("Unfit amounts and countries are not sent")
    func unfitAmountsAndCountriesAreNotSent() async throws {
        let world = try MerchantWorld()
        var orders = [try MerchantWorld.order(cents: 0), try MerchantWorld.order(cents: UInt128(UInt64.max))]
        for index in orders.indices { orders[index].reference = "a\(index)" }
        for country in ["us", "USA", "U", "Us", "@S", "[S", "\u{C4}", ""] {
            var abroad = try MerchantWorld.order()
            abroad.country = country
            orders.append(abroad)
        }
        var fine = try MerchantWorld.order()
        fine.amount = try Money(minorUnits: 125_000, currency: .usd, exponent: 4)
        for order in orders + [fine] {
            #expect(await failure { _ = try await world.client.createCharge(order) }?.code == .requestRefused)
        }
        #expect(world.faults.requests.isEmpty)
    }

    @Test("A merchant pays nothing itself")
    func paysNothingItself() async throws {
        let world = try MerchantWorld()
        let link = await world.sandbox.createCharge().link
        guard case .unroutable = world.router.route(link) else {
            Issue.record("the merchant's side claims a payer's link")
            return
        }
    }

    /// From the merchant's order to the merchant's records: an app pays the link, a notification reports it.
    @Test("Payments of apps are reported to the merchant", arguments: ["alipay", "wechatpay", "toss", "card"])
    func whatAppsPayIsToldToTheMerchant(_ method: String) async throws {
        let world = try MerchantWorld()
        var order = try MerchantWorld.order("order 7:a")
        order.method = nil
        order.clients = []
        let charge = try await world.client.createCharge(order)
        #expect(try charge.link(in: .UAT) == nil)
        let link = try #require(try charge.link(in: .UAT, method: method))
        let app = CitconProvider(
            configuration: CitconConfiguration(
                endpoint: try CPayEndpoint(.UAT), accessToken: await world.sandbox.accessToken(),
                application: .init(
                    scheme: "com.citcon.citconpay", universalLink: "https://shop.example/apps/",
                    places: CPayReturnPlaces(
                        weChatAppIDs: ["wxeb0650d489d69e14"], bundleIDs: ["com.citcon.citconpay"],
                        pages: ["https://shop.example/paid"]))))
        let phone = try world.router(of: app, journal: InMemoryJournal())
        let outcome = try await phone.pay(link.text.reveal(), as: world.sandbox.payer())
        let receipt = try #require(outcome.receipt)
        #expect(receipt.reference.id == "uat/order 7:a" && receipt.amount == charge.amount)
        #expect(receipt.transactionID == charge.id)
        let notification = try await world.lastNotification()
        try notification.check(against: charge)
        #expect(notification.report == world.receipt(charge) && notification.method == method)
    }
}
