import Foundation
import PaymentCore
import PaymentTesting
import Testing

private let largest = String(repeating: "9", count: 38)

@Suite("Money")
struct MoneyTests {
    static let dai = "caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f"

    struct Row: Sendable {
        let decimal: String
        let unit: String
        let exponent: UInt8?
        let minorUnits: String
        let canonical: String

        init(_ decimal: String, _ unit: String, _ exponent: UInt8? = nil, is minorUnits: String, _ canonical: String) {
            self.decimal = decimal
            self.unit = unit
            self.exponent = exponent
            self.minorUnits = minorUnits
            self.canonical = canonical
        }
    }

    @Test(
        "Decimal text to minor units and back",
        arguments: [
            Row("1.50", "iso4217/USD", is: "150", "1.50"),
            Row("1.5", "iso4217/USD", is: "150", "1.50"),
            Row("1", "iso4217/USD", is: "100", "1.00"),
            Row("0", "iso4217/USD", is: "0", "0.00"),
            Row("0.05", "iso4217/USD", is: "5", "0.05"),
            Row("0.00", "iso4217/USD", is: "0", "0.00"),
            Row("1050", "iso4217/JPY", is: "1050", "1050"),
            Row("1.234", "iso4217/KWD", is: "1234", "1.234"),
            Row("1.2345", "iso4217/CLF", is: "12345", "1.2345"),
            Row("0.00000001", "sat", is: "1", "0.00000001"),
            Row("21000000", "sat", is: "2100000000000000", "21000000.00000000"),
            Row("0.000000000000000001", dai, 18, is: "1", "0.000000000000000001"),
            Row("1", dai, 18, is: "1000000000000000000", "1.000000000000000000"),
            Row("123", dai, 0, is: "123", "123"),
            Row("0." + largest, dai, 38, is: largest, "0." + largest),
            Row(largest, dai, 0, is: largest, largest),
            Row(
                "999999999999999999999999999999999999.99", "iso4217/EUR", is: largest,
                String(repeating: "9", count: 36) + ".99"),
        ])
    func decimal(row: Row) throws {
        let currency = try Currency(unit: row.unit)
        let money = try Money(decimal: row.decimal, currency: currency, exponent: row.exponent)
        #expect(money.minorUnitText == row.minorUnits)
        #expect(money.decimalText == row.canonical)
        #expect(try Money(minorUnitText: row.minorUnits, currency: currency, exponent: row.exponent) == money)
        #expect(try Money(decimal: money.decimalText, currency: currency, exponent: row.exponent) == money)
        #expect(try JSONDecoder().decode(Money.self, from: JSONEncoder().encode(money)) == money)
    }

    @Test(
        "Decimal text that is refused",
        arguments: [
            ("", .malformedAmount), (".", .malformedAmount), (".5", .malformedAmount), ("5.", .malformedAmount),
            ("1.2.3", .malformedAmount), ("-1", .malformedAmount), ("+1", .malformedAmount),
            ("1e3", .malformedAmount), ("1,000", .malformedAmount), ("1_000", .malformedAmount),
            ("01", .malformedAmount), ("00", .malformedAmount), ("00.5", .malformedAmount), (" 1", .malformedAmount),
            ("1 ", .malformedAmount), ("0x10", .malformedAmount), ("NaN", .malformedAmount), ("١", .malformedAmount),
            ("１", .malformedAmount), ("1.-5", .malformedAmount), ("1.5\u{0}", .malformedAmount),
            ("1,50", .malformedAmount), ("$1", .malformedAmount),
            ("1.505", .tooPrecise(digits: 3, allowed: 2)), ("1.500", .tooPrecise(digits: 3, allowed: 2)),
            ("1" + String(repeating: "0", count: 36), .tooLarge), (largest, .tooLarge),
            (String(repeating: "9", count: 5000), .tooLarge),
        ] as [(String, MoneyError)])
    func refusedDecimal(text: String, error: MoneyError) {
        #expect(throws: error) { try Money(decimal: text, currency: .usd) }
    }

    @Test(
        "Minor units that are refused",
        arguments: [
            ("", .malformedAmount), ("-5", .malformedAmount), ("1.5", .malformedAmount), ("007", .malformedAmount),
            ("1" + String(repeating: "0", count: 38), .tooLarge),
            ("340282366920938463463374607431768211456", .tooLarge),
        ] as [(String, MoneyError)])
    func refusedMinorUnits(text: String, error: MoneyError) {
        #expect(throws: error) { try Money(minorUnitText: text, currency: .usd) }
    }

