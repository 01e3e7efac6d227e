import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// A point in time in the service's form: whole nanoseconds since 1970, in UTC.
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
            let second = Int64(CivilDay.floorDivide(Int(nanoseconds), 1_000_000_000))
            return RFC3339(seconds: second, nanoseconds: nanoseconds - second * 1_000_000_000).text
        }

        /// The time that a program sends if it forgets to set it.
        static let zeroText = "0001-01-01T00:00:00Z"
    }
}
