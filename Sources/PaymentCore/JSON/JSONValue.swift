/// A JSON text's meaning (RFC 8259).
///
/// Numbers keep their exact text, so no amount is rounded on its way through. Strings and keys compare as Swift
/// strings do: two keys that differ only in Unicode normalisation are the same key, and a text that has both is
/// refused as ambiguous.
public enum JSONValue: Sendable, Hashable {
    /// The most containers that may stand inside each other when parsing.
    public static let maximumDepth = 64

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as written.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An ordered list.
    case array([JSONValue])
    /// Members by name; their order has no meaning and is not kept.
    case object([String: JSONValue])
}

extension JSONValue {
    /// True if the value is `null`.
    public var isNull: Bool { self == .null }

    /// The truth value; nil for every other kind.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number; nil for every other kind.
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The number, if it is a whole number in range; nil otherwise. Strings are not converted.
    public var int64: Int64? { number?.int64 }

    /// The number, if it is a whole number in range; nil otherwise. Strings are not converted.
    public var uint64: UInt64? { number?.uint64 }

    /// The text; nil for every other kind.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The elements; nil for every other kind.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members; nil for every other kind.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The member named `key`; nil when there is none or this is no object. Setting nil removes the member; setting one
    /// on a value that is no object turns it into an object with that member alone.
    public subscript(_ key: String) -> JSONValue? {
        get { object?[key] }
        set {
            var members = object ?? [:]
            members[key] = newValue
            self = .object(members)
        }
    }

    /// The element at `index`; nil when there is none or this is no array.
    public subscript(_ index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue {
    /// The six kinds of values.
    enum Kind: String {
        case null = "null"
        case bool = "true or false"
        case number = "a number"
        case string = "a string"
        case array = "an array"
        case object = "an object"
    }

    var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a whole number.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }

    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates a list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; the last of two members with the same name stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

// Bodies carry signatures and personal data: only the shape prints. The content is `text`, on request.
extension JSONValue: CustomStringConvertible, CustomReflectable {
    /// The kind of the value and, for containers, the number of its elements.
    public var description: String {
        switch self {
        case .array(let elements): "JSON array (\(elements.count) elements)"
        case .object(let members): "JSON object (\(members.count) members)"
        default: "JSON \(kind)"
        }
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

// MARK: - Numbers

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

extension JSONNumber {
    /// Creates the number of a duration in seconds, without an exponent: `1.0`, `0.009`.
    package init(seconds duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
        var fraction = String(1_000_000_000_000_000_000 + attoseconds.magnitude).dropFirst()
        while fraction.utf8.count > 1, fraction.last == "0" { fraction.removeLast() }
        self.init(scanned: "\(sign)\(seconds.magnitude).\(fraction)")
    }

    /// The duration of this number of seconds, to the attosecond; nil when no duration is so long.
    package var seconds: Duration? {
        guard let double, double.magnitude < 0x1p62 else { return nil }
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }) else {
            return .seconds(double)
        }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".")
        let fraction = parts.count > 1 ? parts[1].prefix(18) : ""
        let padding = String(repeating: "0", count: 18 - fraction.utf8.count)
        guard let whole = Int64(parts[0]), let attoseconds = Int64(fraction + padding) else { return nil }
        let sign: Int64 = isNegative ? -1 : 1
        return Duration(secondsComponent: sign * whole, attosecondsComponent: sign * attoseconds)
    }
}

extension JSONValue {
    /// Returns the compact JSON text as UTF-8: members are sorted by the bytes of their keys, only what must be escaped
    /// is, and numbers stay as they were written. Equal values built the same way always give the same bytes.
    public func serialized() -> [UInt8] {
        var output: [UInt8] = []
        Self.write(self, to: &output)
        return output
    }

    /// The compact JSON text; see ``serialized()``. It holds the whole content: never log it.
    public var text: String { String(decoding: serialized(), as: UTF8.self) }

    private static func write(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .number(let number): output += number.text.utf8
        case .string(let string): write(string, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                write(element, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                write(member.value, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x08: output += #"\b"#.utf8
            case 0x09: output += #"\t"#.utf8
            case 0x0A: output += #"\n"#.utf8
            case 0x0C: output += #"\f"#.utf8
            case 0x0D: output += #"\r"#.utf8
            case 0..<0x20: output += #"\u00\#(Hex.encode(CollectionOfOne(byte)))"#.utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
