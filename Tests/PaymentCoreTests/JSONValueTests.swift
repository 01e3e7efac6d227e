import PaymentCore
import PaymentTesting
import Testing

@Suite("JSON values")
struct JSONValueTests {
    static let integers: [(text: String, int64: Int64?, uint64: UInt64?)] = [
        ("0", 0, 0), ("-0", 0, 0), ("-0.0e9", 0, 0), ("7", 7, 7), ("-7", -7, nil), ("1.0", 1, 1), ("1.5", nil, nil),
        ("1e3", 1000, 1000), ("1.50e1", 15, 15), ("1.55e1", nil, nil), ("120e-1", 12, 12), ("125e-1", nil, nil),
        ("9223372036854775807", .max, 9_223_372_036_854_775_807),
        ("9223372036854775808", nil, 9_223_372_036_854_775_808),
        ("-9223372036854775808", .min, nil), ("-9223372036854775809", nil, nil),
        ("18446744073709551615", nil, .max), ("18446744073709551616", nil, nil),
        ("1e19", nil, 10_000_000_000_000_000_000),
        ("1e400", nil, nil), ("1e99999999999999999999", nil, nil), ("0e99999999999999999999", 0, 0),
        ("1e-99999999999999999999", nil, nil), ("1.0e9223372036854775807", nil, nil),
        ("1e-9223372036854775808", nil, nil),
    ]

    @Test("whole numbers are exact or nil", arguments: integers)
    func wholeNumbers(text: String, int64: Int64?, uint64: UInt64?) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.int64 == int64)
        #expect(value.uint64 == uint64)
    }

    @Test(
        "number texts follow the grammar", arguments: ["", "01", "1.", "+1", ".5", " 1", "1 ", "1e", "--1", "Ⅷ", "٣"])
    func numberGrammar(text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test("Numbers from binary types")
    func numbersFromBinaryTypes() {
        #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
        #expect(JSONNumber(Int8(-5)).text == "-5")
        #expect(JSONNumber(0.1)?.text == "0.1")
        #expect(JSONNumber(Double.greatestFiniteMagnitude)?.double == .greatestFiniteMagnitude)
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber("1e400").map { $0.double } == .some(nil))
    }

    @Test("Accessors and subscripts")
    func accessorsAndSubscripts() {
        var value: JSONValue = ["a": [1, "x", true, nil], "b": ["c": "d"]]
        #expect(value["a"]?[0]?.int64 == 1)
        #expect(value["a"]?[1]?.string == "x")
        #expect(value["a"]?[2]?.bool == true)
        #expect(value["a"]?[3]?.isNull == true)
        #expect(value["a"]?[4] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?["b"] == nil)
        #expect(value["b"]?["c"] == "d")
        #expect(value["b"]?.string == nil)
        value["b"] = nil
        value["n"] = 5
        #expect(value.text == #"{"a":[1,"x",true,null],"n":5}"#)
    }

    @Test("what is written is read back the same", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let value = Self.random(depth: 0, using: &generator)
        let text = value.serialized()
        let again = try JSONValue(parsing: text)
        #expect(again == value)
        #expect(again.serialized() == text)
    }

    private static func random(depth: Int, using generator: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0..<(depth > 5 ? 5 : 7), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .number(JSONNumber(Int64.random(in: .min ... .max, using: &generator)))
        case 3:
            JSONNumber(Double(bitPattern: .random(in: 0 ... .max, using: &generator))).map(JSONValue.number) ?? .null
        case 4: .string(randomText(using: &generator))
        case 5:
            .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth + 1, using: &generator) })
        default:
            .object(
                (0..<Int.random(in: 0...4, using: &generator)).reduce(into: [:]) { members, _ in
                    members[randomText(using: &generator)] = random(depth: depth + 1, using: &generator)
                })
        }
    }

    private static func randomText(using generator: inout SplitMix64) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let top: UInt32 = Bool.random(using: &generator) ? 0x80 : 0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...top, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }
}
