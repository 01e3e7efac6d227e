import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An amount in a text: digits, never a binary fraction.
struct DecimalText: Sendable, Hashable {
    /// The digits as written, with a point for the mark.
    let text: String
    /// The number of digits before the mark, without leading zeros.
    private let wholeCount: Int
    /// The number of digits after the mark.
    let fractionCount: Int
    /// All digits as one number; not valid for more than 38 digits.
    private let digits: UInt128
    let isZero: Bool

    /// Reads `part`, which the standard calls `name`.
    ///
    /// - Throws: ``StandardDefect``, at the first character that is not allowed.
    init(_ part: TextPart, _ name: String, _ rules: DecimalRules) throws(StandardDefect) {
        let bytes = part.bytes
        guard !bytes.isEmpty else { throw part.defect(.missing, name, "is empty; write digits") }
        var mark: Int?
        var firstDigit = bytes.endIndex
        var digits: UInt128 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isASCIIDigit {
                if byte != UInt8(ascii: "0"), firstDigit == bytes.endIndex { firstDigit = index }
                digits = digits &* 10 &+ UInt128(byte - 0x30)
            } else if byte == rules.mark, mark == nil {
                mark = index
            } else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index),
                    "may hold only the digits 0 to 9 and one \(rules.markText): no sign, exponent or grouping")
            }
        }
        let end = mark ?? bytes.endIndex
        fractionCount = mark.map { bytes.endIndex - $0 - 1 } ?? 0
        guard end > bytes.startIndex, mark == nil || fractionCount > 0 || !rules.needsFraction else {
            throw part.defect(.malformed, name, "needs a digit on both sides of the \(rules.markText)")
        }
        if let most = rules.fractionDigits, fractionCount > most {
            throw StandardDefect(
                .range, name, at: part.place(end + 1),
                most == 0 ? "must be a whole number" : "has more than \(most) digits behind the \(rules.markText)")
        }
        if let most = rules.wholeDigits, end - bytes.startIndex > most {
            throw part.defect(.range, name, "has more than \(most) digits before the \(rules.markText)")
        }
        if !rules.allowsLeadingZeros, end - bytes.startIndex > 1, bytes.first == UInt8(ascii: "0") {
            throw part.defect(.malformed, name, "begins with a needless zero")
        }
        wholeCount = max(0, end - firstDigit)
        self.digits = digits
        isZero = firstDigit == bytes.endIndex
        if let mark, rules.mark != UInt8(ascii: ".") {
            text = "\(part[bytes.startIndex..<mark].text).\(part[mark + 1..<bytes.endIndex].text)"
        } else {
            text = part.text
        }
        if !rules.allowsZero, isZero { throw part.defect(.range, name, "must be more than zero") }
    }

    /// Returns the amount in units of 10⁻`exponent`: satoshi for 8. Nil if there are more decimals than that, or more
    /// than 38 digits in all.
    func units(exponent: Int) -> UInt128? {
        guard fractionCount <= exponent, wholeCount + exponent <= 38 else { return nil }
        var value = digits
        for _ in fractionCount..<exponent { value *= 10 }
        return value
    }

    /// Returns the amount in `currency`; nil if it has more digits than the currency.
    func money(_ currency: Currency, exponent: UInt8? = nil) -> Money? {
        guard let exponent = exponent ?? currency.exponent, let units = units(exponent: Int(exponent)) else {
            return nil
        }
        return try? Money(minorUnits: units, currency: currency, exponent: exponent)
    }

    /// Returns the amount in a currency of ISO 4217, or its digits if the code is unknown or has fewer decimals.
    func amount(iso code: String) -> PaymentInstruction.Amount { .init(text, iso: code) }
}

/// The rules of a standard for writing amounts. Only ASCII digits are allowed: `٣`, `１` and `½` are digits in Unicode,
/// not in payments.
struct DecimalRules {
    /// The mark between whole and fraction.
    var mark: UInt8 = UInt8(ascii: ".")
    /// The most digits after the mark; nil for any number.
    var fractionDigits: Int?
    /// The most digits before the mark; nil for any number.
    var wholeDigits: Int?
    /// True if a mark needs a digit after it (`1.` is refused).
    var needsFraction = true
    /// True if leading zeros are allowed (`00.10`).
    var allowsLeadingZeros = true
    /// True if zero is an amount.
    var allowsZero = true

