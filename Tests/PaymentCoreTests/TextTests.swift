import PaymentCore
import PaymentTesting
import Testing

@Suite("Text helpers")
struct TextTests {
    @Test("Hexadecimal")
    func hex() {
        #expect(Hex.encode([] as [UInt8]) == "")
        #expect(Hex.encode([0, 0x0A, 0xFF]) == "000aff")
        #expect(Hex.decode("0x000aFF") == [0, 0x0A, 0xFF])
        #expect(Hex.decode("0X") == [])
        for broken in ["0", "0x0", "0g", "+1", " 01", "0x0x", "１2", "ab c"] {
            #expect(Hex.decode(broken) == nil, "\(broken)")
        }
        #expect(Hex.decode(Hex.encode(0...255)) == Array(0...255))
        #expect((0...255).filter { Hex.value(of: $0) != nil }.count == 22)
    }

    @Test(
        "Percent-decoding",
        arguments: [
            ("", ""), ("a%20b", "a b"), ("a+b", "a+b"), ("%C3%A9", "é"), ("%c3%a9", "é"), ("%00", "\u{0}"),
            ("%25%32%30", "%20"), ("é", "é"),
            ("%", nil), ("%2", nil), ("%zz", nil), ("%-1", nil), ("%FF", nil), ("%C3", nil), ("%C0%80", nil),
            ("%ED%A0%80", nil), ("%２0", nil),
        ] as [(String, String?)])
    func percentDecoding(text: String, expected: String?) {
        #expect(PercentCoding.decode(text) == expected)
    }

    @Test("Percent-encoding")
    func percentEncoding() {
        #expect(PercentCoding.encode("aZ09-_.~") == "aZ09-_.~")
        #expect(PercentCoding.encode("a b+é/%") == "a%20b%2B%C3%A9%2F%25")
        #expect(PercentCoding.encode("a/b c") { $0 != 0x20 } == "a/b%20c")
        #expect(PercentCoding.decode("a+b%2B", plusIsSpace: true) == "a b+")
    }

    @Test("Decoding undoes encoding for any text")
    func roundTrip() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(PercentCoding.decode(PercentCoding.encode(text)) == text)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }

    @Test("Random identifiers have the documented form and differ")
    func uuid() throws {
        let source = SystemRandomSource()
        var seen: Set<String> = []
        for _ in 0..<200 {
            let id = source.uuid()
            #expect(
                try #/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/#.wholeMatch(in: id) != nil)
            seen.insert(id)
        }
        #expect(seen.count == 200)
    }

    @Test("Random text comes from the given source alone")
    func scripted() {
        struct Fixed: RandomSource {
            let word: UInt64
            func next() -> UInt64 { word }
        }
        #expect(Fixed(word: 0).uuid() == "00000000-0000-4000-8000-000000000000")
        #expect(Fixed(word: .max).uuid() == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(Fixed(word: 0x0123_4567_89AB_CDEF).hex(20) == "fedcba9876543210fedc")
        #expect(Fixed(word: 1).hex(0) == "")
        #expect(Fixed(word: 0).fraction() == 0)
        #expect(Fixed(word: .max).fraction() < 1)
    }
}
