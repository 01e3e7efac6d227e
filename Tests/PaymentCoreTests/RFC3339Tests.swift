import Foundation
import PaymentCore
import Testing

@Suite("Moments of RFC 3339")
struct RFC3339Tests {
    @Test(
        "Both grammars read what services write",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("1969-12-31T23:59:59.25Z", -1, 250_000_000),
            ("0000-03-01T00:00:00Z", -62_162_035_200, 0),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
            ("2024-02-29T12:00:00.000000001Z", 1_709_208_000, 1),
        ] as [(String, Int64, Int64)])
    func both(text: String, seconds: Int64, nanoseconds: Int64) throws {
        for grammar in [RFC3339.Grammar.utc, .lenient] {
            let time = try #require(RFC3339(text, grammar))
            #expect(time.text == text && time.seconds == seconds && time.nanoseconds == nanoseconds)
        }
    }

    @Test(
        "What common parsers take besides is read by the lenient grammar alone",
        arguments: [
            ("2024-02-28T24:00:00Z", 1_709_164_800), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("2024-02-29t12:00:00z", 1_709_208_000), ("2024-02-29T12:00:00", 1_709_208_000),
            ("2024-02-29T13:30:00+01:30", 1_709_208_000), ("2024-02-29T10:30:00-0130", 1_709_208_000),
            ("2024-02-29T12:00:00.1234567899Z", 1_709_208_000),
        ] as [(String, Int64)])
    func lenient(text: String, seconds: Int64) {
        #expect(RFC3339(text, .lenient)?.seconds == seconds)
        #expect(RFC3339(text) == nil)
    }

    @Test(
        "No grammar reads what is no moment",
        arguments: [
            "", "2024-02-30T12:00:00Z", "2023-02-29T12:00:00Z", "2024-00-01T12:00:00Z", "2024-04-31T12:00:00Z",
            "2024-01-00T12:00:00Z", "2024-02-28T24:00:01Z", "2024-02-28T12:60:00Z", "2024-02-28T12:00:61Z",
            "2024-02-28T12:00:00.Z", "2024-02-28T12:00Z", "2024-02-28 12:00:00Z", "2024-02-28T12:00:00Z ",
            "2024-02-28T12:00:00+24:00", "2024-02-28T12:00:00+00:60", "2024-02-28T12:00:00+01", "+024-02-28T12:00:00Z",
            "2024-02-28T1\u{0662}:00:00Z", "12024-02-28T12:00:00Z",
        ])
    func neither(text: String) {
        #expect(RFC3339(text) == nil && RFC3339(text, .lenient) == nil)
    }

    @Test("What is written reads as the same moment, within the years of four digits")
    func written() {
        for seconds in stride(from: -62_135_596_800 as Int64, through: 253_402_300_799, by: 77_777_777_777) {
            let (whole, exact) = (RFC3339(seconds: seconds), RFC3339(seconds: seconds, nanoseconds: 7))
            #expect(RFC3339(whole.text) == whole && whole.seconds == seconds && whole.text.utf8.count == 20)
            #expect(RFC3339(exact.text) == exact && exact.text.hasSuffix(".000000007Z"))
        }
        #expect(RFC3339(seconds: .min).text == "0001-01-01T00:00:00Z")
        #expect(RFC3339(seconds: .max).text == "9999-12-31T23:59:59Z")
    }

    @Test("A date is written to the second, and one that no year of four digits has as the nearest that one has")
    func dates() throws {
        let dates: [(Double, String)] = [
            (0, "1970-01-01T00:00:00Z"), (-0.5, "1969-12-31T23:59:59Z"), (1_709_208_000.9, "2024-02-29T12:00:00Z"),
            (1e15, "9999-12-31T23:59:59Z"), (-1e15, "0001-01-01T00:00:00Z"), (.infinity, "9999-12-31T23:59:59Z"),
        ]
        for (seconds, text) in dates { #expect(RFC3339(Date(timeIntervalSince1970: seconds)).text == text) }
        #expect(try #require(RFC3339("1969-12-31T23:59:59.25Z")).date == Date(timeIntervalSince1970: -0.75))
    }

    @Test("Dates of header fields are written as RFC 9110 shows them, and only days that there are are read")
    func headers() {
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(Date(timeIntervalSince1970: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for day in -800..<800 {
            let date = Date(timeIntervalSince1970: Double(day * 86_400 + 86_399))
            #expect(HTTPDate.parse(HTTPDate.text(date), now: now) == date)
        }
        #expect(HTTPDate.parse("Thu, 31 Feb 2030 00:00:00 GMT", now: now) == nil)
    }

    @Test(
        "Days are read as full dates",
        arguments: [("2024-02-29", 19_782), ("1969-12-31", -1), ("0001-01-01", -719_162)])
    func days(text: String, number: Int) {
        #expect(CivilDay(text.utf8)?.number == number && CivilDay(number: number).text == text)
        #expect(CivilDay((text + "Z").utf8) == nil && CivilDay(text.dropLast().utf8) == nil)
    }
}
