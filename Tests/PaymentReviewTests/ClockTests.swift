import Foundation
import PaymentCore
import PaymentReview
import Testing

/// Times at the limits: of a day, of the calendar, and of numbers.
struct ClockTests {
    private static let day: UInt64 = 86_400

    /// The code of a permit that is valid until `end`, by a clock that shows `now`.
    private func code(end: String, now: Date) throws -> String? {
        var sample = try Sample(Sample.permit)
        try sample.typedData { $0["message"]?["deadline"] = .string(end) }
        let option = AgreedOption(reading: try #require(sample.json["option"]))
        let payer = try AccountID(option.account)
        do {
            let review = try SigningReviewer().review(
                option, calls: sample.json["calls"]?.array ?? [], payer: [payer], now: now)
            #expect(review.description.utf8.count < 1000)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test(
        "A signature is good for at most a day, to the second",
        arguments: [
            (-1, "deadline-past"), (0, "deadline-past"), (1, nil), (86_399, nil), (86_400, nil),
            (86_401, "deadline-too-far"),
        ] as [(Int, String?)])
    func day(delay: Int, code expected: String?) throws {
        for fraction in [0.0, 0.5, 0.999] {
            let now = Date(timeIntervalSince1970: 1_793_021_400 + fraction)
            #expect(try code(end: String(1_793_021_400 + delay), now: now) == expected)
        }
    }

    @Test(
        "A clock that shows no time of ours lets nothing pass",
        arguments: [
            -6.2e10, -1, .nan, .infinity, -.infinity, 9.2e18, 1.8446744073709550e19, .greatestFiniteMagnitude, 1e15,
            6.4e10,
        ] as [Double])
    func strangeClocks(seconds: Double) throws {
        let now = Date(timeIntervalSince1970: seconds)
        for end in [
            "1793022540", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
            "253402300800", "1000000000086400",
            "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        ] {
            #expect(try code(end: end, now: now) != nil, "\(end)")
        }
    }

    @Test("The calendar's last day is announced like any other")
    func lastDay() throws {
        let last: Double = 253_402_300_799
        #expect(try code(end: "253402300799", now: Date(timeIntervalSince1970: last - 86_400)) == nil)
        #expect(
            try code(end: "253402300800", now: Date(timeIntervalSince1970: last - 86_399)) == "deadline-too-far")
    }

    @Test("Cases at the end of 64 bits have an answer")
    func largestCase() throws {
        var sample = try Sample(Sample.permit)
        sample.json["now"] = .number(JSONNumber(Int64.max))
        try sample.typedData { $0["message"]?["deadline"] = "9223372036854775900" }
        #expect(try sample.code == "deadline-too-far")
    }

    @Test("Spans are written with fitting units")
    func spans() throws {
        for (delay, words) in [(119, "119 seconds"), (120, "2 minutes"), (7199, "119 minutes"), (7200, "2 hours")] {
            var sample = try Sample(Sample.permit)
            sample.json["now"] = .number(JSONNumber(1_793_022_540 - delay))
            #expect(try sample.text.contains("until 13:49:00 UTC on 2026-10-26, in \(words)"))
        }
    }
}
