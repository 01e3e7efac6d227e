import PaymentCore

/// Dates as forms write them: `YYYY-MM-DD`, the `full-date` of RFC 3339, in the Gregorian calendar.
enum CalendarDate {
    /// Whether `text` is a day that exists. Years 0001 to 9999.
    static func exists(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8...])
        else { return false }
        return year >= 1 && 1...12 ~= month && day >= 1 && day <= days(in: month, of: year)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
