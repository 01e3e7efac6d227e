import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The merchant's side.
@Suite struct WalletConnectMerchantTests {
    let world = PayWorld()
    static let order: JSONValue = [
        "referenceId": "ORDER-123", "amount": ["unit": "iso4217/USD", "value": "100"], "expiresAt": nil,
        "checkout": nil,
    ]

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, key: String? = nil,
        merchant: String = WalletConnectPaySandbox.merchantID
    ) async throws -> PayAnswer {
        var headers = [PayWorld.merchantKey, ("Merchant-Id", merchant)]
        if let key { headers.append(("Idempotency-Key", key)) }
        return try await world.send(method, path, body, headers: headers)
    }

    @Test("Creates and is paid", arguments: ["/v1/payments", "/v1/merchant/payment"])
    func createsAndIsPaid(_ path: String) async throws {
        let answer = try await send(.post, path, Self.order)
        let id = try #require(answer.json["paymentId"]?.string)
        #expect(answer.status == 201)
        #expect(
            answer.json == [
                "paymentId": .string(id), "status": "requires_action", "expiresAt": 1_789_000_300, "isFinal": false,
                "pollInMs": 1000, "gatewayUrl": .string("https://pay.walletconnect.com/?pid=\(id)"),
            ])
        #expect(try await world.gateway(id).json["merchant"]?["name"] == "Kaffeehaus am Platz")
        #expect(
            try await send(.get, "\(path)/\(id)").json == [
                "status": "requires_action", "referenceId": "ORDER-123", "info": nil, "settlement": nil,
            ])
        _ = try await world.confirm(id, try await world.signed(id))
        _ = try await send(.get, "\(path)/\(id)/status")
        let status = try await send(.get, "\(path)/\(id)/status").json
        #expect(status["status"] == "succeeded")
        let view = try await send(.get, "\(path)/\(id)").json
        #expect(view["info"] == status["info"])
        #expect(
            view["settlement"]?["successful"] == [
                "txId": status["info"]?["txId"] ?? nil,
                "amount": ["unit": status["info"]?["optionAmount"]?["unit"] ?? nil],
            ])
        #expect(await world.captures(id) == 1)
    }

    @Test("Says why it failed")
    func tellsWhyItFailed() async throws {
        let id = await world.sandbox.createPayment(.declinedForCompliance).id
        _ = try await world.confirm(id, try await world.signed(id))
        _ = try await send(.get, "/v1/payments/\(id)/status")
        #expect(try await send(.get, "/v1/payments/\(id)/status").json["failureCode"] == "declined_user")
        #expect(try await send(.get, "/v1/payments/\(id)").json["failureCode"] == "declined_user")
    }

    @Test("The merchant calls a payment off")
    func cancels() async throws {
        let id = await world.sandbox.createPayment().id
        let answer = try await send(.post, "/v1/payments/\(id)/cancel", [:])
        #expect(answer.json["cancelledReason"] == "cancelled_by_merchant")
        #expect(answer.json["paymentId"]?.string == id)
        let again = try await send(.post, "/v1/payments/\(id)/cancel", [:])
        #expect(again.summary == "400 invalid_state: Payment cannot be cancelled")
    }

    @Test("Unknown payments", arguments: ["", "/status"])
    func unknownPayments(_ verb: String) async throws {
        let answer = try await send(.get, "/v1/payments/pay_1" + verb)
        #expect(answer.summary == "404 payment_not_found: Payment not found")
    }

    @Test("Unknown paths")
    func unknownPaths() async throws {
        for (method, path) in [
            (HTTPRequest.Method.get, "/v1/payments/a/b/c"), (.post, "/v1/payments/a/status"), (.put, "/v1/payments"),
        ] {
            #expect(try await send(method, path, [:]).summary == "404 not_found: Not found")
        }
    }

    @Test(
        "Requests that do not fit are refused",
        arguments: [
            ("referenceId", nil, "referenceId must be 1 to 35 characters of A-Z a-z 0-9 space / - : . , +"),
            ("referenceId", "", "referenceId must be 1 to 35 characters of A-Z a-z 0-9 space / - : . , +"),
            ("referenceId", "ORDER_1", "referenceId must be 1 to 35 characters of A-Z a-z 0-9 space / - : . , +"),
            ("referenceId", 7, "referenceId must be 1 to 35 characters of A-Z a-z 0-9 space / - : . , +"),
            (
                "amount", ["unit": "iso4217/CHF", "value": "100"],
                "amount must be in USD, EUR, GBP or JPY, in minor units"
            ),
            (
                "amount", ["unit": "iso4217/USD", "value": 100],
                "amount must be in USD, EUR, GBP or JPY, in minor units"
            ),
            (
                "amount", ["unit": "iso4217/USD", "value": "1.00"],
                "amount must be in USD, EUR, GBP or JPY, in minor units"
            ),
            (
                "amount", ["unit": "iso4217/USD", "value": "+100"],
                "amount must be in USD, EUR, GBP or JPY, in minor units"
            ),
            (
                "amount", ["unit": "iso4217/USD", "value": "18446744073709551616"],
                "amount must be in USD, EUR, GBP or JPY, in minor units"
            ),
            ("amount", ["unit": "iso4217/USD", "value": "13"], "Amount must be at least 14 to cover fees"),
            ("expiresAt", 1_789_000_000, "expiresAt must be in the future"),
            ("expiresAt", "soon", "expiresAt must be in the future"),
            ("expiresAt", 9_223_372_036_854_775_807, "expiresAt must be in the future"),
        ] as [(String, JSONValue?, String)])
    func refuses(_ member: String, _ value: JSONValue?, _ message: String) async throws {
        var order = Self.order
        order[member] = value
        let answer = try await send(.post, "/v1/payments", order)
        #expect(answer.summary == "400 params_validation: Validation error: " + message)
        #expect(await world.sandbox.ledger.entries.isEmpty)
    }

    @Test("The end is the merchant's")
    func expiryIsTheMerchants() async throws {
        var order = Self.order
        order["expiresAt"] = 1_789_000_060
        let id = try #require(try await send(.post, "/v1/payments", order).json["paymentId"]?.string)
        world.clock.advance(by: .seconds(60))
        #expect(try await send(.get, "/v1/payments/\(id)").json["status"] == "expired")
    }

    @Test("One key is one payment")
    func oneKeyIsOnePayment() async throws {
        let first = try await send(.post, "/v1/payments", Self.order, key: "a")
        let again = try await send(.post, "/v1/payments", Self.order, key: "a")
        #expect(again.status == 201)
        #expect(again.json == first.json)
        var changed = Self.order
        changed["referenceId"] = "ORDER-124"
        #expect(
            try await send(.post, "/v1/payments", changed, key: "a").summary
                == "409 idempotency_conflict: Idempotency key conflict: same key was used with a different request body"
        )
        // Another key, another merchant, or no key makes another payment.
        let second: JSONValue = ["merchantName": "Second", "merchantEmail": "shop@second.example"]
        let made = try await send(.post, "/v1/merchants", second, key: "a").json["merchant"]?["id"]
        let others = [
            try await send(.post, "/v1/payments", Self.order, key: "b"),
            try await send(.post, "/v1/payments", Self.order, key: "a", merchant: try #require(made?.string)),
            try await send(.post, "/v1/payments", Self.order), try await send(.post, "/v1/payments", Self.order),
        ]
        #expect(Set(others.map { $0.json["paymentId"] } + [first.json["paymentId"]]).count == 5)
        #expect(await world.sandbox.ledger.entries.count == 5)
    }
}
