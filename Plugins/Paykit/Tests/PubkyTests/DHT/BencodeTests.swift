import PaymentCore
import PaymentCrypto
import PaymentTesting
import Testing

@testable import PaykitProvider

/// BEP 3 for untrusted input.
@Suite("Bencoding")
struct BencodeTests {
    private func error(_ text: String) -> WireDefect? {
        do {
            _ = try Bencode(text.utf8)
            return nil
        } catch { return error }
    }

    enum Reason: String {
        case incomplete = "it ends too early"
        case unknownValue = "no value begins with this byte"
        case number = "a number is not in its only spelling, or too large"
        case name = "a name is not bytes"
        case repeatedName = "a name comes twice"
        case oneMore = "1 bytes follow its end"
        case threeMore = "3 bytes follow its end"
        case tooLarge = "it is too large"
    }

    @Test(
        "What is canonical comes out as it went in",
        arguments: [
            "i0e", "i-1e", "i42e", "i9223372036854775807e", "i-9223372036854775808e", "0:", "4:spam", "le",
            "l4:spami-3ee", "de", "d1:ai1e1:bi2ee", "d1:ad2:idi1eee", "lllleeee", "d0:0:e",
        ])
    func canonical(_ text: String) throws {
        #expect(try String(decoding: Bencode(text.utf8).encoded, as: UTF8.self) == text)
    }

    @Test("Names may come in any order and are written in theirs")
    func order() throws {
        let value = try Bencode("d1:bi2e2:aai3e1:ai1ee".utf8)
        #expect(String(decoding: value.encoded, as: UTF8.self) == "d1:ai1e2:aai3e1:bi2ee")
        // By their bytes, not as text is sorted.
        let bytes = Bencode.dictionary([
            [0xFF]: .integer(1), [0x7F]: .integer(2), [0x7F, 0]: .integer(3), []: .integer(0),
        ])
        #expect(Hex.encode(bytes.encoded) == "64303a693065313a7f693265323a7f00693365313aff6931656" + "5")
    }

    @Test(
        "What has another spelling, or ends too early, is refused at its place",
        arguments: [
            ("", Reason.incomplete, 0), ("i", .incomplete, 1), ("i12", .incomplete, 3), ("ie", .number, 1),
            ("i-e", .number, 2), ("i-0e", .number, 3), ("i01e", .number, 3), ("i-01e", .number, 4),
            ("i+1e", .number, 1),
            ("i1.5e", .number, 2), ("i9223372036854775808e", .number, 19), ("i-9223372036854775809e", .number, 20),
            ("i 1e", .number, 1), ("4:spa", .incomplete, 2), ("4spam", .number, 1), ("04:spam", .number, 2),
            ("-1:a", .unknownValue, 0), ("99999999999999999999:a", .number, 18),
            ("9223372036854775807:a", .incomplete, 20),
            ("l", .incomplete, 1), ("li1e", .incomplete, 4), ("d", .incomplete, 1), ("d1:a", .incomplete, 4),
            ("di1ei2ee", .name, 1), ("d1:ae", .unknownValue, 4), ("d1:ai1e1:ai2ee", .repeatedName, 7),
            ("e", .unknownValue, 0), ("x", .unknownValue, 0), ("i1ei2e", .threeMore, 3), ("dee", .oneMore, 2),
            (" i1e", .unknownValue, 0),
        ])
    func refused(_ text: String, _ reason: Reason, _ offset: Int) {
        #expect(error(text) == WireDefect(reason.rawValue, at: offset), "\(text)")
    }

    @Test("Nothing is read that is deeper, longer or has more values than allowed")
    func limits() {
        let tooLarge = Reason.tooLarge.rawValue
        #expect(error(String(repeating: "l", count: 8) + String(repeating: "e", count: 8)) == nil)
        #expect(error(String(repeating: "l", count: 9) + String(repeating: "e", count: 9))?.reason == tooLarge)
        #expect(error(String(repeating: "l", count: 2000))?.reason == tooLarge)
        #expect(error(String(repeating: "d1:a", count: 500))?.reason == tooLarge)
        #expect(error("l" + String(repeating: "le", count: 1023) + "e") == nil)
        #expect(error("l" + String(repeating: "0:", count: 1023) + "0:e")?.reason == tooLarge)
        #expect(error("2044:" + String(repeating: "a", count: 2044))?.reason == tooLarge)
        #expect(error("2043:" + String(repeating: "a", count: 2043)) == nil)
    }

    @Test("Whatever bytes come, reading ends, and what was read is written so that it is read again")
    func noise() throws {
        var random = SplitMix64(seed: 7)
        let pieces = ["d", "l", "i", "e", "1:", "1:a", "20:", "i1e", "0", "-", "9", ":", "4:spam", "\u{0}"].map {
            Array($0.utf8)
        }
        var understood = 0
        for _ in 0..<20_000 {
            let bytes = (0..<random.next() % 12).flatMap { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
            guard let value = try? Bencode(bytes) else { continue }
            understood += 1
            #expect(try Bencode(value.encoded) == value)
        }
        #expect(understood > 100)
    }
}
