import Foundation
import PaymentCore
import Testing

@testable import PayrailsProvider

/// Protocol 2.2: the service's description of an instrument.
@Suite("Answers about instruments")
struct InstrumentResponseTests {
    private static let card: JSONValue = [
        "id": "n1", "createdAt": "2026-01-01T00:00:00Z", "holderId": "h", "paymentMethod": "card", "status": "created",
        "futureUsage": "CardOnFile", "fingerprint": "f",
        "data": [
            "bin": "411111", "network": "visa", "suffix": "1111", "holderName": "Ada Canary", "expiryMonth": "12",
            "expiryYear": "30",
            "binLookup": [
                "bin": "411111", "network": "visa", "issuer": "A Bank", "type": "credit",
                "issuerCountry": ["code": "AT", "name": "Austria", "iso3": "AUT"],
            ],
        ],
    ]

    @Test("Everything that a card's answer says")
    func whole() throws {
        let answer = try Self.card.decode(InstrumentResponse.self)
        #expect(answer.data.holderName == "Ada Canary" && answer.data.expiryYear == "30")
        #expect(answer.data.binLookup?.issuer == "A Bank" && answer.data.binLookup?.type == "credit")
        #expect(answer.data.binLookup?.issuerCountry?.code == "AT" && answer.data.email == nil)
        // Writing gives the text that was read.
        #expect(try JSONValue.encode(answer) == Self.card)
        #expect(try JSONDecoder().decode(InstrumentResponse.self, from: Data(Self.card.serialized())) == answer)
    }

    @Test("An account's address; names and addresses print as nothing")
    func account() throws {
        let body = Self.card.with(["email": "canary@example.com", "holderName": "Ada Canary"], at: ["data"])
        let answer = try body.decode(InstrumentResponse.self)
        #expect(answer.data.email == "canary@example.com" && answer.data.bin == nil)
        var text = "\(answer)" + String(reflecting: answer)
        dump(answer, to: &text)
        #expect(!text.contains("anary"))
    }

    @Test("A decoration of another shape costs only itself: a stored instrument is not reported as a failure")
    func odd() throws {
        let values: [JSONValue] = [nil, ["a": 1], [], true]
        for path in [
            ["fingerprint"], ["futureUsage"], ["data", "bin"], ["data", "holderName"], ["data", "binLookup"],
            ["data", "binLookup", "issuerCountry"], ["data", "binLookup", "type"], ["data", "expiryYear"],
        ] {
            for value in values {
                let answer = try Self.card.with(value, at: path).decode(InstrumentResponse.self)
                #expect(answer.id == "n1" && answer.data.suffix == "1111")
            }
        }
        let numbers = Self.card.with(2030, at: ["data", "expiryYear"]).with(1, at: ["data", "expiryMonth"])
        let answer = try numbers.decode(InstrumentResponse.self)
        #expect(answer.data.expiryYear == "2030" && answer.data.expiryMonth == "1")
        for path in [["id"], ["status"], ["data"]] {
            #expect(throws: DecodingError.self) { try Self.card.with(nil, at: path).decode(InstrumentResponse.self) }
        }
    }
}
