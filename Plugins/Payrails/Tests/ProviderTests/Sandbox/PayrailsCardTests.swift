import Foundation
import PaymentCore
import PaymentCrypto
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

/// Cards that arrive encrypted.
@Suite struct PayrailsCardTests {
    static let card: JSONValue = [
        "cardNumber": "4111111111111111", "expiryMonth": "12", "expiryYear": "2030", "holderName": "Ada Example",
        "holderReference": "ada", "securityCode": "123",
    ]

    private func seal(_ client: PayrailsClient, _ card: JSONValue) throws -> String {
        try Self.seal(card, for: #require(client.payload["vaultConfiguration"]?["encryptionPublicKey"]?.string))
    }

    /// Encrypts `card` as clients do.
    static func seal(_ card: JSONValue, for key: String) throws -> String {
        let der = try #require(Data(base64Encoded: key))
        return try JWE.encrypt(card.serialized(), to: RSAPublicKey(subjectPublicKeyInfo: Array(der)))
    }

    private func body(_ client: PayrailsClient, _ message: String, stores: Bool = false) -> JSONValue {
        client.body([
            "paymentMethodCode": "card", "storeInstrument": .bool(stores), "enrollInstrumentToNetworkOffers": false,
            "paymentInstrumentData": [
                "encryptedData": .string(message),
                "vaultProviderConfigId": client.payload["vaultConfiguration"]?["providerConfigId"] ?? .null,
            ],
        ])
    }

    private func changed(_ changes: [String: JSONValue?]) -> JSONValue {
        var card = Self.card
        for (name, value) in changes { card[name] = value }
        return card
    }

    @Test("Paying", arguments: ["2030", "30"])
    func pays(_ year: String) async throws {
        let client = try await PayrailsWorld().open(holder: "ada")
        let message = try seal(client, changed(["expiryYear": .string(year)]))
        #expect(try await client.pay(body(client, message), Payer()) == .paid)
        let events = await client.world.sandbox.ledger.events(of: client.session.id)
        #expect(events.last == .captured(option: "card", amount: "99.00 EUR", account: "card ending in 1111"))
    }

    /// A message that another implementation can read, made with the same throw-away key.
    @Test("Opens the message that is kept")
    func opensTheReferenceVector() async throws {
        let client = try await PayrailsWorld().open(holder: "holder-0001")
        let file = Vectors.root.appending(path: "Tests/Vectors/payrails-card-jwe.txt")
        let message = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try await client.pay(body(client, message), Payer()) == .paid)
        let other = try await PayrailsWorld().open(holder: "ada")
        #expect(try await other.authorize(body(other, message)).failure == "422 request.param.invalid")
    }

    @Test(
        "Declining",
        arguments: [
            (["cardNumber": "4111111111111112"], "InvalidInstrument"), (["expiryYear": "2020"], "ExpiredInstrument"),
            (["expiryYear": "26", "expiryMonth": "08"], "ExpiredInstrument"),
        ] as [([String: JSONValue?], String)])
    func declines(_ changes: [String: JSONValue?], _ reason: String) async throws {
        let client = try await PayrailsWorld().open(holder: "ada")
        _ = try await client.authorize(body(client, try seal(client, changed(changes))))
        #expect(try await client.poll() == .failed(reason))
    }

    @Test(
        "Requests that do not fit are refused",
        arguments: [
            ["cardNumber": "4111 1111 1111 1111"], ["cardNumber": nil], ["expiryMonth": "13"], ["expiryMonth": "1"],
            ["expiryYear": "203"], ["securityCode": "12"], ["holderReference": "bob"],
        ] as [[String: JSONValue?]])
    func refuses(_ changes: [String: JSONValue?]) async throws {
        let client = try await PayrailsWorld().open(holder: "ada")
        let answer = try await client.authorize(body(client, try seal(client, changed(changes))))
        #expect(answer.failure == "422 request.param.invalid")
        #expect(!answer.text.contains("4111"))
    }

    @Test("Refuses what it cannot open")
    func refusesWhatItCannotOpen() async throws {
        let client = try await PayrailsWorld().open(holder: "ada")
        let good = try seal(client, Self.card)
        var parts = good.split(separator: ".").map(String.init)
        parts[3] = String(parts[3].reversed())
        let foreign = try JWE.encrypt(Self.card.serialized(), to: RSAPrivateKey.generate().publicKey)
        for message in [parts.joined(separator: "."), foreign, "text", "a.b.c.d.e"] {
            #expect(try await client.authorize(body(client, message)).failure == "422 request.param.invalid")
        }
        var wrong = body(client, good)
        wrong["paymentComposition"] = [
            client.body([
                "paymentMethodCode": "card",
                "paymentInstrumentData": ["encryptedData": .string(good), "vaultProviderConfigId": "another"],
            ])["paymentComposition"]?[0] ?? .null
        ]
        #expect(try await client.authorize(wrong).failure == "422 request.param.invalid")
        #expect(await client.captures() == 0)
    }

    @Test("Stores what the payer wants kept")
    func storesWhatThePayerWantsKept() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada")
        let message = try seal(client, changed(["cardNumber": "5555555555554444"]))
        #expect(try await client.pay(body(client, message, stores: true), Payer()) == .paid)
        let next = try await world.open(holder: "ada").option("card")?["paymentInstruments"]?.array
        #expect(next?.count == 3 && next?[2]["data"]?["bin"] == "555555" && next?[2]["status"] == "created")
    }

    @Test("Saves without paying")
    func savesWithoutPaying() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada")
        let vault = client.payload["vaultConfiguration"]
        let address = try #require(vault?["links"]?["saveInstrument"]?["href"]?.string)
        let request: JSONValue = [
            "holderReference": "ada", "paymentMethod": "card", "storeInstrument": true, "futureUsage": "CardOnFile",
            "data": [
                "encryptedData": .string(try seal(client, Self.card)),
                "vaultProviderConfigId": vault?["providerConfigId"] ?? .null,
            ],
        ]
        let answer = try await client.send(.post, address, request, key: "k")
        #expect(answer.status == 201 && answer.json["status"] == "created")
        #expect(answer.json["data"]?["bin"] == "411111" && answer.json["data"]?["suffix"] == "1111")
        #expect(answer.json["futureUsage"] == "CardOnFile")
        #expect(try await client.send(.post, address, request, key: "k").json == answer.json)
        #expect(await world.sandbox.storedInstruments(of: "ada").count == 4)
        for (name, value) in [
            ("holderReference", "bob"), ("paymentMethod", "cash"), ("futureUsage", "Sometimes"),
        ] {
            var bad = request
            bad[name] = .string(value)
            #expect(try await client.send(.post, address, bad).failure == "422 request.param.invalid")
        }
        var once = request
        once["storeInstrument"] = false
        #expect(try await client.send(.post, address, once).json["status"] == "transient")
        #expect(await world.sandbox.storedInstruments(of: "ada").count == 4)
    }
}
