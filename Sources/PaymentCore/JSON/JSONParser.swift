extension JSONValue {
    /// Creates a value by parsing a JSON text strictly by RFC 8259, as UTF-8 without a byte order mark.
    ///
    /// Refused as well: keys that occur twice, halves of surrogate pairs, more than ``maximumDepth`` levels,
    /// and anything but white space after the value.
    ///
    /// - Throws: ``JSONError`` with the defect and its byte.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
        var parser = JSONParser(bytes: Array(bytes))
        self = try parser.parseText()
    }

    /// Creates a value by parsing a JSON text; see ``init(parsing:)-(Collection<UInt8>)``. Offsets count UTF-8 bytes.
    ///
    /// - Throws: ``JSONError`` with the defect and its byte.
    public init(parsing text: some StringProtocol) throws(JSONError) {
        try self.init(parsing: text.utf8)
    }
}

/// One pass over the bytes; recursion is bounded by ``JSONValue/maximumDepth``.
private struct JSONParser {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func parseText() throws(JSONError) -> JSONValue {
        skipWhitespace()
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard index == bytes.count else { throw JSONError(.trailingData, at: index) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        default: throw JSONError(.unexpectedByte, at: index)
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> [String: JSONValue] {
        guard depth <= JSONValue.maximumDepth else { throw JSONError(.tooDeep, at: index) }
        index += 1
        var members: [String: JSONValue] = [:]
        skipWhitespace()
        if try accept(UInt8(ascii: "}")) { return members }
        while true {
            let start = index
            guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: index) }
            let key = try parseString()
            skipWhitespace()
            guard try accept(UInt8(ascii: ":")) else { throw JSONError(.unexpectedByte, at: index) }
            skipWhitespace()
            let value = try parseValue(depth: depth)
            guard members.updateValue(value, forKey: key) == nil else { throw JSONError(.duplicateKey, at: start) }
            skipWhitespace()
            if try accept(UInt8(ascii: "}")) { return members }
            guard try accept(UInt8(ascii: ",")) else { throw JSONError(.unexpectedByte, at: index) }
            skipWhitespace()
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= JSONValue.maximumDepth else { throw JSONError(.tooDeep, at: index) }
        index += 1
        var elements: [JSONValue] = []
        skipWhitespace()
        if try accept(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try parseValue(depth: depth))
            skipWhitespace()
            if try accept(UInt8(ascii: "]")) { return elements }
            guard try accept(UInt8(ascii: ",")) else { throw JSONError(.unexpectedByte, at: index) }
            skipWhitespace()
        }
    }

    private mutating func parseLiteral(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for offset in 0..<text.utf8CodeUnitCount {
            guard try peek() == text.utf8Start[offset] else { throw JSONError(.unexpectedByte, at: index) }
            index += 1
        }
        return value
    }

    private mutating func parseNumber() throws(JSONError) -> JSONNumber {
        let start = index
        switch JSONNumber.scan(bytes, from: start) {
        case .number(let end):
            index = end
            return JSONNumber(scanned: String(decoding: bytes[start..<end], as: UTF8.self))
        case .invalid(let at):
            throw JSONError(at < bytes.count ? .invalidNumber : .unexpectedEnd, at: at)
        }
    }

    private mutating func parseString() throws(JSONError) -> String {
        let start = index
        index += 1
        skipPlainCharacters()
        // Most strings have no escape: validate them in place.
        if try accept(UInt8(ascii: "\"")) { return try string(bytes[(start + 1)..<(index - 1)], start: start) }
        var buffer = Array(bytes[(start + 1)..<index])
        while true {
            switch try peek() {
            case UInt8(ascii: "\""):
                index += 1
                return try string(buffer[...], start: start)
            case UInt8(ascii: "\\"):
                index += 1
                try parseEscape(into: &buffer)
            case 0..<0x20:
                throw JSONError(.controlCharacter, at: index)
            default:
                let run = index
                skipPlainCharacters()
                buffer += bytes[run..<index]
            }
        }
    }

    private func string(_ content: ArraySlice<UInt8>, start: Int) throws(JSONError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else { throw JSONError(.invalidUTF8, at: start) }
        return text
    }

    private mutating func parseEscape(into buffer: inout [UInt8]) throws(JSONError) {
        let start = index - 1
        let byte = try peek()
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try parseCodeUnit()
            var scalar = UInt32(unit)
            if UTF16.isLeadSurrogate(unit) {
                guard try accept(UInt8(ascii: "\\")), try accept(UInt8(ascii: "u")) else {
                    throw JSONError(.loneSurrogate, at: start)
                }
                let trail = try parseCodeUnit()
                guard UTF16.isTrailSurrogate(trail) else { throw JSONError(.loneSurrogate, at: start) }
                scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
            }
            guard let character = Unicode.Scalar(scalar) else { throw JSONError(.loneSurrogate, at: start) }
            buffer += String(Character(character)).utf8
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    private mutating func parseCodeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(of: try peek()) else { throw JSONError(.invalidEscape, at: index) }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    private mutating func skipPlainCharacters() {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            index += 1
        }
    }

    private mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: index) }
        return bytes[index]
    }

    /// Steps over `byte` if it comes next. The end of the text is an error: every caller requires something to follow.
    private mutating func accept(_ byte: UInt8) throws(JSONError) -> Bool {
        guard try peek() == byte else { return false }
        index += 1
        return true
    }
}

/// Why bytes are not accepted as JSON. It never quotes them: they may be secret.
public struct JSONError: Error, Sendable, Hashable {
    /// The kinds of defects.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The text stops before the value is complete.
        case unexpectedEnd
        /// A byte that cannot stand there.
        case unexpectedByte
        /// A number that is not in JSON notation, such as `01`, `1.` or `+1`.
        case invalidNumber
        /// A control character in a string; it must be written as an escape.
        case controlCharacter
        /// A backslash that is not followed by one of the escapes of JSON.
        case invalidEscape
        /// An escaped half of a surrogate pair without its other half.
        case loneSurrogate
        /// A string or key whose bytes are not UTF-8.
        case invalidUTF8
        /// A key that the same object already has.
        case duplicateKey
        /// More than ``JSONValue/maximumDepth`` containers inside each other.
        case tooDeep
        /// Something after the end of the value.
        case trailingData
    }

    /// The defect.
    public let reason: Reason
    /// The place, in bytes from the start of the text. For wrong UTF-8 and duplicate keys, the start of the string.
    public let offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .unexpectedEnd: "the JSON text is incomplete: it ends at byte \(offset)"
        case .unexpectedByte: "not valid JSON: unexpected character at byte \(offset)"
        case .invalidNumber: "not valid JSON: malformed number at byte \(offset)"
        case .controlCharacter: "not valid JSON: unescaped control character in a string at byte \(offset)"
        case .invalidEscape: "not valid JSON: unknown escape in a string at byte \(offset)"
        case .loneSurrogate: "not valid JSON: half a surrogate pair in a string at byte \(offset)"
        case .invalidUTF8: "not valid JSON: the string at byte \(offset) is not UTF-8"
        case .duplicateKey: "ambiguous JSON: the key at byte \(offset) occurs twice in its object"
        case .tooDeep: "the JSON text nests more than \(JSONValue.maximumDepth) levels deep (byte \(offset))"
        case .trailingData: "not valid JSON: something follows the value at byte \(offset)"
        }
    }
}
