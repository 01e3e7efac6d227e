import Foundation
import PaymentCore
import Testing

@Suite("Schedules of what recurs")
struct ScheduleTests {
    static func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    static func date(_ text: String) throws -> Date {
        try Date(text, strategy: Date.ISO8601FormatStyle(timeZone: .gmt))
    }

    private static func starts(_ schedule: RecurringSchedule, _ numbers: Range<Int>) -> [String] {
        let style = Date.ISO8601FormatStyle(timeZone: schedule.timeZone)
        return numbers.compactMap { schedule.period($0).map { style.format($0.start) } }
    }

    private static func days(_ schedule: RecurringSchedule, _ numbers: Range<Int>) -> [String] {
        starts(schedule, numbers).map { String($0.prefix(10)) }
    }

    @Test("Days are counted as calendars count them, for eight thousand years")
    func civilDays() {
        #expect(CivilDay.number(year: 1970, month: 1, day: 1) == 0)
        #expect(CivilDay.number(year: 2000, month: 3, day: 1) == 11_017)
        var (number, wrong) = (CivilDay.number(year: 1, month: 1, day: 1), 0)
        for year in 1...8000 {
            for month in 1...12 {
                let count = CivilDay.count(year: year, month: month)
                if CivilDay.number(year: year, month: month, day: 1) != number { wrong += 1 }
                for day in [1, count] {
                    let found = CivilDay(number: number + day - 1)
                    let expected = CivilDay(year: year, month: month, day: day)
                    if found != expected || found.number != number + day - 1 { wrong += 1 }
                }
                number += count
            }
        }
        #expect(wrong == 0)
    }

