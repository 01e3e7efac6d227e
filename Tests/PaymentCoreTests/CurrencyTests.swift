import Foundation
import PaymentCore
import Testing

@Suite("Currency")
struct CurrencyTests {
    @Test(
        "Units are read and written unchanged",
        arguments: [
            ("iso4217/USD", "USD", 2), ("iso4217/JPY", "JPY", 0), ("sat", "BTC", 8),
            ("caip19/eip155:10/slip44:60", "eip155:10/slip44:60", nil),
            (
                "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", nil
            ),
        ] as [(String, String, UInt8?)])
    func units(unit: String, description: String, exponent: UInt8?) throws {
        let currency = try Currency(unit: unit)
        #expect(currency.unit == unit)
        #expect(currency.description == description)
        #expect(currency.exponent == exponent)
        #expect(try JSONDecoder().decode([Currency].self, from: JSONEncoder().encode([currency])) == [currency])
    }

    @Test(
        "Units that are refused",
        arguments: [
            ("", .unknownUnit), ("USD", .unknownUnit), ("ISO4217/USD", .unknownUnit), ("SAT", .unknownUnit),
            ("iso4217", .unknownUnit), ("caip2/eip155:1", .unknownUnit),
            ("iso4217/", .unknownCurrency(code: "")), ("iso4217/usd", .unknownCurrency(code: "usd")),
            ("iso4217/USD/", .unknownCurrency(code: "USD/")),
            ("caip19/", .invalidAsset(CAIPError(.chainNamespace, .missing))),
            ("caip19/eip155:1", .invalidAsset(CAIPError(.assetNamespace, .missing))),
        ] as [(String, MoneyError)])
    func refused(unit: String, error: MoneyError) {
        #expect(throws: error) { try Currency(unit: unit) }
    }

    @Test("Errors say what to do and repeat no foreign text")
    func errors() {
        #expect(MoneyError.unknownCurrency(code: "usd").description.contains("usd"))
        let foreign = MoneyError.unknownCurrency(code: "\u{202E}click here").description
        #expect(!foreign.contains("click"))
        #expect(!MoneyError.unknownCurrency(code: "").description.isEmpty)
        #expect(
            MoneyError.invalidAsset(CAIPError(.tokenID, .tooLong(maximum: 78))).description
                == "the asset of the amount is malformed: the token id may have at most 78 characters")
    }
}
