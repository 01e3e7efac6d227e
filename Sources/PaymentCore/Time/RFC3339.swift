#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

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

    /// Reads `text`, such as `2026-09-23T22:33:57.004978732Z`; nil for anything else, also for a day that the calendar
    /// lacks.
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
