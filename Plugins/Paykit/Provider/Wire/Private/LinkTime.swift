import PaymentCore

/// A moment as private messages write it: RFC 3339, ending in `Z`. Its text is sent back as it came.
package struct LinkTime: Sendable, Hashable {
    package let text: String
    /// Whole seconds since 1970.
    package let seconds: Int64
    /// Nanoseconds after them, below a second.
    private let fraction: Int64
    // Computed: Swift 6.3.1 breaks the stack where 128 bits are passed on it to an asynchronous function
    // (`.ci/canary`).
    /// Nanoseconds since 1970, so that two spellings of a moment compare.
    package var nanoseconds: Int128 { Int128(seconds) * 1_000_000_000 + Int128(fraction) }

    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard 20...32 ~= bytes.count, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T") else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(0 as Int?) { sum, byte in
                guard let sum, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                return sum * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (13, ":"), (16, ":")]
        guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }), let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), 1...12 ~= month, 1...CivilDay.count(year: year, month: month) ~= day,
            hour < 24, minute < 60,
            second < 60
        else { return nil }
        var fraction = 0
        if bytes.count > 20 {
            let digits = 20..<bytes.count - 1
            guard bytes[19] == UInt8(ascii: "."), 1...9 ~= digits.count, let value = number(digits) else { return nil }
            fraction = (digits.count..<9).reduce(value) { sum, _ in sum * 10 }
        }
        self.text = text
        seconds = Int64(
            CivilDay.number(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second)
        self.fraction = Int64(fraction)
    }

    /// A moment in whole seconds since 1970, as it is written here.
    package init(seconds: Int64) {
        // The years of four digits.
        let seconds = Int(min(max(seconds, -62_135_596_800), 253_402_300_799))
        self.seconds = Int64(seconds)
        fraction = 0
        let day = CivilDay.floorDivide(seconds, 86_400)
        let rest = seconds - day * 86_400
        let parts = CivilDay.parts(day)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        text =
            "\(digits(parts.year, 4))-\(digits(parts.month, 2))-\(digits(parts.day, 2))T\(digits(rest / 3600, 2)):"
            + "\(digits(rest / 60 % 60, 2)):\(digits(rest % 60, 2))Z"
    }
}

extension LinkTime: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// From when to when a payment of several is due; what names it.
package struct BillingPeriod: Sendable, Hashable {
    package let start: LinkTime
    package let end: LinkTime

    package init(start: LinkTime, end: LinkTime) throws(WireDefect) {
        guard start < end else { throw WireDefect("a period ends before it begins") }
        self.start = start
        self.end = end
    }

    init(_ json: JSONValue) throws(WireDefect) {
        var object = try ClosedObject(json)
        let (start, end) = (try object.time("starts_at"), try object.time("ends_at"))
        try object.end()
        try self.init(start: start, end: end)
    }

    var text: String {
        OrderedJSON.object([
            ("starts_at", OrderedJSON.string(start.text)), ("ends_at", OrderedJSON.string(end.text)),
        ])
    }

    /// Whether it is the same time, however it is written.
    package func isSame(as other: BillingPeriod) -> Bool {
        start.nanoseconds == other.start.nanoseconds && end.nanoseconds == other.end.nanoseconds
    }
}

extension ClosedObject {
    mutating func time(_ name: String) throws(WireDefect) -> LinkTime {
        guard let time = LinkTime(try text(name)) else { throw WireDefect("the member '\(name)' is no time") }
        return time
    }

    mutating func nullableTime(_ name: String) throws(WireDefect) -> LinkTime? {
        guard let value = try nullable(name) else { return nil }
        guard let time = value.string.flatMap(LinkTime.init) else {
            throw WireDefect("the member '\(name)' is no time")
        }
        return time
    }
}
