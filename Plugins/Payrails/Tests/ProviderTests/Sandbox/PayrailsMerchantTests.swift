import Foundation
import PaymentCore
import PaymentCrypto
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

/// The merchant's side: tokens, sessions, instruments, operations and notifications.
@Suite struct PayrailsMerchantTests {
    private static let order: JSONValue = [
        "type": "dropIn", "workflowCode": "payment-acceptance", "merchantReference": "order-7",
        "holderReference": "ada", "amount": ["value": "12.34", "currency": "EUR"],
    ]

    private func client(_ world: PayrailsWorld, _ answer: PayAnswer) throws -> JSONValue {
        let data = try #require(answer.json["data"]?.string.flatMap { Data(base64Encoded: $0) })
        return try JSONValue(parsing: Array(data))
    }

    /// A payment that the payer has authorised, and the path of its execution.
    private func authorized(_ world: PayrailsWorld) async throws -> (PayrailsClient, path: String) {
        let client = try await world.open()
        _ = try await client.authorize(try client.stored())
        return (client, "/merchant/workflows/payment-acceptance/executions/\(client.session.id)")
    }

    @Test("Access tokens")
    func tokens() async throws {
        let world = PayrailsWorld { $0.accessTokenLifetime = 60 }
        for (path, secret) in [("sandbox-merchant", "wrong"), ("other", "sandbox-secret"), ("sandbox-merchant", "")] {
            let answer = try await world.send(.post, "/auth/token/\(path)", headers: [("x-api-key", secret)])
            #expect(answer.status == 401 && answer.json["error"] == "invalid_client")
            #expect(answer.json["error_description"]?.string != nil && answer.json["errors"] == nil)
        }
        let good = try await world.send(
            .post, "/auth/token/sandbox-merchant", headers: [("x-api-key", "sandbox-secret")])
        #expect(good.json["token_type"] == "Bearer" && good.json["expires_in"]?.int64 == 60)
        let headers = [
            ("Authorization", "Bearer \(good.json["access_token"]?.string ?? "")"), ("x-idempotency-key", "k"),
        ]
        #expect(try await world.send(.post, "/merchant/client/init", Self.order, headers: headers).status == 201)
        world.clock.advance(by: .seconds(60))
        #expect(try await world.send(.post, "/merchant/client/init", Self.order, headers: headers).status == 401)
    }

    @Test("Sessions are made, in process and over HTTP", arguments: Wire.allCases)
    func initialises(_ wire: Wire) async throws {
        let world = try PayrailsWorld().on(wire)
        let first = try await world.merchant(.post, "/merchant/client/init", Self.order, key: "one")
        #expect(first.status == 201 && first.json["version"]?.string?.isEmpty == false)
        let payload = try client(world, first)
        #expect(payload["execution"]?["merchantReference"] == "order-7")
        #expect(payload["amount"] == ["value": "12.34", "currency": "EUR"])
        #expect(payload["execution"]?["links"]?["self"]?.string?.hasPrefix(world.origin + "/public/") == true)
        // Recorded: the same key is the same execution, whatever the body.
        var other = Self.order
        other["merchantReference"] = "order-8"
        let again = try client(world, try await world.merchant(.post, "/merchant/client/init", other, key: "one"))
        #expect(again["execution"]?["id"] == payload["execution"]?["id"])
        let fresh = try client(world, try await world.merchant(.post, "/merchant/client/init", other, key: "two"))
        #expect(fresh["execution"]?["id"] != payload["execution"]?["id"])
    }

    @Test(
        "Refuses to initialise",
        arguments: [
            ("type", nil, "400 request.param.missing"), ("holderReference", "", "400 request.param.missing"),
            ("merchantReference", nil, "400 request.param.missing"), ("amount", "12.34", "422 request.param.invalid"),
            ("amount", ["value": "12.345", "currency": "EUR"], "422 request.param.invalid"),
            ("amount", ["value": "12.34", "currency": "XYZ"], "422 request.param.invalid"),
            ("workflowCode", "a/b", "422 request.param.invalid"),
            ("meta", ["sandboxScenario": "nonsense"], "422 request.param.invalid"),
        ] as [(String, JSONValue?, String)])
    func refusesToInitialise(_ name: String, _ value: JSONValue?, _ refusal: String) async throws {
        var body = Self.order
        body[name] = value
        #expect(try await PayrailsWorld().merchant(.post, "/merchant/client/init", body).failure == refusal)
    }

