import PaymentCore

/// The value of a CBOR text (RFC 8949), as far as payment standards use it: Cashu's tokens and Cardano's old addresses.
/// Tags are skipped; floating-point numbers are refused.
indirect enum CBORValue: Sendable, Hashable {
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
    struct CBORDefect: Error {}

    /// Reads all of `bytes`.
    init(parsing bytes: [UInt8]) throws(CBORDefect) {
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
    subscript(_ key: String) -> CBORValue? {
        guard case .map(let items) = self else { return nil }
        return items.first { $0.key == .text(key) }?.value
    }

    /// The text; nil for other kinds.
    var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The elements; nil for other kinds.
    var array: [CBORValue]? { if case .array(let items) = self { items } else { nil } }
    /// The number; nil for other kinds.
    var unsigned: UInt64? { if case .unsigned(let number) = self { number } else { nil } }

    /// The value as JSON; bytes as hexadecimal text.
    var json: JSONValue {
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

    static func == (left: Self, right: Self) -> Bool {
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

    func hash(into hasher: inout Hasher) {
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
