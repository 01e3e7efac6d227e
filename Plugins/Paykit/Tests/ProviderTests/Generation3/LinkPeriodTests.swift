import PaymentCore
import Testing

@testable import PaykitProvider

/// The due times of recurring requests (Protocol 12.5).
@Suite("Periods of private requests")
struct LinkPeriodTests {
    private func recurrence(
        _ every: UInt32, _ unit: PrivateLinkRecurrence.Unit, from start: String, anchor: String? = nil,
        until end: String? = nil
    ) throws -> PrivateLinkRecurrence {
        try PrivateLinkRecurrence(
            every: every, unit, start: #require(PrivateLinkTime(start)),
            anchor: #require(PrivateLinkTime(anchor ?? start)),
            end: end.flatMap { PrivateLinkTime($0) })
    }

    private func starts(_ recurrence: PrivateLinkRecurrence, _ count: Int) throws -> [String] {
        let schedule = try recurrence.schedule()
        return (0..<count).compactMap { schedule.period($0) }.compactMap { BillingPeriod($0)?.start.text }
    }

    @Test("A day that a month lacks is its last, and the next month has it again")
    func clamped() throws {
        let monthly = try recurrence(1, .month, from: "2026-01-31T08:00:00Z")
        #expect(
            try starts(monthly, 4) == [
                "2026-01-31T08:00:00Z", "2026-02-28T08:00:00Z", "2026-03-31T08:00:00Z", "2026-04-30T08:00:00Z",
            ])
        let yearly = try recurrence(1, .year, from: "2024-02-29T00:00:00Z")
        #expect(try starts(yearly, 2) == ["2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z"])
    }

    @Test("Periods are counted from the anchor, the first being the first that begins no sooner than the start")
    func anchored() throws {
        let fortnight = try recurrence(2, .week, from: "2026-10-01T00:00:00Z", anchor: "2026-09-25T12:00:00Z")
        #expect(try starts(fortnight, 2) == ["2026-10-09T12:00:00Z", "2026-10-23T12:00:00Z"])
        let before = try recurrence(1, .day, from: "2026-10-01T13:00:00Z", anchor: "2026-12-25T12:00:00Z")
        #expect(try starts(before, 1) == ["2026-10-02T12:00:00Z"])
        let month = try recurrence(1, .month, from: "2026-10-20T00:00:00Z", anchor: "2026-01-15T06:00:00Z")
        #expect(try starts(month, 2) == ["2026-11-15T06:00:00Z", "2026-12-15T06:00:00Z"])
    }

    @Test("Several months or years at a time are counted from the anchor, over years, with the days that there are")
    func several() throws {
        let quarterly = try recurrence(3, .month, from: "2026-03-01T00:00:00Z", anchor: "2025-11-30T09:00:00Z")
        #expect(
            try starts(quarterly, 5) == [
                "2026-05-30T09:00:00Z", "2026-08-30T09:00:00Z", "2026-11-30T09:00:00Z", "2027-02-28T09:00:00Z",
                "2027-05-30T09:00:00Z",
            ])
        // An anchor that comes later counts backwards too.
        let before = try recurrence(5, .month, from: "2026-01-31T00:00:00Z", anchor: "2030-03-31T00:00:00Z")
        #expect(
            try starts(before, 3) == ["2026-01-31T00:00:00Z", "2026-06-30T00:00:00Z", "2026-11-30T00:00:00Z"])
        let leap = try recurrence(4, .year, from: "2023-01-01T00:00:00Z", anchor: "2024-02-29T12:00:00Z")
        #expect(try starts(leap, 2) == ["2024-02-29T12:00:00Z", "2028-02-29T12:00:00Z"])
        let odd = try recurrence(3, .year, from: "2025-03-01T00:00:00Z", anchor: "2024-02-29T12:00:00Z")
        #expect(
            try starts(odd, 3) == ["2027-02-28T12:00:00Z", "2030-02-28T12:00:00Z", "2033-02-28T12:00:00Z"])
        #expect(
            quarterly.has(
                try BillingPeriod(
                    start: #require(PrivateLinkTime("2026-11-30T09:00:00Z")),
                    end: #require(PrivateLinkTime("2027-02-28T09:00:00Z"))))
        )
        #expect(
            !quarterly.has(
                try BillingPeriod(
                    start: #require(PrivateLinkTime("2026-06-30T09:00:00Z")),
                    end: #require(PrivateLinkTime("2026-09-30T09:00:00Z"))))
        )
    }

    @Test("Nothing begins at the end or after it, and more than a hundred years at a time are said not to be known")
    func bounds() throws {
        let short = try recurrence(1, .day, from: "2026-10-01T00:00:00Z", until: "2026-10-03T00:00:00Z")
        #expect(try starts(short, 5).count == 2)
        #expect(throws: RecurringDefect.interval) {
            _ = try recurrence(1201, .month, from: "2026-10-01T00:00:00Z").schedule()
        }
        #expect(throws: RecurringDefect.interval) {
            _ = try recurrence(.max, .year, from: "2026-10-01T00:00:00Z").schedule()
        }
    }

    @Test("Only what is one of the periods, to the second, is one")
    func belongs() throws {
        let monthly = try recurrence(1, .month, from: "2026-10-01T00:00:00Z", until: "2027-01-01T00:00:00Z")
        func has(_ start: String, _ end: String) throws -> Bool {
            monthly.has(try BillingPeriod(start: #require(PrivateLinkTime(start)), end: #require(PrivateLinkTime(end))))
        }
        #expect(try has("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"))
        #expect(try has("2026-11-01T00:00:00.0Z", "2026-12-01T00:00:00Z"))
        #expect(try !has("2026-11-01T00:00:01Z", "2026-12-01T00:00:00Z"))
        #expect(try !has("2026-11-01T00:00:00Z", "2026-12-02T00:00:00Z"))
        #expect(try !has("2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z"))
        #expect(try !has("2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"))
    }
}
