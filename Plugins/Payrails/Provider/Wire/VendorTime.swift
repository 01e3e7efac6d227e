#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment as the service writes it, to the nanosecond: statuses of one execution lie close together.
package struct VendorTime: Sendable, Hashable, Comparable, Decodable {
    /// Seconds since 1970.
    package let seconds: Int64
    /// 0 to 999 999 999.
    package let nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Reads `2026-09-23T22:33:57.004978732Z`: RFC 3339 with any number of fractional digits, of which nine count, and
    /// `Z` or an offset, with or without its colon. Without either it is UTC, and a day may end at `24:00:00`: the vendor's
    /// parser takes these too. Nil for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func character(_ index: Int) -> Character? {
            index < bytes.count ? Character(Unicode.Scalar(bytes[index])) : nil
        }
        guard let year = number(0..<4), character(4) == "-", let month = number(5..<7), character(7) == "-",
            let day = number(8..<10), character(10) == "T" || character(10) == "t", let hour = number(11..<13),
            character(13) == ":", let minute = number(14..<16), character(16) == ":", let second = number(17..<19),
            1...12 ~= month, 1...31 ~= day, hour < 24 || (hour, minute, second) == (24, 0, 0), minute < 60, second <= 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if character(index) == "." {
            let digits = bytes[(index + 1)...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            for position in 0..<9 {
                let place = digits.startIndex + position
                fraction = fraction * 10 + (place < digits.endIndex ? Int64(digits[place] - 0x30) : 0)
            }
            index = digits.endIndex
        }
        var offset: Int64 = 0
        switch character(index) {
        case nil: break
        case "Z", "z": guard index + 1 == bytes.count else { return nil }
        case "+", "-":
            let colon = character(index + 3) == ":" ? 1 : 0
            guard let hours = number(index + 1..<index + 3),
                let minutes = number(index + 3 + colon..<index + 5 + colon), index + 5 + colon == bytes.count
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (character(index) == "-" ? -1 : 1)
        default: return nil
        }
        let days = Self.days(year, month, day)
        self.init(seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset, nanoseconds: fraction)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = VendorTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time")
        }
        self = time
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// The same moment `seconds` earlier.
    func earlier(bySeconds seconds: Int64) -> VendorTime {
        VendorTime(seconds: self.seconds - seconds, nanoseconds: nanoseconds)
    }

    /// Days since 1970 of a day in the Gregorian calendar: years counted from March, in cycles of 400.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let cycle = (year >= 0 ? year : year - 399) / 400
        let yearOfCycle = year - cycle * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }
}
