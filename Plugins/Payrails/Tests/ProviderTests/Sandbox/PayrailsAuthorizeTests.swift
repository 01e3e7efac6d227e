import PaymentCore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

/// The form of a request to pay, and the result of a second one.
@Suite struct PayrailsAuthorizeTests {
    /// A change to a good body by the path to a member; nil removes it.
    struct Change: Sendable, CustomTestStringConvertible {
        let path: [String]
        let value: JSONValue?
        let refusal: String
        var testDescription: String { path.joined(separator: ".") }
    }

    static let changes = [
        Change(path: ["amount"], value: nil, refusal: "401 request.unauthorized"),
        Change(path: ["amount", "value"], value: "99", refusal: "401 request.unauthorized"),
        Change(path: ["amount", "currency"], value: "USD", refusal: "401 request.unauthorized"),
        Change(path: ["returnInfo", "success"], value: nil, refusal: "400 request.param.missing"),
        Change(path: ["returnInfo", "success"], value: "later", refusal: "400 request.param.missing"),
        Change(path: ["paymentComposition"], value: [], refusal: "400 request.param.missing"),
        Change(path: ["0", "amount", "value"], value: "1.00", refusal: "401 request.unauthorized"),
        Change(path: ["0", "integrationType"], value: "vault", refusal: "422 request.param.invalid"),
        Change(path: ["0", "paymentMethodCode"], value: nil, refusal: "400 request.param.missing"),
        Change(path: ["0", "paymentMethodCode"], value: "payPal", refusal: "422 request.param.invalid"),
        Change(path: ["0", "storeInstrument"], value: nil, refusal: "400 request.param.missing"),
        Change(path: ["0", "paymentInstrumentId"], value: "nobody's", refusal: "404 request.not-found"),
    ]

    private func changed(_ value: JSONValue, _ path: ArraySlice<String>, _ new: JSONValue?) -> JSONValue {
        guard let key = path.first else { return value }
        var value = value
        let rest = path.dropFirst()
        value[key] = rest.isEmpty ? new : changed(value[key] ?? .null, rest, new)
        return value
    }

    @Test("Requests that do not fit are refused", arguments: changes)
    func refuses(_ change: Change) async throws {
        let client = try await PayrailsWorld().open()
        var body = try client.stored()
        if change.path.first == "0" {
            let part = changed(body["paymentComposition"]?[0] ?? .null, change.path.dropFirst(), change.value)
            body["paymentComposition"] = [part]
        } else {
            body = changed(body, change.path[...], change.value)
        }
        #expect(try await client.authorize(body).failure == change.refusal)
        // Nothing has happened: the good body is still accepted.
        #expect(try await client.authorize(try client.stored()).status == 201)
        #expect(await client.captures() == 1)
    }

    @Test("Wants JSON and a key")
    func wantsJSONAndAKey() async throws {
        let (world, client) = try await PayrailsWorld.opened()
        let url = client.execution + "/authorize"
        let credentials = ("Authorization", "Bearer \(client.token)")
        let keyless = try await world.send(.post, url, try client.stored(), headers: [credentials])
        #expect(keyless.failure == "400 request.header.missing")
        for body in [nil, "text", []] as [JSONValue?] {
            #expect(try await client.send(.post, url, body).failure == "400 request.malformed")
        }
    }

    @Test("The same key pays once", arguments: Wire.allCases)
    func sameKeyPaysOnce(_ wire: Wire) async throws {
        let client = try await PayrailsWorld().on(wire).open()
        let body = try client.stored()
        let first = try await client.authorize(body, key: "k")
        let second = try await client.authorize(body, key: "k")
        #expect(first.status == 201 && first.json == second.json)
        #expect(await client.captures() == 1)
        #expect(await client.world.sandbox.ledger.confirmRequests(of: client.session.id) == 2)
    }

    /// Also while the first request has no answer yet.
    @Test("Another key is refused", arguments: [PayrailsScenario.paid, .paidWhileWaiting, .requestedLate])
    func anotherKeyIsRefused(_ scenario: PayrailsScenario) async throws {
        let client = try await PayrailsWorld().open(scenario)
        #expect(try await client.authorize(try client.stored()).status == 201)
        let second = try await client.authorize(try client.stored("payPal"))
        #expect(second.failure == "409 workflow.action.not-allowed")
        client.world.clock.advance(by: .seconds(60))
        #expect(await client.captures() == 1)
    }

    @Test("Declined orders can be tried again")
    func declinedOrdersCanBeTriedAgain() async throws {
        let client = try await PayrailsWorld().open(.declined)
        #expect(try await client.authorize(try client.stored()).status == 201)
        #expect(try await client.authorize(try client.stored("payPal")).status == 201)
        #expect(try await client.codes().count { $0 == "authorizeFailed" } == 2)
    }

    @Test("Stored PayPal needs no page")
    func storedPayPalNeedsNoPage() async throws {
        let client = try await PayrailsWorld().open()
        #expect(try await client.pay(try client.stored("payPal"), Payer()) == .paid)
        let events = await client.world.sandbox.ledger.events(of: client.session.id)
        let id = try #require(try client.instrument("payPal")["id"]?.string)
        #expect(events.last == .captured(option: "payPal", amount: "99.00 EUR", account: id))
    }

    @Test("Disabled instruments are declined")
    func disabledInstrumentsAreDeclined() async throws {
        let client = try await PayrailsWorld().open(.instrumentDisabled)
        let list = client.option("card")?["paymentInstruments"]
        let disabled = try #require(list?.array?.first { $0["status"] == "disabled" }?["id"])
        let body = client.body(["paymentInstrumentId": disabled, "paymentMethodCode": "card"])
        #expect(try await client.authorize(body).status == 201)
        #expect(try await client.poll() == .failed("InstrumentNotAllowed"))
    }

    @Test("Apple Pay's tokens")
    func applePayTokens() async throws {
        let world = PayrailsWorld()
        let token: JSONValue = [
            "paymentData": ["version": "EC_v1", "data": "AA=="], "transactionIdentifier": "ABCD",
            "paymentMethod": ["displayName": "Visa 1111", "network": "Visa", "type": "credit"],
        ]
        for text in [token.text, (["token": token] as JSONValue).text] {
            let client = try await world.open()
            let body = client.body([
                "paymentMethodCode": "applePay", "paymentInstrumentData": ["paymentToken": .string(text)],
            ])
            #expect(try await client.pay(body, Payer()) == .paid)
        }
        let client = try await world.open()
        for (bad, refusal) in [
            (token, "400 request.param.missing"), ("{}", "422 request.param.invalid"),
            ("x", "400 request.param.missing"),
        ] as [(JSONValue, String)] {
            let body = client.body(["paymentMethodCode": "applePay", "paymentInstrumentData": ["paymentToken": bad]])
            #expect(try await client.authorize(body).failure == refusal)
        }
    }
}
