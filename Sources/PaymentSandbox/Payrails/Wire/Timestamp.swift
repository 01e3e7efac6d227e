import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// A point in time as the service counts it: whole nanoseconds since 1970, in UTC.
    struct Timestamp: Sendable, Hashable, Comparable {
        let nanoseconds: Int64

        init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

        init(_ date: Date) {
            // The bounds, about the years 1680 and 2260, keep every date convertible.
            let seconds = min(max(date.timeIntervalSince1970, -9_000_000_000), 9_000_000_000)
            nanoseconds = Int64((seconds * 1e9).rounded())
        }

        static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

        static func + (time: Self, duration: Duration) -> Self {
            let (seconds, attoseconds) = duration.components
            return Timestamp(nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }

        static func - (end: Self, start: Self) -> Duration { .nanoseconds(end.nanoseconds - start.nanoseconds) }

        /// RFC 3339 with nine digits of fraction: `2026-09-23T22:33:57.004978732Z`.
        var text: String {
            let second = Self.floorDivide(nanoseconds, 1_000_000_000)
            let day = Self.floorDivide(second, 86_400)
            let (year, month, date) = Self.civil(day)
            let clock = second - day * 86_400
            let parts = [(year, 4), (month, 2), (date, 2), (clock / 3600, 2), (clock / 60 % 60, 2), (clock % 60, 2)]
                .map { Self.padded($0.0, $0.1) }
            let fraction = Self.padded(nanoseconds - second * 1_000_000_000, 9)
            return "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5]).\(fraction)Z"
        }

        /// The time that a program sends which forgot to set it.
        static let zeroText = "0001-01-01T00:00:00Z"

        private static func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }

        private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
            (value - (value % divisor + divisor) % divisor) / divisor
        }

        /// The Gregorian date of a day counted from 1970-01-01, reckoned in eras of 400 years that begin in March.
        private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
            let shifted = day + 719_468
            let era = floorDivide(shifted, 146_097)
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let monthFromMarch = (5 * dayOfYear + 2) / 153
            let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
            let date = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
            return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, date)
        }
    }
}
