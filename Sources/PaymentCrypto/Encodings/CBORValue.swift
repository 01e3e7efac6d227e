package import PaymentCore

/// A value of CBOR (RFC 8949), as far as payments use it: Cashu's tokens, Cardano's old addresses, headers of sealed
/// files. Tags are skipped; floating-point numbers are refused.
package indirect enum CBORValue: Sendable, Hashable {
    case unsigned(UInt64)
    /// −1 minus the number.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([(key: CBORValue, value: CBORValue)])
    case bool(Bool)
    /// `null` and `undefined`.
    case null

    /// The most levels of nested containers.
    private static let maximumDepth = 32

    /// The error of bytes that are not such a text.
    package struct CBORDefect: Error {}

    /// Reads all of `bytes`.
    package init(parsing bytes: [UInt8]) throws(CBORDefect) {
        var rest = bytes[...]
        self = try Self.read(&rest, depth: 0)
        guard rest.isEmpty else { throw CBORDefect() }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ count: UInt64) throws(CBORDefect) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw CBORDefect() }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private static func read(_ rest: inout ArraySlice<UInt8>, depth: Int) throws(CBORDefect) -> CBORValue {
        guard let head = rest.popFirst(), depth < maximumDepth else { throw CBORDefect() }
        let (major, low) = (head >> 5, head & 31)
        if major == 7 {
            switch low {
            case 20, 21: return .bool(low == 21)
            case 22, 23: return .null
            default: throw CBORDefect()
            }
        }
        let number: UInt64
        switch low {
        case 0..<24: number = UInt64(low)
        case 24...27: number = try take(&rest, 1 << UInt64(low - 24)).reduce(0) { $0 << 8 | UInt64($1) }
        default: throw CBORDefect()
        }
        switch major {
        case 0: return .unsigned(number)
        case 1: return .negative(number)
        case 2: return .bytes(Array(try take(&rest, number)))
        case 3:
            guard let text = String(validating: try take(&rest, number), as: UTF8.self) else { throw CBORDefect() }
            return .text(text)
        case 4:
            var items: [CBORValue] = []
            // Each item takes at least one byte, so a greater announced number is wrong.
            guard number <= UInt64(rest.count) else { throw CBORDefect() }
            for _ in 0..<number { items.append(try read(&rest, depth: depth + 1)) }
            return .array(items)
        case 5:
            var items: [(key: CBORValue, value: CBORValue)] = []
            var seen: Set<CBORValue> = []
            guard number <= UInt64(rest.count / 2) else { throw CBORDefect() }
            for _ in 0..<number {
                let key = try read(&rest, depth: depth + 1)
                guard seen.insert(key).inserted else { throw CBORDefect() }
                items.append((key, try read(&rest, depth: depth + 1)))
            }
            return .map(items)
        default: return try read(&rest, depth: depth + 1)
        }
    }

    /// The value of `key` in a map.
    package subscript(_ key: String) -> CBORValue? {
        guard case .map(let items) = self else { return nil }
        return items.first { $0.key == .text(key) }?.value
    }

    /// The text; nil for other kinds.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The bytes; nil for other kinds.
    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    /// The elements; nil for other kinds.
    package var array: [CBORValue]? { if case .array(let items) = self { items } else { nil } }
    /// The number; nil for other kinds.
    package var unsigned: UInt64? { if case .unsigned(let number) = self { number } else { nil } }

    // MARK: Writing

    /// The one deterministic form of the value (section 4.2.1): numbers and lengths as short as possible, keys in the
    /// order of their bytes.
    package var wire: [UInt8] {
        switch self {
        case .unsigned(let number): Self.head(0, number)
        case .negative(let number): Self.head(1, number)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.wire)
        case .map(let items):
            Self.head(5, UInt64(items.count))
                + items.map { ($0.key.wire, $0.value.wire) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
                .flatMap { $0.0 + $0.1 }
        case .bool(let flag): [flag ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
        let low: (bits: UInt8, bytes: Int) =
            switch number {
            case 0..<24: (UInt8(number), 0)
            case ...0xFF: (24, 1)
            case ...0xFFFF: (25, 2)
            case ...0xFFFF_FFFF: (26, 4)
            default: (27, 8)
            }
        let bytes = (0..<low.bytes).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (low.bytes - 1 - $0))) }
        return [major << 5 | low.bits] + bytes
    }

    /// The value as JSON; bytes as hexadecimal text.
    package var json: JSONValue {
        switch self {
        case .unsigned(let number): .number(JSONNumber(number))
        case .negative(let number): .number(JSONNumber(-1 - Int128(number)))
        case .bytes(let bytes): .string(Hex.encode(bytes))
        case .text(let text): .string(text)
        case .array(let items): .array(items.map(\.json))
        case .map(let items):
            .object(Dictionary(items.map { ($0.key.text ?? "", $0.value.json) }) { first, _ in first })
        case .bool(let flag): .bool(flag)
        case .null: .null
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.unsigned(let one), .unsigned(let other)), (.negative(let one), .negative(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.text(let one), .text(let other)): one.isExactly(other)
        case (.array(let one), .array(let other)): one == other
        case (.map(let one), .map(let other)):
            one.elementsEqual(other) { $0.key == $1.key && $0.value == $1.value }
        case (.bool(let one), .bool(let other)): one == other
        case (.null, .null): true
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .unsigned(let number), .negative(let number): hasher.combine(number)
        case .bytes(let bytes): hasher.combine(bytes)
        case .text(let text): hasher.combine(text)
        case .array(let items): hasher.combine(items)
        case .map(let items): hasher.combine(items.count)
        case .bool(let flag): hasher.combine(flag)
        case .null: hasher.combine(0)
        }
    }
}
