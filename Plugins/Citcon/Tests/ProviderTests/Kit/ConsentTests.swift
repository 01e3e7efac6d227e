import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Gateways with a separate library: Cash App, PayPal, Klarna (Protocol 3.2, 3.3 and 4.3).
@Suite struct ConsentTests {
    /// A service whose charge waits until it is confirmed with consent.
    private static func service(_ gateway: String, _ config: String) -> ScriptedCitcon {
        ScriptedCitcon { call, _ in
            if call == "POST config" { return .ok(#"{"gateway":"\#(gateway)","config":\#(config)}"#) }
            if call.hasPrefix("POST charges/") { return .ok(ScriptedCitcon.charge("", status: "succeeded")) }
            return ScriptedCitcon.waiting
        }
    }

    private static func body(_ service: ScriptedCitcon) -> JSONValue? {
        service.seen.first { $0.call.hasPrefix("POST charges/") }?.body
    }

    // MARK: Cash App

    @Test("Cash App's library learns whether it is for once, and for whom", arguments: [true, false])
    func cashAppRequest(_ isOnFile: Bool) async throws {
        let service = Self.service("cashapp", #"{"client_id":"CAS","brand_id":"B","merchant_id":"M"}"#)
        let heard = Heard()
        let order = Shop.order("cashapppay")
        order.payment?.requestToken = isOnFile
        order.consumer = CPayConsumer()
        order.consumer?.reference = "customer-7"
        let client = try CPayClient(service) { launch in
            guard case .consent(let request) = launch else { return .opened }
            let payload = request.payload.reveal()
            heard.add(
                [payload["client_id"], payload["scope_id"], payload["on_file"]].map { $0 ?? "-" }.joined(separator: " ")
            )
            #expect(request.returnURLs.first == "\(Shop.scheme)://cashapp")
            return .returned(
                url: "\(Shop.scheme)://cashapp?grant_id=G1&expiry=1700000000&consumer_id=C1&cashtag=%24ada")
        }
        #expect(await client.requestOrder(order).isPaid)
        #expect(heard.all == ["CAS B \(isOnFile)"])
        let gateway = Self.body(service)?["ext"]?["gateway"]
        #expect(gateway?["grant"] == ["grant_id": "G1", "expiry": "1700000000"])
        #expect(gateway?["consumer"] == ["consumer_id": "C1", "cashtag": "$ada"])
    }

    @Test("A grant alone is enough, and what the order says of the payer stays")
    func grantAlone() async throws {
        let service = Self.service("cashapp", #"{"client_id":"CAS"}"#)
        let order = Shop.order("cashapppay")
        order.ext = CPayExt()
        order.ext?.gateway = CPayExtGateway()
        order.ext?.gateway?.consumer = CPayExtGatewayConsumer()
        order.ext?.gateway?.consumer?.cashtag = "$own"
        let client = try CPayClient(service) { _ in .returned(url: "\(Shop.scheme)://cashapp?grant_id=G1") }
        #expect(await client.requestOrder(order).isPaid)
        let gateway = Self.body(service)?["ext"]?["gateway"]
        #expect(gateway?["grant"] == ["grant_id": "G1"] && gateway?["consumer"] == ["cashtag": "$own"])
    }

    @Test(
        "Without the merchant's client nothing is started and nothing confirmed",
        arguments: [
            ("cashapp", "cashapppay", "{}", CPayMessage.noCashAppKeys),
            ("cashapp", "cashapppay", #"{"client_id":""}"#, CPayMessage.noCashAppKeys),
            ("ppcp", "paypal", "{}", ".paypalClientId Can not be empty for PayPal"),
        ])
    func noKeys(_ gateway: String, _ method: String, _ config: String, _ message: String) async throws {
        let service = Self.service(gateway, config)
        let client = try CPayClient(service) { _ in
            Issue.record("nothing is to be started")
            return .opened
        }
        let result = await client.requestOrder(Shop.order(method))
        #expect(result.data.code == "-1" && result.data.message == message)
        #expect(Self.body(service) == nil)
    }

    @Test("A stored account needs no consent", arguments: ["cashapp", "ppcp", "braintree"])
    func stored(_ gateway: String) async throws {
        let service = Self.service(gateway, "{}")
        let order = Shop.order(gateway == "cashapp" ? "cashapppay" : "paypal")
        order.consumer = CPayConsumer()
        order.consumer?.reference = "customer-7"
        order.payment?.token = "637f1c2a9d3e4b5f60718293"
        #expect(await (try CPayClient(service)).requestOrder(order).isPaid)
        #expect(Self.body(service)?["payment"]?["token"] == "637f1c2a9d3e4b5f60718293")
    }

    // MARK: PayPal

    @Test("PayPal's approval goes with the confirmation; the application's client goes before the service's")
    func payPal() async throws {
        for (own, config, expected) in [
            (nil, #"{"client_id":"theirs"}"#, "theirs"), ("mine", #"{"client_id":"theirs"}"#, "mine"),
            ("mine", "{}", "mine"),
        ] as [(String?, String, String)] {
            let service = Self.service("ppcp", config)
            let order = Shop.order("paypal")
            order.paypalClientId = own
            let heard = Heard()
            let client = try CPayClient(service) { launch in
                guard case .consent(let request) = launch else { return .opened }
                heard.add("\(request.name) \(request.payload.reveal()["client_id"] ?? "-")")
                return .returned(
                    url: "sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout?token=5O1&PayerID=P9")
            }
            #expect(await client.requestOrder(order).isPaid)
            #expect(heard.all == ["PayPal \(expected)"])
            #expect(Self.body(service)?["ext"]?["gateway"] == ["order_id": "5O1", "order_payer_id": "P9"])
            #expect(Self.body(service)?["payment"]?["nonce"] == nil)
        }
    }

    @Test("Only the session that PayPal was opened in brings its approval")
    func payPalFromElsewhere() async throws {
        let service = Self.service("ppcp", #"{"client_id":"theirs"}"#)
        let heard = Heard()
        let client = try CPayClient(service) { _ in
            heard.add("started")
            return .opened
        }
        client.requestOrder(Shop.order("paypal")) { heard.result($0) }
        _ = await heard.first(1)
        while client.pendingReferences.isEmpty { await Task.yield() }
        client.handleUrl("sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout?token=evil&PayerID=P9")
        client.cancelPending()
        #expect(await heard.first(2).last == "result fail -2 -")
        #expect(Self.body(service) == nil)
        #expect(!Shop.places.patterns.contains { "\($0)".contains("sdk.ios.paypal") })
    }

    @Test("PayPal's own gateway at the sandbox, through both faces")
    func payPalAtTheSandbox() async throws {
        let world = try MerchantWorld()
        for isRouter in [true, false] {
            var made = try MerchantWorld.order("order-\(isRouter)")
            made.method = "paylater"
            made.clients = []
            let charge = try await world.client.createCharge(made)
            if isRouter {
                let link = try #require(try charge.link(in: .UAT)).text.reveal()
                #expect(try await world.phone().pay(link, as: world.sandbox.payer()).receipt != nil, "not paid")
            } else {
                let client = try CPayClient(
                    world.wire, launcher: world.sandbox.payer().citconLauncher,
                    token: await world.sandbox.accessToken().reveal())
                let order = Shop.order(
                    "paylater", reference: charge.reference.id, token: try #require(charge.token).reveal())
                #expect(await client.requestOrder(order).isPaid)
            }
            #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
        }
    }

    // MARK: Klarna

    @Test("An order that asks for a page is paid on one", arguments: ["mobile_browser", "desktop", "format"])
    func klarna(_ wish: String) async throws {
        let service = ScriptedCitcon(
            gateway: "klarna", confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect")))
        let order = Shop.order("klarna")
        if wish == "format" { order.payment?.format = "redirect" } else { order.payment?.client = [wish] }
        let heard = Heard()
        let client = try CPayClient(service) { launch in
            guard case .page(let page) = launch else { return .opened }
            heard.add(page.url.text)
            return .returned(url: "\(Shop.scheme)://")
        }
        #expect(await client.requestOrder(order).isPaid)
        #expect(heard.all == ["https://x.example/"])
        let payment = Self.body(service)?["payment"]
        #expect(payment?["client"] == ["mobile_browser"] && payment?["format"] == "redirect")
    }

    @Test("Where the service has no page, no payer is sent anywhere, and the message says that the charge waits")
    func klarnaWithoutPage() async throws {
        let payload = #"{"client_token":"eyJ","session_id":"s","payment_method_categories":[]}"#
        let service = ScriptedCitcon(
            gateway: "klarna", confirm: .ok(ScriptedCitcon.charge(payload)), inquiry: ScriptedCitcon.waiting)
        let order = Shop.order("klarna")
        order.payment?.client = ["mobile_browser"]
        let client = try CPayClient(service) { _ in
            Issue.record("nothing is to be started")
            return .opened
        }
        let result = await client.requestOrder(order)
        #expect(!result.isPaid && result.data.message == CPayMessage.unsupportedFormat)
        #expect(!"\(result)".contains("eyJ"))
    }
}
