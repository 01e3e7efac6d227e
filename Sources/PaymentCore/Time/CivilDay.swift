/// A day of the Gregorian calendar: no zone, no time of day.
package struct CivilDay: Sendable, Hashable {
    /// The year.
    package let year: Int
    /// The month, counted from 1.
    package let month: Int
    /// The day of the month, counted from 1.
    package let day: Int

    /// Creates a day from its parts; nil for a day that the calendar lacks.
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

    /// Returns the number that a few ASCII digits spell; nil when one of them is none.
    static func digits(_ bytes: some Collection<UInt8>) -> Int? {
        guard bytes.allSatisfy(\.isASCIIDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Returns `number` with leading zeros, so that it has at least `count` digits.
    static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
