import PaymentCore
import PayrailsSandbox
import TestSupport
import Testing

/// Sessions for storing cards without a payment, and the changeable parts of an instrument.
@Suite struct PayrailsTokenizationTests {
    private let address = "/public/payment/instruments/tokenize"

    private func body(_ client: PayrailsClient, _ changes: [String: JSONValue?] = [:]) throws -> JSONValue {
        let tokenization = try #require(client.payload["tokenization"])
        let holder = try #require(client.payload["holderReference"])
        let key = try #require(tokenization["publicKey"]?.string)
        var body: JSONValue = [
            "id": tokenization["id"] ?? .null, "holderReference": holder,
            "encryptedInstrumentDetails": .string(
                try PayrailsCardTests.seal(
                    [
                        "cardNumber": "4111111111111111", "expiryMonth": "12", "expiryYear": "30",
                        "holderReference": holder,
                    ], for: key)),
            "futureUsage": "CardOnFile", "storeInstrument": true,
            "vaultProviderConfigId": tokenization["vaultProviderConfigId"] ?? .null,
        ]
        for (name, value) in changes { body[name] = value }
        return body
    }

    private func client(_ world: PayrailsWorld, holder: String = "ada") async throws -> PayrailsClient {
        try PayrailsClient(world, await world.sandbox.createTokenizationSession(holder: holder))
    }

    @Test("The session is the recorded kind: no execution, no vault, one address")
    func payload() async throws {
        let client = try await client(PayrailsWorld())
        #expect(
            Set((client.payload.object ?? [:]).keys) == ["token", "holderReference", "amount", "type", "tokenization"])
        let tokenization = try #require(client.payload["tokenization"])
        #expect(tokenization["links"]?["tokenize"]?["href"] == .string("https://api-pub.payrails.io" + address))
    }

    @Test("A merchant's server makes one; the same key is the same session")
    func made() async throws {
        let world = PayrailsWorld()
        let body: JSONValue = [
            "type": "tokenization", "holderReference": "ada", "merchantReference": "m",
            "amount": ["value": "1.00", "currency": "EUR"],
        ]
        let first = try await world.merchant(.post, "/merchant/client/init", body, key: "k")
        #expect(first.status == 201 && first.json["data"]?.string != nil)
        let again = try await world.merchant(.post, "/merchant/client/init", body, key: "k")
        func id(_ answer: PayAnswer) throws -> JSONValue? {
            try PayrailsClient.payload(try #require(answer.json["data"]?.string))["tokenization"]?["id"]
        }
        #expect(try id(first) == id(again))
        let other = try await world.merchant(.post, "/merchant/client/init", body, key: "l")
        #expect(try id(first) != id(other))
    }

    @Test("A card is stored, or good for one payment")
    func stored() async throws {
        let world = PayrailsWorld()
        let client = try await client(world)
        let answer = try await client.send(.post, address, try body(client))
        #expect(
            answer.status == 201 && answer.json["status"] == "created" && answer.json["futureUsage"] == "CardOnFile")
        #expect(answer.json["data"]?["suffix"] == "1111" && answer.json["data"]?["expiryYear"] == "2030")
        #expect(answer.json["data"]?["binLookup"]?["issuerCountry"]?["iso3"] == "AUT")
        let once = try await client.send(.post, address, try body(client, ["storeInstrument": false]))
        #expect(once.json["status"] == "transient")
        // Omitted, it is kept; so are the other optional members.
        let least = try body(
            client, ["storeInstrument": .some(nil), "futureUsage": .some(nil), "vaultProviderConfigId": .some(nil)])
        #expect(try await client.send(.post, address, least).status == 201)
        #expect(await world.sandbox.storedInstruments(of: "ada").count == 5)
        let own = try await client.send(.get, "/public/payment/instruments")
        #expect(own.json["results"]?.array?.count == 5)
    }

    @Test("What is wrong is refused in the older form, and stores nothing")
    func refused() async throws {
        let world = PayrailsWorld()
        let client = try await client(world)
        for (changes, title) in [
            (["id": "6f1c0d5e-53d7-4a3b-8f61-2d2f6f0a9b11"], "request.param.invalid"),
            (["id": .some(nil)], "request.param.invalid"), (["holderReference": "bob"], "request.param.invalid"),
            (["encryptedInstrumentDetails": "a.b.c.d.e"], "request.param.invalid"),
            (["encryptedInstrumentDetails": .some(nil)], "request.param.missing"),
            (["vaultProviderConfigId": "other"], "request.param.invalid"),
            (["futureUsage": "Whatever"], "request.param.invalid"),
        ] as [([String: JSONValue?], String)] {
            let answer = try await client.send(.post, address, try body(client, changes))
            let error = try #require(answer.json["errors"]?[0])
            #expect((400..<500).contains(answer.status) && error["title"] == .string(title) && error["code"] == nil)
        }
        let execution = try await world.open(holder: "ada")
        #expect(try await execution.send(.post, address, try body(client)).status == 401, "another kind of token")
        await world.sandbox.expireSession(client.session.id)
        #expect(try await client.send(.post, address, try body(client)).status == 401)
        #expect(try await client.send(.get, "/public/payment/instruments").status == 401)
        #expect(await world.sandbox.storedInstruments(of: "ada").count == 3)
    }

    @Test("A repetition stores one card")
    func repeated() async throws {
        let world = PayrailsWorld()
        let client = try await client(world)
        let body = try body(client)
        let answers = [
            try await client.send(.post, address, body, key: "k"),
            try await client.send(.post, address, body, key: "k"),
        ]
        #expect(answers[0].json == answers[1].json)
        #expect(await world.sandbox.storedInstruments(of: "ada").count == 4)
        #expect(
            try await world.send(.post, address, body, headers: [("Authorization", "Bearer \(client.token)")]).status
                == 400)
    }

    @Test("Of an instrument only what is documented can be changed, and nothing of a change that is refused")
    func changes() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada")
        let id = try #require(try client.instrument()["id"]?.string)
        let address = "/public/payment/instruments/\(id)"
        for refused: JSONValue in [
            ["holderName": "Eve"], ["expiryYear": "2045"], ["data": ["bin": "555555"]], ["bin": "555555"],
            ["status": "deleted"], ["status": nil], ["default": "yes"], ["merchantReference": 7],
            ["networkTransactionReference": ""], ["paymentMethod": "payPal"],
            ["status": "disabled", "zz": 1], ["default": true, "zz": 1],
        ] {
            #expect(try await client.send(.patch, address, refused).failure == "422 request.param.invalid")
        }
        let before = try await client.send(.get, address).json
        #expect(before["status"] == "enabled" && before["default"] == true)
        let answer = try await client.send(
            .patch, address,
            [
                "status": "disabled", "default": nil, "merchantReference": "m-1", "networkTransactionReference": "n-1",
                "paymentMethod": "card",
            ])
        #expect(answer.status == 200 && answer.json["status"] == "disabled" && answer.json["default"] == false)
        #expect(answer.json["merchantReference"] == "m-1" && answer.json["networkTransactionReference"] == "n-1")
        #expect(
            try await world.send(.patch, address, [:], headers: [("Authorization", "Bearer \(client.token)")]).failure
                == "400 request.header.missing")
    }
}