    @Test("A month without the day has its last one, and the next month has the day again")
    func monthEnds() throws {
        let schedule = try RecurringSchedule(.monthly(day: 31), from: Self.date("2027-12-31T09:00:00Z"))
        #expect(
            Self.days(schedule, 0..<7) == [
                "2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30", "2028-05-31", "2028-06-30",
            ])
    }

    @Test("29 February is the 28th in years without one, and in 2100")
    func leapDays() throws {
        let schedule = try RecurringSchedule(.yearly(month: 2, day: 29), from: Self.date("2096-01-01T00:00:00Z"))
        #expect(
            Self.days(schedule, 0..<9) == [
                "2096-02-29", "2097-02-28", "2098-02-28", "2099-02-28", "2100-02-28", "2101-02-28", "2102-02-28",
                "2103-02-28", "2104-02-29",
            ])
    }

    @Test("Every few months are counted from the first that has the day after the start, each at its last day at most")
    func months() throws {
        let quarters = try RecurringSchedule(.months(every: 3, day: 31), from: Self.date("2026-12-01T00:00:00Z"))
        #expect(
            Self.days(quarters, 0..<6) == [
                "2026-12-31", "2027-03-31", "2027-06-30", "2027-09-30", "2027-12-31", "2028-03-31",
            ])
        let later = try RecurringSchedule(.months(every: 2, day: 10), from: Self.date("2026-12-11T00:00:00Z"))
        #expect(Self.days(later, 0..<3) == ["2027-01-10", "2027-03-10", "2027-05-10"])
        let years = try RecurringSchedule(.months(every: 24, day: 29), from: Self.date("2026-02-28T06:00:00Z"))
        #expect(Self.days(years, 0..<4) == ["2026-02-28", "2028-02-29", "2030-02-28", "2032-02-29"])
        let single = try RecurringSchedule(.monthly(day: 30), from: Self.date("2026-01-15T06:00:00Z"))
        let same = try RecurringSchedule(.months(every: 1, day: 30), from: Self.date("2026-01-15T06:00:00Z"))
        #expect((0..<40).allSatisfy { single.period($0) == same.period($0) })
    }

    @Test("The first period is the first day of the rhythm that is not before the start")
    func first() throws {
        for (start, first) in [
            ("2026-03-10T12:00:00Z", "2026-03-10"), ("2026-03-11T00:00:00Z", "2026-04-10"),
            ("2026-12-11T00:00:00Z", "2027-01-10"),
        ] {
            let schedule = try RecurringSchedule(.monthly(day: 10), from: Self.date(start))
            #expect(Self.days(schedule, 0..<1) == [first])
        }
        let yearly = try RecurringSchedule(.yearly(month: 3, day: 9), from: Self.date("2026-03-10T12:00:00Z"))
        #expect(Self.days(yearly, 0..<1) == ["2027-03-09"])
    }

    @Test(
        "Across a change of the clocks a day keeps its hour; one that is left out is counted on, one that comes twice is the first"
    )
    func clockChanges() throws {
        let berlin = try Self.zone("Europe/Berlin")
        // 29 March 2026: 2:00 becomes 3:00. 25 October: 3:00 becomes 2:00.
        let spring = try RecurringSchedule(.daily, from: Self.date("2026-03-28T01:30:00Z"), in: berlin)
        #expect(
            Self.starts(spring, 0..<3) == [
                "2026-03-28T02:30:00+0100", "2026-03-29T03:30:00+0200", "2026-03-30T02:30:00+0200",
            ])
        let autumn = try RecurringSchedule(.daily, from: Self.date("2026-10-24T00:30:00Z"), in: berlin)
        #expect(
            Self.starts(autumn, 0..<3) == [
                "2026-10-24T02:30:00+0200", "2026-10-25T02:30:00+0200", "2026-10-26T02:30:00+0100",
            ])
    }

    @Test("A day that a zone left out is an empty period; the days around it are not")
    func leftOut() throws {
        // Samoa went from 29 to 31 December 2011.
        let apia = try Self.zone("Pacific/Apia")
        let schedule = try RecurringSchedule(.daily, from: Self.date("2011-12-29T10:00:00Z"), in: apia)
        let periods = (0..<4).compactMap { schedule.period($0) }
        #expect(periods.map(\.isEmpty) == [false, true, false, false])
        #expect(Self.days(schedule, 0..<4) == ["2011-12-29", "2011-12-31", "2011-12-31", "2012-01-01"])
    }

    @Test(
        "Periods follow each other without a gap, and the last one that has begun is found at any moment",
        arguments: [
            "GMT", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia",
            "Africa/Casablanca", "America/Santiago",
        ])
    func follow(_ zone: String) throws {
        let zone = try Self.zone(zone)
        let start = try Self.date("2010-01-31T23:59:59Z")
        for rhythm in [
            RecurringSchedule.Rhythm.daily, .weekly, .monthly(day: 31), .monthly(day: 1), .yearly(month: 2, day: 29),
            .every(seconds: 86_399), .months(every: 5, day: 31),
        ] {
            let schedule = try RecurringSchedule(rhythm, from: start, in: zone)
            var (number, end) = (0, try #require(schedule.period(0)).start)
            #expect(end >= start)
            #expect(schedule.lastPeriod(at: end.addingTimeInterval(-1)) == nil)
            while end < start.addingTimeInterval(6 * 365.25 * 86_400) {
                let period = try #require(schedule.period(number))
                #expect(period.start == end && period.end >= period.start)
                if !period.isEmpty, number % 7 < 2 {
                    #expect(schedule.lastPeriod(at: period.start) == period)
                    #expect(schedule.lastPeriod(at: period.end.addingTimeInterval(-1)) == period)
                }
                (number, end) = (number + 1, period.end)
            }
        }
    }

    @Test("Nothing is due from the end on, nor after the last of so many; the last one stays the last")
    func ends() throws {
        let start = try Self.date("2026-01-01T00:00:00Z")
        let until = try RecurringSchedule(.daily, from: start, until: start.addingTimeInterval(3 * 86_400))
        #expect((0..<5).map { until.period($0) != nil } == [true, true, true, false, false])
        #expect(until.lastPeriod(at: .distantFuture)?.number == 2)
        let counted = try RecurringSchedule(.daily, from: start, count: 2, firstNumber: 7)
        #expect((6..<10).map { counted.period($0) != nil } == [false, true, true, false])
        #expect(counted.lastPeriod(at: .distantFuture)?.number == 8)
    }

    @Test("A schedule that cannot recur is refused, and a senseless one does not trap")
    func refused() throws {
        let start = try Self.date("2026-01-01T00:00:00Z")
        func defect(_ rhythm: RecurringSchedule.Rhythm, _ start: Date, until end: Date? = nil, count: Int? = nil)
            -> RecurringDefect?
        {
            do throws(RecurringDefect) {
                _ = try RecurringSchedule(rhythm, from: start, until: end, count: count)
                return nil
            } catch { return error }
        }
        #expect(defect(.monthly(day: 0), start) == .day)
        #expect(defect(.monthly(day: 32), start) == .day)
        #expect(defect(.yearly(month: 2, day: 30), start) == .day)
        #expect(defect(.yearly(month: 13, day: 1), start) == .day)
        #expect(defect(.months(every: 2, day: 32), start) == .day)
        for every in [0, -1, 1201] { #expect(defect(.months(every: every, day: 1), start) == .interval) }
        #expect(defect(.every(seconds: 0), start) == .interval)
        #expect(defect(.every(seconds: .min), start) == .interval)
        #expect(defect(.every(seconds: .max), start) == .interval)
        #expect(defect(.daily, start, until: start) == .end)
        #expect(defect(.daily, start, count: 0) == .count)
        #expect(defect(.daily, Date(timeIntervalSince1970: .infinity)) == .start)
        #expect(defect(.daily, Date(timeIntervalSince1970: .nan)) == .start)
        for rhythm in [RecurringSchedule.Rhythm.yearly(month: 1, day: 1), .every(seconds: 3_200_000_000), .daily] {
            let schedule = try RecurringSchedule(rhythm, from: start)
            #expect(schedule.period(.max) == nil && schedule.period(.min) == nil)
            #expect(schedule.period(RecurringSchedule.maximumCount - 1) == nil || rhythm == .daily)
            #expect(schedule.lastPeriod(at: .distantFuture) != nil)
        }
    }
}
