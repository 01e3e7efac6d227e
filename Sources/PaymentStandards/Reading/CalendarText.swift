import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A day in a payment text, checked against the calendar.
struct CalendarDay: Sendable, Hashable {
    /// The orders in which texts write year, month and day. `yy` is of this century.
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

    /// Returns the moment that many seconds after the day's beginning in UTC.
    func date(seconds: Int = 0) -> Date {
        Date(timeIntervalSince1970: Double(civil.number * 86_400 + seconds))
    }
}

/// A time of day as six digits.
struct ClockTime: Sendable, Hashable {
    /// Hours, minutes and seconds.
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
