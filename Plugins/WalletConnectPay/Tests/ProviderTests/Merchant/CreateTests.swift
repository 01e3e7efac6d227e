import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// Creation of payments (Protocol 3).
@Suite struct CreateTests {
    @Test("Makes the payment that was ordered")
    func makes() async throws {
        let world = try ShopWorld()
        let end = world.clock.now.addingTimeInterval(900.9)
        let order = Shop.Order(
            reference: "ORDER 7/a", amount: ShopWorld.price, expiresAt: end, returns: ShopWorld.returns,
            idempotencyKey: "key-7")
        let payment = try await world.client.createPayment(order)
        let sent = try #require(world.wire.requests.last)
        #expect(
            try JSONValue(parsing: sent.body) == [
                "referenceId": "ORDER 7/a", "amount": ["unit": "iso4217/USD", "value": "1250"],
                "expiresAt": 1_800_000_900,
                "checkout": [
                    "successUrl": "https://shop.example/thanks", "errorUrl": "https://shop.example/sorry",
                ],
            ])
        #expect(sent.headers["Idempotency-Key"] == "key-7" && sent.replay == .safe)
        #expect(payment.reference.provider == Shop.id && payment.rawStatus == "requires_action")
        #expect(payment.link == "https://pay.walletconnect.com/?pid=\(payment.reference.id)")
        #expect(payment.expiresAt == Date(timeIntervalSince1970: 1_800_000_900))
        // The default is five minutes.
        #expect(try await world.payment().expiresAt == Date(timeIntervalSince1970: 1_800_000_300))
    }

    @Test("Money without smaller units is sent as it is counted")
    func yen() async throws {
        let world = try ShopWorld()
        let price = try Money(minorUnits: 5000, currency: .fiat(FiatCurrency("JPY")))
        _ = try await world.client.createPayment(ShopWorld.order("YEN-1", price))
        let sent = try JSONValue(parsing: try #require(world.wire.requests.last).body)
        #expect(sent["amount"] == ["unit": "iso4217/JPY", "value": "5000"])
        #expect(try await world.client.payments().payments.first?.price == price)
    }

    @Test("Ordered twice, it is made once")
    func once() async throws {
        let world = try ShopWorld()
        let first = try await world.payment()
        #expect(try await world.payment() == first)
        #expect(await world.sandbox.ledger.entries.count == 1)
        // Another order under the key is refused, and certainly not created.
        var other = ShopWorld.order()
        other.amount = try Money(minorUnits: 1251, currency: .usd)
        let error = await failure { _ = try await world.client.createPayment(other) }
        #expect(error?.vendorCode == "idempotency_conflict" && error?.phase == .answered)
        #expect(error?.code == .requestRefused && error?.message.contains("key") == true)
        #expect(await world.sandbox.ledger.entries.count == 1)
    }

    @Test(
        "A lost answer is got back by the same request under the same key",
        arguments: [
            FaultInjector.Fault.dropAfter, .garbage, .status(201, body: "{}"), .status(202, body: "{}"), .status(408),
            .status(500), .status(502),
        ])
    func lostAnswer(_ fault: FaultInjector.Fault) async throws {
        let world = try ShopWorld()
        world.faults.inject(fault) { $1 == "/v1/payments" }
        let payment = try await world.payment()
        #expect(await world.events(payment.reference.id) == [.created])
        let sent = world.wire.requests
        #expect(sent.count == 2 && sent[0].body == sent[1].body)
        #expect(sent.allSatisfy { $0.headers["Idempotency-Key"] == "ORDER-1" })
        #expect(await world.sandbox.ledger.entries.count == 1)
    }

    @Test("A refused order is not sent again", arguments: [307, 400, 404, 429, 600])
    func refusedOnce(_ status: Int) async throws {
        let world = try ShopWorld()
        world.faults.inject(.status(status)) { $1 == "/v1/payments" }
        let error = await failure { _ = try await world.payment() }
        #expect(error?.phase == ([400, 404].contains(status) ? .answered : .maybeSent))
        #expect(world.wire.requests.count == 1)
    }

    @Test(
        "An order that was not sent, or was cancelled, is not sent again",
        arguments: [(TransportError.Phase.notSent, TransportError.Reason.hostNotFound), (.maybeSent, .cancelled)])
    func unsentOnce(_ phase: TransportError.Phase, _ reason: TransportError.Reason) async throws {
        let world = try ShopWorld()
        let wire = RecordingTransport(result: .failure(TransportError(phase, reason, origin: "https://api.example")))
        let client = world.merchant.client(over: wire, clock: world.clock)
        let error = await failure { _ = try await client.createPayment(ShopWorld.order()) }
        #expect(error?.phase == (phase == .notSent ? .beforeSend : .maybeSent))
        #expect(wire.requests.count == 1)
    }

    @Test(
        "Where no answer comes at all, it says that there may be a payment",
        arguments: [
            FaultInjector.Fault.dropBefore, .dropAfter, .garbage, .status(500), .status(502),
        ])
    func noAnswer(_ fault: FaultInjector.Fault) async throws {
        let world = try ShopWorld()
        world.faults.inject(fault, times: 2) { $1 == "/v1/payments" }
        let error = await failure { _ = try await world.payment() }
        #expect(error?.phase == .maybeSent, "\(String(describing: error))")
        // The same order finds or creates it.
        let payment = try await world.payment()
        #expect(await world.sandbox.ledger.entries.count == 1)
        #expect(await world.events(payment.reference.id) == [.created])
    }

    @Test("A refusal after a lost answer says nothing of what was lost")
    func refusedAfterLoss() async throws {
        let world = try ShopWorld()
        world.faults.inject(.dropAfter) { $1 == "/v1/payments" }
        world.lie("/v1/payments", ["code": "rate_limited", "message": "m"], status: 429)
        #expect(await failure { _ = try await world.payment() }?.phase == .maybeSent)
        world.faults.inject(.dropBefore) { $1 == "/v1/payments" }
        world.lie("/v1/payments", ["code": "params_validation", "message": "m"], status: 400)
        let second = await failure { _ = try await world.payment("ORDER-2") }
        #expect(
            second?.phase == .maybeSent
                && second?.message.hasSuffix("it was sent before, and that may have arrived") == true)
        // In a merchant's terms, not in a wallet's.
        world.faults.inject(.dropBefore) { $1 == "/v1/payments" }
        world.lie("/v1/payments", ["code": "merchant_not_found", "message": "m"], status: 404)
        #expect(await failure { _ = try await world.payment("ORDER-3") }?.message.contains("this merchant") == true)
    }

    /// The service's answer decides what a buyer sees.
    @Test(
        "A payment whose link leads elsewhere is not handed out",
        arguments: [
            "https://pay.walletconnect.com/?pid=pay_other", "https://pay.walletconnect.com.evil.example/?pid=pay_made1",
            "https://evil.example/?pid=pay_made1", "http://pay.walletconnect.com/?pid=pay_made1", "pay_made1",
            "https://pay.walletconnect.com/?pid=pay_made1&pid=pay_other", "",
            "https://pay.walletconnect.com@evil.example/?pid=pay_made1",
        ])
    func foreignLinks(_ link: String) async throws {
        let world = try ShopWorld()
        world.lie("/v1/payments", Self.answer(link: link), status: 201)
        let error = await failure { _ = try await world.payment() }
        #expect(error?.code == .integrity && error?.phase == .maybeSent)
    }

    @Test(
        "A payment with an id that no call takes is not handed out",
        arguments: ["", "pay_", "order-1", "pay_a/../b", "pay_a-1"])
    func foreignIDs(_ id: String) async throws {
        let world = try ShopWorld()
        world.lie(
            "/v1/payments", Self.answer(id: id, link: "https://pay.walletconnect.com/?pid=\(id)"), status: 201)
        #expect(await failure { _ = try await world.payment() }?.code == .integrity)
    }

    private static func answer(
        id: String = "pay_made1", link: String = "https://pay.walletconnect.com/?pid=pay_made1"
    ) -> JSONValue {
        [
            "paymentId": .string(id), "status": "requires_action", "expiresAt": 1_800_000_300, "isFinal": false,
            "gatewayUrl": .string(link),
        ]
    }

    @Test("An answer that is as it should be is handed out")
    func soundAnswer() async throws {
        let world = try ShopWorld()
        world.lie("/v1/payments", Self.answer(), status: 201)
        #expect(try await world.payment().reference.id == "pay_made1")
    }

    @Test(
        "Orders that do not fit are not sent",
        arguments: ["", "AB", "ORDER_1", "é-1", String(repeating: "A", count: 36), "OR\nDER"])
    func unfitReferences(_ reference: String) async throws {
        let world = try ShopWorld()
        let error = await failure { _ = try await world.payment(reference) }
        #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        #expect(world.faults.requests.isEmpty)
    }

    @Test("Prices, ends and keys that do not fit are not sent")
    func unfitOrders() async throws {
        let world = try ShopWorld()
        let usdc = try AssetID("eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        var orders = [
            ShopWorld.order("ORDER-1", try Money(minorUnits: 0, currency: .usd)),
            ShopWorld.order("ORDER-2", try Money(minorUnits: 125_000, currency: .usd, exponent: 4)),
            ShopWorld.order("ORDER-3", try Money(minorUnits: 1, currency: .asset(usdc), exponent: 6)),
        ]
        for end in [-.infinity, -1, 0.9, .infinity, .nan] as [Double] {
            let end = Date(timeIntervalSince1970: end)
            orders.append(Shop.Order(reference: "ORDER-4", amount: ShopWorld.price, expiresAt: end))
        }
        for key in ["", " a", "a ", "ü", "a\nb", "a\u{7F}", String(repeating: "k", count: 256)] {
            orders.append(Shop.Order(reference: "ORDER-5", amount: ShopWorld.price, idempotencyKey: key))
        }
        for order in orders {
            let error = await failure { _ = try await world.client.createPayment(order) }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend, "\(order)")
        }
        #expect(world.faults.requests.isEmpty)
    }

    @Test("Orders at the limits are sent")
    func limits() async throws {
        let world = try ShopWorld()
        for (reference, key) in [
            ("ABC", "a"), ("ORDER-1", "~ a"),
            (String(repeating: "A", count: 35), String(repeating: "k", count: 255)),
        ] {
            let order = Shop.Order(reference: reference, amount: ShopWorld.price, idempotencyKey: key)
            #expect(try await world.client.createPayment(order).rawStatus == "requires_action")
        }
        let early = Shop.Order(
            reference: "ORDER-2", amount: ShopWorld.price, expiresAt: Date(timeIntervalSince1970: 1))
        #expect(await failure { _ = try await world.client.createPayment(early) }?.vendorCode == "params_validation")
    }

    /// This machine's clock decides nothing: the service checks if an end lies ahead.
    @Test("A wrong clock refuses no order", arguments: [-86_400, 86_400])
    func wrongClock(_ seconds: Int) async throws {
        let world = try ShopWorld()
        let skewed = VirtualClock(world.clock.now.addingTimeInterval(Double(seconds)))
        let client = world.merchant.client(over: world.wire, clock: skewed)
        let order = Shop.Order(
            reference: "ORDER-1", amount: ShopWorld.price, expiresAt: world.clock.now.addingTimeInterval(60))
        #expect(try await client.createPayment(order).rawStatus == "requires_action")
        let late = Shop.Order(
            reference: "ORDER-2", amount: ShopWorld.price, expiresAt: world.clock.now.addingTimeInterval(-60))
        #expect(await failure { _ = try await client.createPayment(late) }?.vendorCode == "params_validation")
    }
}