    @Test("Bounds of amount and exponent")
    func bounds() throws {
        let asset = try Currency(unit: Self.dai)
        #expect(throws: MoneyError.tooLarge) {
            try Money(minorUnits: Money.maximumMinorUnits + 1, currency: .usd)
        }
        #expect(throws: MoneyError.exponentTooLarge(39)) { try Money(minorUnits: 1, currency: asset, exponent: 39) }
        #expect(throws: MoneyError.exponentTooLarge(255)) { try Money(decimal: "1", currency: asset, exponent: 255) }
        #expect(throws: MoneyError.exponentNeeded) { try Money(minorUnits: 1, currency: asset) }
        #expect(throws: MoneyError.exponentNeeded) { try Money(decimal: "1", currency: asset) }
        #expect(throws: MoneyError.tooLarge) { try Money(decimal: "1", currency: asset, exponent: 38) }
    }

    @Test("Random amounts survive every text form")
    func roundTrips() throws {
        var generator = SplitMix64(seed: 7)
        let currency = try Currency(unit: Self.dai)
        for _ in 0..<2000 {
            let bits = UInt8.random(in: 0...126, using: &generator)
            let units = UInt128.random(in: 0...Money.maximumMinorUnits, using: &generator) >> bits
            let exponent = UInt8.random(in: 0...38, using: &generator)
            let money = try Money(minorUnits: units, currency: currency, exponent: exponent)
            #expect(try Money(decimal: money.decimalText, currency: currency, exponent: exponent) == money)
            #expect(try Money(minorUnitText: money.minorUnitText, currency: currency, exponent: exponent) == money)
        }
    }

    @Test("Sums, differences and order")
    func reckoning() throws {
        let ten = try Money(decimal: "10", currency: .usd)
        let three = try Money(decimal: "3.01", currency: .usd)
        #expect(try ten.adding(three).decimalText == "13.01")
        #expect(try ten.subtracting(three).decimalText == "6.99")
        #expect(try ten.subtracting(ten).isZero)
        #expect(try three.isLess(than: ten))
        #expect(try !ten.isLess(than: ten))
        #expect(throws: MoneyError.belowZero) { try three.subtracting(ten) }
        let most = try Money(minorUnits: Money.maximumMinorUnits, currency: .usd)
        #expect(throws: MoneyError.tooLarge) { try most.adding(most) }
        #expect(throws: MoneyError.tooLarge) { try most.adding(Money(minorUnits: 1, currency: .usd)) }
    }

    @Test("Different currencies or exponents never mix")
    func mismatch() throws {
        let dollar = try Money(decimal: "1", currency: .usd)
        let euro = try Money(decimal: "1", currency: .eur)
        let fine = try Money(decimal: "1", currency: .usd, exponent: 4)
        #expect(dollar != euro)
        #expect(dollar != fine)
        #expect(throws: MoneyError.currencyMismatch(.usd, .eur)) { try dollar.adding(euro) }
        #expect(throws: MoneyError.currencyMismatch(.usd, .eur)) { try dollar.isLess(than: euro) }
        #expect(throws: MoneyError.exponentMismatch(2, 4)) { try dollar.subtracting(fine) }
        #expect(throws: MoneyError.exponentMismatch(2, 4)) { try dollar.isLess(than: fine) }
    }

    @Test("What people read")
    func descriptions() throws {
        #expect(try Money(minorUnits: 1050, currency: .usd).description == "10.50 USD")
        #expect(try Money(minorUnits: 1050, currency: .fiat(FiatCurrency("JPY"))).description == "1050 JPY")
        #expect(try Money(minorUnits: 1000, currency: .satoshi).description == "0.00001000 BTC")
        #expect(
            try Money(minorUnits: 25, currency: Currency(unit: "caip19/eip155:1/slip44:60"), exponent: 1).description
                == "2.5 eip155:1/slip44:60")
    }

    @Test("The coded form keeps the digits as a string")
    func coding() throws {
        let money = try Money(minorUnitText: largest, currency: .usd)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(
            try String(decoding: encoder.encode(money), as: UTF8.self)
                == #"{"currency":"iso4217/USD","exponent":2,"minorUnits":"\#(largest)"}"#)
    }

    @Test(
        "Malformed coded forms are refused",
        arguments: [
            #"{"currency":"iso4217/USD","exponent":2,"minorUnits":1050}"#,
            #"{"currency":"iso4217/USD","exponent":2,"minorUnits":"-1"}"#,
            #"{"currency":"iso4217/USD","exponent":39,"minorUnits":"1"}"#,
            #"{"currency":"iso4217/ABC","exponent":2,"minorUnits":"1"}"#,
            #"{"currency":"USD","exponent":2,"minorUnits":"1"}"#,
            #"{"currency":"iso4217/USD","minorUnits":"1"}"#,
        ])
    func refusedCoding(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Money.self, from: Data(json.utf8)) }
    }
}
