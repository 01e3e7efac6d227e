#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The dates of HTTP header fields, in the three forms a recipient must accept (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// Reads `text`; nil when it is not a date. `now` decides the century of the form with two digits.
    package static func parse(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        // "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
        let parts = text.split { " ,-:".contains($0) }.map(String.init)
        switch parts.count {
        case 8 where parts[7] == "GMT" && parts[3].utf8.count == 4:
            return date(year: parts[3], month: parts[2], day: parts[1], time: parts[4...6])
        case 8 where parts[7] == "GMT" && parts[3].utf8.count == 2:
            guard let short = Int(parts[3]), short >= 0 else { return nil }
            // A date more than 50 years ahead means the same year of the century before.
            let thisYear = 1970 + Int(now.timeIntervalSince1970 / 31_556_952)
            var year = thisYear - thisYear % 100 + short
            if year > thisYear + 50 { year -= 100 }
            return date(year: String(year), month: parts[2], day: parts[1], time: parts[4...6])
        case 7: return date(year: parts[6], month: parts[1], day: parts[2], time: parts[3...5])
        default: return nil
        }
    }

    /// Writes `date` in the form that senders have to use: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ date: Date) -> String {
        let moment = RFC3339(date)
        let (text, day) = (moment.text, CivilDay.split(Int(moment.seconds)).day)
        let name = "\(text.dropFirst(8).prefix(2)) \(months[CivilDay(number: day).month - 1]) \(text.prefix(4))"
        return "\(weekdays[(day % 7 + 11) % 7]), \(name) \(text.dropFirst(11).prefix(8)) GMT"
    }

    private static func date(year: String, month: String, day: String, time: ArraySlice<String>) -> Date? {
        let clock = time.compactMap { Int($0) }
        guard let year = Int(year), let month = months.firstIndex(of: month), let day = Int(day), clock.count == 3,
            1900...9999 ~= year, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2],
            let start = CivilDay(year: year, month: month + 1, day: day)?.number
        else { return nil }
        return Date(timeIntervalSince1970: Double(start * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]))
    }
}