    @Test("Outcomes are steered")
    func outcomesAreSteered() async throws {
        let world = PayrailsWorld()
        let cases: [(JSONValue, PayrailsClient.Polled)] = [
            (["sandboxScenario": "declined"], .failed("GenericRejection")),
            (["order": ["reference": "FraudRisk"]], .failed("FraudRisk")),
            (["order": ["reference": "x"]], .success),
        ]
        for (meta, result) in cases {
            var body = Self.order
            body["meta"] = meta
            let answer = try await world.merchant(.post, "/merchant/client/init", body)
            let id = try #require(try client(world, answer)["execution"]?["id"]?.string)
            let client = try PayrailsClient(world, try #require(await world.sandbox.renewSession(id)))
            _ = try await client.authorize(try client.stored())
            #expect(try await client.poll(terminalWins: true) == result)
        }
    }

    @Test("Reads captures and refunds")
    func readsCapturesAndRefunds() async throws {
        let (world, client) = try await PayrailsWorld.opened()
        let path = "/merchant/workflows/payment-acceptance/executions/\(client.session.id)"
        let early = try await world.merchant(.post, path + "/capture", [:])
        #expect(early.failure == "409 workflow.action.not-allowed")
        _ = try await client.authorize(try client.stored())
        #expect(try await world.merchant(.get, path).json == (try await client.read()))
        #expect(try await world.merchant(.post, path + "/refund", [:]).status == 409)
        let capture = try await world.merchant(.post, path + "/capture", [:], key: "c")
        #expect(capture.status == 202 && capture.json["name"] == "capture")
        #expect(try await world.merchant(.post, path + "/capture", [:], key: "c").json == capture.json)
        #expect(try await world.merchant(.post, path + "/capture", [:]).status == 409)
        world.clock.advance(by: .seconds(1))
        #expect(await world.sandbox.ledger.events(of: client.session.id).last == .settled)
        #expect(try await world.merchant(.post, path + "/refund", [:]).status == 202)
        world.clock.advance(by: .seconds(1))
        #expect(try await client.codes().contains("refundSuccessful"))
        // A client may not do a merchant's operations.
        #expect(try await client.send(.post, client.execution + "/capture", [:]).status == 404)
    }

    @Test("The merchant calls a payment off")
    func cancels() async throws {
        let world = PayrailsWorld()
        let (client, path) = try await authorized(world)
        #expect(try await world.merchant(.post, path + "/cancel", [:]).status == 202)
        world.clock.advance(by: .seconds(1))
        #expect(await world.sandbox.ledger.events(of: client.session.id).last == .cancelled)
    }

    /// Documented: an uncaptured payment is released, and a captured one is refunded.
    @Test("A captured payment that is cancelled is refunded")
    func cancelsCaptured() async throws {
        let world = PayrailsWorld()
        let (client, path) = try await authorized(world)
        await world.sandbox.capture(client.session)
        let part: JSONValue = ["amount": ["value": "9.00", "currency": "EUR"], "reason": "LateDelivery"]
        let refund = try await world.merchant(.post, path + "/refund", part)
        #expect(refund.status == 202 && refund.json["reason"] == "LateDelivery")
        world.clock.advance(by: .seconds(1))
        #expect(try await world.merchant(.post, path + "/cancel", [:]).status == 202)
        world.clock.advance(by: .seconds(1))
        #expect(
            await world.sandbox.ledger.events(of: client.session.id).suffix(4) == [
                .settled, .refunded(amount: "9.00 EUR"), .refunded(amount: "90.00 EUR"), .cancelled,
            ])
        #expect(try await world.merchant(.post, path + "/refund", [:]).failure == "409 workflow.action.not-allowed")
    }

    @Test(
        "Refuses what is no action",
        arguments: [
            ("amount", ["value": "99.01", "currency": "EUR"], "422 request.param.invalid"),
            ("amount", ["value": "1.00", "currency": "USD"], "422 request.param.invalid"),
            ("amount", ["value": "0", "currency": "EUR"], "422 request.param.invalid"),
            ("amount", "1.00", "422 request.param.invalid"), ("reason", "Whim", "422 request.param.invalid"),
        ] as [(String, JSONValue, String)])
    func refusesActions(name: String, value: JSONValue, refusal: String) async throws {
        let world = PayrailsWorld()
        let (client, path) = try await authorized(world)
        for action in ["/capture", "/refund"] {
            #expect(try await world.merchant(.post, path + action, .object([name: value])).failure == refusal)
            await world.sandbox.capture(client.session)
        }
    }

    @Test("A payment of which nothing is left is not cancelled any more, and the link to it is gone")
    func cancelsNothing() async throws {
        let world = PayrailsWorld()
        let (client, path) = try await authorized(world)
        await world.sandbox.capture(client.session)
        #expect(try await world.merchant(.get, path).json["links"]?["cancel"] != nil)
        #expect(try await world.merchant(.post, path + "/refund", [:]).status == 202)
        world.clock.advance(by: .seconds(1))
        #expect(try await world.merchant(.get, path).json["links"]?["cancel"] == nil)
        #expect(try await world.merchant(.post, path + "/cancel", [:]).failure == "409 workflow.action.not-allowed")
    }

