#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A day of the Gregorian calendar: no zone, no time of day.
package struct CivilDay: Sendable, Hashable {
    /// The year.
    package let year: Int
    /// The month, counted from 1.
    package let month: Int
    /// The day of the month, counted from 1.
    package let day: Int

    /// Creates a day from its parts; nil if they are not a valid date.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, day >= 1, day <= Self.count(year: year, month: month) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the day with this number, counted from 1970-01-01.
    package init(number: Int) {
        let shifted = number + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// Creates a day by reading `text`, the `full-date` of RFC 3339: `2030-12-31`; nil for anything else.
    package init?(_ text: some Collection<UInt8>) {
        let bytes = Array(text)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.digits(bytes[..<4]), let month = Self.digits(bytes[5..<7]),
            let day = Self.digits(bytes[8...])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day's number, counted from 1970-01-01.
    package var number: Int { Self.number(year: year, month: month, day: day) }

    /// The `full-date` of RFC 3339: `2030-12-31`.
    package var text: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    /// Returns the number of a day, counted from 1970-01-01. `month` counts from 1, `day` from 1.
    package static func number(year: Int, month: Int, day: Int) -> Int {
        // Years that begin in March, so that the leap day is the last (Howard Hinnant, "chrono-Compatible Low-Level
        // Date Algorithms").
        let year = month <= 2 ? year - 1 : year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the number of days of a month. `month` counts from 1.
    package static func count(year: Int, month: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Splits seconds since 1970 into the day's number and the seconds since that day's beginning.
    package static func split(_ seconds: Int) -> (day: Int, second: Int) {
        let day = floorDivide(seconds, 86_400)
        return (day, seconds - day * 86_400)
    }

    /// Returns the quotient, towards minus infinity.
    package static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
        let quotient = dividend / divisor
        return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient
    }

    /// Returns the number that a few ASCII digits spell; nil when one of them is not a digit.
    static func digits(_ bytes: some Collection<UInt8>) -> Int? {
        guard bytes.allSatisfy(\.isASCIIDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Returns `number` with at least `count` digits, by leading zeros.
    static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

// MARK: - Moments

/// A moment with the text that states it: the `date-time` of RFC 3339.
package struct RFC3339: Sendable, Hashable {
    /// The grammars that texts are read by.
    package enum Grammar: Sendable {
        /// RFC 3339 in UTC, as most services write it: capital `T` and `Z`, at most nine digits of fraction, no leap
        /// second.
        case utc
        /// RFC 3339 and what common parsers take besides: offsets without their colon, no offset, which means UTC, the
        /// day's end as `24:00:00`, and any number of fraction digits, of which nine count.
        case lenient
    }

    /// The text, as it was read or is written.
    package let text: String
    /// Whole seconds since 1970, rounded down.
    package let seconds: Int64
    /// Nanoseconds since ``seconds``: 0 to 999 999 999.
    package let nanoseconds: Int64

    /// Reads `text`, such as `2026-09-23T22:33:57.004978732Z`; nil for anything else, also for a date that is not
    /// valid.
    package init?(_ text: String, _ grammar: Grammar = .utc) {
        let bytes = Array(text.utf8)
        let isLenient = grammar == .lenient
        func number(_ start: Int) -> Int? {
            start + 2 <= bytes.count ? CivilDay.digits(bytes[start..<start + 2]) : nil
        }
        func isCharacter(_ index: Int, _ character: UnicodeScalar) -> Bool {
            guard index < bytes.count else { return false }
            return bytes[index] == UInt8(ascii: character)
                || isLenient && bytes[index].isASCIILetter && bytes[index] & 0xDF == UInt8(ascii: character)
        }
        guard let day = CivilDay(bytes.prefix(10)), isCharacter(10, "T"), let hour = number(11), isCharacter(13, ":"),
            let minute = number(14), isCharacter(16, ":"), let second = number(17), minute < 60,
            second < (isLenient ? 61 : 60), hour < 24 || isLenient && (hour, minute, second) == (24, 0, 0)
        else { return nil }
        var index = 19
        var fraction = 0
        if isCharacter(index, ".") {
            let digits = bytes[20...].prefix(while: \.isASCIIDigit)
            guard !digits.isEmpty, isLenient || digits.count <= 9 else { return nil }
            for place in 20..<29 {
                fraction = fraction * 10 + (place < digits.endIndex ? Int(digits[place] - 0x30) : 0)
            }
            index = digits.endIndex
        }
        var offset = 0
        if isCharacter(index, "Z") {
            index += 1
        } else if isLenient, isCharacter(index, "+") || isCharacter(index, "-") {
            let colon = isCharacter(index + 3, ":") ? 1 : 0
            guard let hours = number(index + 1), let minutes = number(index + 3 + colon), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (isCharacter(index, "-") ? -1 : 1)
            index += 5 + colon
        } else if !isLenient {
            return nil
        }
        guard index == bytes.count else { return nil }
        self.text = text
        seconds = Int64(day.number * 86_400 + hour * 3600 + minute * 60 + second - offset)
        nanoseconds = Int64(fraction)
    }

    /// The moment as a date, to some hundred nanoseconds.
    package var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }

    /// Creates the moment of `date`, to the second, within the same years, and writes it in UTC.
    package init(_ date: Date) { self.init(seconds: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? .max) }

    /// Creates a moment and writes it in UTC, with no fraction or with nine digits of it.
    ///
    /// - Parameters:
    ///   - seconds: since 1970; limited to the years 1 to 9999, which four digits can write.
    ///   - nanoseconds: since `seconds`: 0 to 999 999 999; nil writes no fraction.
    package init(seconds: Int64, nanoseconds: Int64? = nil) {
        self.seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
        self.nanoseconds = nanoseconds ?? 0
        let (day, second) = CivilDay.split(Int(self.seconds))
        let clock = [second / 3600, second / 60 % 60, second % 60].map { CivilDay.padded($0, 2) }
        let fraction = nanoseconds.map { "." + CivilDay.padded(Int($0), 9) } ?? ""
        text = "\(CivilDay(number: day).text)T\(clock.joined(separator: ":"))\(fraction)Z"
    }
}

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
