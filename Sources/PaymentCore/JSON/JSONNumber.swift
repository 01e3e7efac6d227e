/// A JSON number as it was written.
///
/// Two numbers are equal when their texts are: `1` and `1.0` are different values here.
public struct JSONNumber: Sendable, Hashable {
    /// The number in JSON notation, digit for digit as received.
    public let text: String

    /// Creates a number from JSON notation (RFC 8259 section 6); nil when `text` is anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard case .number(let end) = Self.scan(bytes, from: 0), end == bytes.count else { return nil }
        self.text = text
    }

    /// Creates a whole number.
    public init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// Creates a number from a binary fraction in its shortest exact notation; nil for infinities and not-a-number.
    public init?(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
        self.init(value.description)
    }

    init(scanned text: String) {
        self.text = text
    }

    /// The value, if it is a whole number from `Int64.min` to `Int64.max`; never rounded.
    public var int64: Int64? { exactly() }

    /// The value, if it is a whole number from 0 to `UInt64.max`; never rounded.
    public var uint64: UInt64? { exactly() }

    /// The nearest binary fraction; nil when the number is too large for one.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// Returns the value as any integer type, if it is whole and in range; never rounded. `1.50e1` is 15.
    ///
    /// - Parameter type: the integer type; inferred where it can be.
    public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
        let bytes = Array(text.utf8)
        guard let mark = bytes.firstIndex(where: { !$0.isASCIIDigit && $0 != UInt8(ascii: "-") }) else {
            return Integer(text)
        }
        var digits = Array(bytes[..<mark].drop { $0 == UInt8(ascii: "-") })
        var rest = bytes[mark...]
        var exponent = 0
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { $0.isASCIIDigit }
            digits += fraction
            exponent = -fraction.count
            rest = rest[fraction.endIndex...]
        }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard let last = significant.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return 0 }
        exponent += digits.endIndex - 1 - last
        if !rest.isEmpty {
            // An exponent too long for Int is too large for every integer type, or makes a fraction.
            guard let written = Int(String(decoding: rest.dropFirst(), as: UTF8.self)) else { return nil }
            let sum = exponent.addingReportingOverflow(written)
            guard !sum.overflow else { return nil }
            exponent = sum.partialValue
        }
        // No fixed-width integer has as many decimal digits as bits, which bounds the zeros written below.
        guard exponent >= 0, exponent < Integer.bitWidth else { return nil }
        let sign = bytes.first == UInt8(ascii: "-") ? "-" : ""
        let whole = String(decoding: significant[...last], as: UTF8.self)
        return Integer(sign + whole + String(repeating: "0", count: exponent))
    }

    /// The result of reading a place at which a number should stand.
    enum Scan {
        /// A number that ends before this index.
        case number(end: Int)
        /// The byte at this index cannot stand there, or the text ends before it.
        case invalid(at: Int)
    }

    /// Finds the end of the number that begins at `start`.
    static func scan(_ bytes: [UInt8], from start: Int) -> Scan {
        var index = start
        func byte() -> UInt8? { index < bytes.count ? bytes[index] : nil }
        func skipDigits() -> Bool {
            let first = index
            while let digit = byte(), digit.isASCIIDigit { index += 1 }
            return index > first
        }
        if byte() == UInt8(ascii: "-") { index += 1 }
        if byte() == UInt8(ascii: "0") {
            index += 1
            if let next = byte(), next.isASCIIDigit { return .invalid(at: index) }
        } else if !skipDigits() {
            return .invalid(at: index)
        }
        if byte() == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() else { return .invalid(at: index) }
        }
        if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
            index += 1
            if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { index += 1 }
            guard skipDigits() else { return .invalid(at: index) }
        }
        return .number(end: index)
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as written.
    public var description: String { text }
}
