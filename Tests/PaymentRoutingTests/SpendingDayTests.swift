import Foundation
import PaymentCore
import PaymentRouting
import Testing

@Suite("Days of the payer's calendar")
struct SpendingDayTests {
    private static func moment(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test("A day ends at midnight where the payer is, also on days of 23 and 25 hours")
    func midnight() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let samoa = try #require(TimeZone(identifier: "Pacific/Apia"))
        for (moment, zone, day) in [
            ("2026-11-22T22:59:59Z", berlin, "2026-11-22"), ("2026-11-22T23:00:00Z", berlin, "2026-11-23"),
            // Clocks go forward at 01:00 UTC: 23 hours.
            ("2026-03-28T23:00:00Z", berlin, "2026-03-29"), ("2026-03-29T21:59:59Z", berlin, "2026-03-29"),
            ("2026-03-29T22:00:00Z", berlin, "2026-03-30"),
            // And back: 25 hours.
            ("2026-10-24T22:00:00Z", berlin, "2026-10-25"), ("2026-10-25T22:59:59Z", berlin, "2026-10-25"),
            ("2026-10-25T23:00:00Z", berlin, "2026-10-26"),
            // 30 December 2011 was left out.
            ("2011-12-30T09:59:59Z", samoa, "2011-12-29"), ("2011-12-30T10:00:00Z", samoa, "2011-12-31"),
            ("2000-02-29T12:00:00Z", .gmt, "2000-02-29"), ("2100-02-28T23:59:59Z", .gmt, "2100-02-28"),
            ("2100-03-01T00:00:00Z", .gmt, "2100-03-01"), ("1969-12-31T23:59:59Z", .gmt, "1969-12-31"),
        ] {
            #expect(SpendingDay(try Self.moment(moment), in: zone).description == day, "\(moment)")
        }
    }

    @Test("Days are those of the calendar, for eight centuries")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for number in stride(from: -140_000, through: 160_000, by: 37) {
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200))
            let text = String(format: "%d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            #expect(SpendingDay(number: number).description == text)
        }
    }

    @Test("A week begins on Monday and a month on its first, whichever of their days it is")
    func periods() {
        // 23 to 29 November 2026.
        for number in 20780...20786 {
            #expect(SpendingDay(number: number).first(of: .week).description == "2026-11-23")
            #expect(SpendingDay(number: number).first(of: .month).description == "2026-11-01")
            #expect(SpendingDay(number: number).first(of: .day).number == number)
        }
        #expect(SpendingDay(number: 20787).first(of: .week).description == "2026-11-30")
        // The week of 1 January 1970, and the one before.
        #expect((-4 ... -3).map { SpendingDay(number: $0).first(of: .week).number } == [-10, -3])
    }

    @Test(
        "What counts on a day begins with its week or its month, whichever is earlier, in any time zone",
        arguments: [
            // In another zone it may be two days before. 1 December 2026 is a Tuesday, 1 November 2026 a Sunday.
            ("2026-12-01", "2026-11-01"), ("2026-12-02", "2026-11-01"), ("2026-12-03", "2026-11-30"),
            ("2026-12-08", "2026-11-30"), ("2026-12-09", "2026-12-01"), ("2026-11-03", "2026-10-26"),
        ])
    func firstThatCounts(today: String, first: String) throws {
        let day = SpendingDay(try Self.moment("\(today)T12:00:00Z"), in: .gmt)
        #expect(day.firstThatCounts.description == first)
    }

    @Test("A date that is not a number falls on the day that the count begins on")
    func notANumber() throws {
        for seconds in [-1, 0, 1] {
            let zone = try #require(TimeZone(secondsFromGMT: seconds))
            let beginning = SpendingDay(Date(timeIntervalSince1970: 0), in: zone)
            #expect(SpendingDay(Date(timeIntervalSince1970: .nan), in: zone) == beginning)
        }
    }

    @Test("No date traps", arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e300, -1e300, 0])
    func oddDates(seconds: Double) throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let day = SpendingDay(Date(timeIntervalSince1970: seconds), in: zone)
        #expect(abs(day.number) <= 36_525_000 && !day.description.isEmpty)
        #expect(SpendingDay(number: .max).number == 36_525_000 && SpendingDay(number: .min).number == -36_525_000)
    }
}
