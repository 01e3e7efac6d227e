import PaymentCore
import PaymentCrypto
import Testing

@testable import PaymentReview

/// Numbers of 256 bits, and the notations that are accepted as one.
struct NumberTests {
    @Test("Digits are read as Python reads them", arguments: NumberCases.all)
    func digits(text: String, radix: UInt8, word: String?) throws {
        let number = UInt256(digits: Array(text.utf8), radix: radix)
        #expect(number.map { Hex.encode($0.word) } == word)
        guard let number, let word else { return }
        #expect(UInt256(word: try #require(Hex.decode(word))) == number)
        #expect(UInt256(digits: Array(number.decimalText.utf8), radix: 10) == number)
        if radix == 10 {
            #expect(number.decimalText == "\(text.drop { $0 == "0" }.isEmpty ? "0" : text.drop { $0 == "0" })")
        }
        #expect((number.uint64 != nil) == word.dropLast(16).allSatisfy { $0 == "0" })
        if let small = number.uint64 { #expect(String(small) == number.decimalText) }
    }

    @Test("Numbers are in the order of their words")
    func order() throws {
        let numbers = NumberCases.all.compactMap { row in
            row.word.flatMap { word in UInt256(digits: Array(row.text.utf8), radix: row.radix).map { (word, $0) } }
        }
        for (left, one) in numbers {
            for (right, other) in numbers {
                #expect((one < other) == (left < right))
                #expect((one == other) == (left == right))
                #expect((one <= other) == (left <= right))
            }
        }
    }

    @Test("Words have 32 bytes")
    func words() {
        for count in [0, 31, 33, 64] { #expect(UInt256(word: [UInt8](repeating: 0, count: count)) == nil) }
        #expect(UInt256(word: [UInt8](repeating: 0xFF, count: 32)) == .max)
    }

    @Test("Typed data's numbers have one reading", arguments: NumberCases.json)
    func json(text: String, decimal: String?) throws {
        let number = try? UInt256.read(JSONValue(parsing: text), at: "")
        #expect(number?.decimalText == decimal)
    }

    @Test("What is missing is no number")
    func missing() {
        #expect(throws: SigningError.self) { try UInt256.read(nil, at: "/here") }
    }

    @Test(
        "Thirty-two bytes have one notation",
        arguments: [
            ("0x" + String(repeating: "ab", count: 32), true), ("0x" + String(repeating: "AB", count: 32), true),
            ("0X" + String(repeating: "ab", count: 32), false), (String(repeating: "ab", count: 33), false),
            ("0x" + String(repeating: "ab", count: 31), false), ("0x" + String(repeating: "ab", count: 33), false),
            ("0x" + String(repeating: "ab", count: 31) + "a", false),
            ("0x" + String(repeating: "ag", count: 32), false),
            ("0x" + String(repeating: "ab", count: 31) + "\u{e9}", false), ("", false), ("0x", false),
        ])
    func bytes32(text: String, isGood: Bool) {
        #expect(((try? readBytes32(.string(text), at: "")) != nil) == isGood)
    }

    @Test(
        "Compact numbers have one form and sixteen bits",
        arguments: [
            ([0], 0), ([1], 1), ([0x7F], 127), ([0x80, 1], 128), ([0xFF, 0x7F], 16383), ([0x80, 0x80, 1], 16384),
            ([0xFF, 0xFF, 3], 65535), ([0x80, 0x80, 4], nil), ([0xFF, 0xFF, 0x7F], nil), ([0xFF, 0xFF, 0x83, 0], nil),
            ([0x80, 0], nil), ([0x81, 0], nil), ([0x80, 0x80, 0], nil), ([0x81, 0x80, 0], nil), ([], nil),
            ([0x80], nil),
            ([0x80, 0x80], nil),
        ] as [([UInt8], Int?)])
    func compact(bytes: [UInt8], number: Int?) {
        var reader = ByteReader(bytes)
        #expect((try? reader.count()) == number)
        #expect(reader.isAtEnd || number == nil)
    }
}