    /// The mark, for people.
    fileprivate var markText: String { "'\(Character(Unicode.Scalar(mark)))'" }
}

/// A day in a payment text, checked against the calendar.
struct CalendarDay: Sendable, Hashable {
    /// The orders of year, month and day in texts. `yy` is of this century.
    enum Layout: Sendable {
        case yyyyMMdd, ddMMyyyy, yyMMdd
        /// With points between: `31.12.2030`.
        case dottedDay

        fileprivate var shape: (count: Int, year: Range<Int>, month: Int, day: Int, words: String) {
            switch self {
            case .yyyyMMdd: (8, 0..<4, 4, 6, "eight digits: year, month, day")
            case .ddMMyyyy: (8, 4..<8, 2, 0, "eight digits: day, month, year")
            case .yyMMdd: (6, 0..<2, 2, 4, "six digits: year, month, day")
            case .dottedDay: (10, 6..<10, 3, 0, "written as 31.12.2030")
            }
        }
    }

    private let civil: CivilDay

    /// Reads `part`, which its standard calls `name`.
    ///
    /// - Throws: ``StandardDefect``, also for a day that does not exist.
    init(_ part: TextPart, _ name: String, _ layout: Layout) throws(StandardDefect) {
        let shape = layout.shape
        let bytes = Array(part.bytes)
        let points = layout == .dottedDay ? [2, 5] : []
        guard bytes.count == shape.count,
            bytes.indices.allSatisfy({ points.contains($0) ? bytes[$0] == 0x2E : bytes[$0].isASCIIDigit })
        else { throw part.defect(.malformed, name, "must be \(shape.words)") }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        let day = CivilDay(
            year: number(shape.year) + (shape.year.count == 2 ? 2000 : 0),
            month: number(shape.month..<shape.month + 2), day: number(shape.day..<shape.day + 2))
        guard let day else { throw part.defect(.range, name, "is a day that no calendar has") }
        civil = day
    }

    /// The form of ISO 8601: `2030-12-31`.
    var iso: String { civil.text }

    /// Returns the moment `seconds` after the day's beginning in UTC.
    func date(seconds: Int = 0) -> Date {
        Date(timeIntervalSince1970: Double(civil.number * 86_400 + seconds))
    }
}

/// A time of day as six digits.
struct ClockTime: Sendable, Hashable {
    let hour, minute, second: Int

    /// Reads `part`: `hhmmss`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let bytes = Array(part.bytes)
        guard bytes.count == 6, part.isDigits else {
            throw part.defect(.malformed, name, "must be six digits: hour, minute, second")
        }
        let numbers = stride(from: 0, to: 6, by: 2).map { Int(bytes[$0] - 0x30) * 10 + Int(bytes[$0 + 1] - 0x30) }
        (hour, minute, second) = (numbers[0], numbers[1], numbers[2])
        guard hour < 24, minute < 60, second < 60 else {
            throw part.defect(.range, name, "is a time that no clock has")
        }
    }

    /// Seconds since midnight.
    var seconds: Int { hour * 3600 + minute * 60 + second }
    /// `23:59:59`.
    var iso: String { [hour, minute, second].map(twoDigits).joined(separator: ":") }
}

/// Returns a number below 100 with two digits.
func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

/// Base64 in payment texts: of either alphabet, with or without padding. Readers of the standards do not agree on one
/// form.
enum Base64Text {
    /// Returns the bytes of `part`; nil if it mixes the alphabets, has misplaced padding, an impossible length or stray
    /// bits.
    static func decode(_ part: TextPart) -> [UInt8]? {
        var bytes = part.bytes
        var padding = 0
        while let last = bytes.last, last == UInt8(ascii: "=") {
            bytes = bytes.dropLast()
            padding += 1
        }
        guard padding <= 2, padding == 0 || part.count % 4 == 0 else { return nil }
        var isStandard = false
        var isURL = false
        for byte in bytes {
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") { isStandard = true }
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") { isURL = true }
        }
        guard !(isStandard && isURL) else { return nil }
        guard isStandard else { return Base64URL.bytes(of: bytes) }
        let digits = bytes.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.bytes(of: digits[...])
    }
}

/// A mark of how a text was written. It does not make two otherwise equal values differ.
@propertyWrapper
struct Uncompared: Sendable, Hashable {
    var wrappedValue: Bool

    static func == (_: Uncompared, _: Uncompared) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
