/// The due dates of a recurring request, on the same schedules as other recurring payments (Protocol 12.5): in UTC,
/// counted from the anchor. In a month without the day, its last day counts. The first period begins no sooner than the
/// start.
extension PrivateLinkRecurrence {
    /// Returns the schedule. Throws `RecurringDefect`, `interval` for more than a hundred years between two periods.
    package func schedule() throws(RecurringDefect) -> RecurringSchedule {
        let seconds: Int64? =
            switch unit {
            case .minute: 60
            case .hour: 3600
            case .day: 86_400
            case .week: 604_800
            case .month, .year: nil
            }
        let rhythm: RecurringSchedule.Rhythm
        let first: Int64
        if let seconds {
            let (step, isTooLong) = seconds.multipliedReportingOverflow(by: Int64(every))
            guard !isTooLong else { throw .interval }
            rhythm = .every(seconds: step)
            first = anchor.seconds + Self.ceiling(start.seconds - anchor.seconds, step) * step
        } else {
            let day = CivilDay(number: CivilDay.split(Int(anchor.seconds)).day)
            let months = Int(every) * (unit == .month ? 1 : 12)
            guard months <= 1200 else { throw .interval }
            rhythm =
                switch (unit, every) {
                case (.month, 1): .monthly(day: day.day)
                case (.year, 1): .yearly(month: day.month, day: day.day)
                default: .months(every: months, day: day.day)
                }
            first = firstDay(day, every: months)
        }
        // Schedules begin at whole seconds.
        guard anchor.nanoseconds == Int128(anchor.seconds) * 1_000_000_000 else { throw .start }
        return try RecurringSchedule(
            rhythm, from: Date(timeIntervalSince1970: Double(first)),
            until: end.map { Date(timeIntervalSince1970: Double($0.nanoseconds) / 1e9) })
    }

    /// Returns the first occurrence of the anchor's day, at its time of day, that is not before the start.
    private func firstDay(_ day: CivilDay, every months: Int) -> Int64 {
        let time = Int64(CivilDay.split(Int(anchor.seconds)).second)
        let begin = CivilDay(number: CivilDay.split(Int(start.seconds)).day)
        // A multiple of `months` from the anchor's month, and not after the start's.
        let from = day.year * 12 + day.month - 1
        var month = from + CivilDay.floorDivide(begin.year * 12 + begin.month - 1 - from, months) * months
        while true {
            let year = CivilDay.floorDivide(month, 12)
            let number = month - year * 12 + 1
            let last = CivilDay.count(year: year, month: number)
            let found = Int64(CivilDay.number(year: year, month: number, day: min(day.day, last))) * 86_400 + time
            if Int128(found) * 1_000_000_000 >= start.nanoseconds { return found }
            month += months
        }
    }

    private static func ceiling(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        -Int64(CivilDay.floorDivide(Int(-dividend), Int(divisor)))
    }

    package func has(_ period: BillingPeriod) -> Bool {
        guard let schedule = try? schedule(),
            let found = schedule.lastPeriod(at: Date(timeIntervalSince1970: Double(period.start.seconds)))
        else { return false }
        return BillingPeriod(found).map { $0.isSame(as: period) } ?? false
    }
}

extension BillingPeriod {
    /// Creates a link's period from one of a schedule; nil for an empty one.
    package init?(_ period: RecurringPeriod) {
        guard
            let made = try? BillingPeriod(
                start: PrivateLinkTime(seconds: Int64(period.start.timeIntervalSince1970)),
                end: PrivateLinkTime(seconds: Int64(period.end.timeIntervalSince1970)))
        else { return nil }
        self = made
    }
}

/// The paid periods of a request that are stored by their time only: spans of periods that follow each other, and a
/// time before which nothing is known any more.
package struct PastPeriods: Sendable, Hashable, Codable {
    package enum Knowledge: Sendable, Hashable {
        case paid
        /// It may have been paid: too many periods after it were left out.
        case unknown
    }

    /// Seconds since 1970, rounded outwards.
    private struct Span: Sendable, Hashable, Codable {
        var start: Int64
        var end: Int64

        init(_ period: BillingPeriod) {
            start = period.start.seconds
            end = max(period.end.seconds + (period.end.isWhole ? 0 : 1), start + 1)
        }
    }

    /// In order, with gaps between them.
    private var spans: [Span] = []
    private var unknownBefore: Int64?

    /// The most spans: the earliest are dropped first.
    package static let mostSpans = 64

    package init() {}

    var isEmpty: Bool { spans.isEmpty && unknownBefore == nil }

    /// Returns what is known of a period; nil if it is not one of these.
    package subscript(period: BillingPeriod?) -> Knowledge? {
        guard let span = period.map(Span.init) else { return nil }
        if spans.contains(where: { $0.start <= span.start && span.end <= $0.end }) { return .paid }
        return unknownBefore.map { span.start < $0 } ?? false ? .unknown : nil
    }

    mutating func insert(_ period: BillingPeriod) {
        guard self[period] == nil else { return }
        var span = Span(period)
        for known in spans where known.start <= span.end && span.start <= known.end {
            (span.start, span.end) = (min(span.start, known.start), max(span.end, known.end))
        }
        spans.removeAll { span.start <= $0.start && $0.end <= span.end }
        spans.insert(span, at: spans.firstIndex { $0.start > span.start } ?? spans.endIndex)
        if spans.count > Self.mostSpans { unknownBefore = spans.removeFirst().end }
    }
}