    @Test("A workflow that captures by itself does so once, and takes no other amount")
    func capturesByItself() async throws {
        let world = PayrailsWorld { $0.capturesAfter = .seconds(60) }
        let (client, path) = try await authorized(world)
        #expect(try await !client.codes().contains("captureRequested"))
        let links = try await world.merchant(.get, path).json["links"]
        #expect(links?["cancel"]?["method"] == "POST" && links?["refund"] == nil)
        world.clock.advance(by: .seconds(61))
        #expect(try await client.codes().contains("captureSuccessful"))
        #expect(await world.sandbox.ledger.events(of: client.session.id).last == .settled)
        // A payment that was cancelled before is not captured.
        let (other, there) = try await authorized(world)
        #expect(try await world.merchant(.post, there + "/cancel", [:]).status == 202)
        world.clock.advance(by: .seconds(120))
        #expect(await world.sandbox.ledger.events(of: other.session.id).last == .cancelled)
    }

    @Test("The record of a payment states what was captured and refunded, by the portal, too")
    func records() async throws {
        let (world, client) = try await PayrailsWorld.opened()
        let path = "/merchant/workflows/payment-acceptance/executions/\(client.session.id)"
        let order = try #require(try await world.merchant(.get, path).json["merchantReference"]?.string)
        let list = "/payment/payments?filter%5BmerchantReference%5D=\(PercentCoding.encode(order))"
        func record() async throws -> [String?] {
            let found = try await world.merchant(.get, list).json["results"]
            return ["amount", "capturedAmount", "refundedAmount"].map { found?[0]?[$0]?["value"]?.string }
        }
        #expect(try await record() == [nil, nil, nil])
        _ = try await client.authorize(try client.stored())
        #expect(try await record() == ["99.00", "0.00", "0.00"])
        await world.sandbox.capture(client.session, units: 5000)
        await world.sandbox.refund(client.session, units: 1000)
        await world.sandbox.refund(client.session, units: 1000, isFailing: true)
        await world.sandbox.refund(client.session, units: 9000)
        #expect(try await record() == ["99.00", "50.00", "10.00"])
        await world.sandbox.cancel(client.session, lasting: .seconds(5))
        #expect(try await record() == ["99.00", "50.00", "10.00"])
        world.clock.advance(by: .seconds(6))
        #expect(try await record() == ["99.00", "50.00", "50.00"])
        #expect(try await world.send(.get, list).status == 401)
        #expect(try await world.merchant(.post, list).status == 405)
        #expect(try await world.merchant(.get, "/payment/payments").failure == "422 request.param.invalid")
    }

    @Test("An action shows late, or fails, on request")
    func slowActions() async throws {
        let world = PayrailsWorld()
        let (client, path) = try await authorized(world)
        await world.sandbox.showActions(after: .seconds(10), lasting: .seconds(10))
        await world.sandbox.failNext("capture")
        #expect(try await world.merchant(.post, path + "/capture", [:]).status == 202)
        #expect(try await !client.codes().contains("captureRequested"))
        world.clock.advance(by: .seconds(11))
        #expect(try await client.codes().contains("captureRequested"))
        world.clock.advance(by: .seconds(10))
        #expect(try await client.codes().contains("captureFailed"))
        #expect(try await world.merchant(.post, path + "/capture", [:]).status == 202)
        world.clock.advance(by: .seconds(21))
        #expect(try await client.codes().contains("captureSuccessful"))
    }

    @Test("Notifications of a declined payment")
    func notifies() async throws {
        let world = PayrailsWorld { $0.webhookSecret = Redacted("whsec") }
        let client = try await world.open(.declined)
        _ = try await client.authorize(try client.stored())
        let sent = await world.sandbox.notifications
        #expect(sent.map(\.event) == ["executionCreated", "executionActionRequested", "executionActionCompleted"])
        for notification in sent {
            #expect(notification.execution == client.session.id)
            let code = Digest.sha256.authenticate(notification.body, key: Array("whsec".utf8))
            #expect(notification.headers["x-signature"] == Data(code).base64EncodedString())
        }
        let body = try JSONValue(parsing: try #require(sent.last).body)
        #expect(body["eventTrigger"] == "action" && body["time"]?.string?.isEmpty == false)
        let details = try #require(body["details"])
        #expect(details["action"] == "authorize" && details["success"] == false)
        #expect(details["errors"]?[0]?["reason"]?["result"] == "GenericRejection")
        #expect(details["execution"]?["id"] == .string(client.session.id))
        #expect(details["actionId"] == (try JSONValue(parsing: sent[1].body))["details"]?["actionId"])
    }

    @Test("Reports the vault key")
    func tellsTheVaultKey() async throws {
        let world = PayrailsWorld()
        let info = try await world.merchant(.get, "/merchant/vault/public-info").json
        let client = try await world.open()
        #expect(info["encryptionPublicKey"] == client.payload["vaultConfiguration"]?["encryptionPublicKey"])
    }
}
