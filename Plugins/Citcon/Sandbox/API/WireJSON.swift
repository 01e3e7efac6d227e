import PaymentCore

/// A JSON text whose members keep their given order, as the service writes them.
enum WireJSON: Sendable {
    case value(JSONValue)
    case array([WireJSON])
    case object([(String, WireJSON)])

    static func text(_ text: String) -> WireJSON { .value(.string(text)) }

    /// The text, or `null`.
    static func text(orNull text: String?) -> WireJSON { .value(text.map(JSONValue.string) ?? .null) }

    static func number(_ number: Int64) -> WireJSON { .value(.number(JSONNumber(number))) }

    /// The number, or `null`.
    static func number(orNull number: Int64?) -> WireJSON { number.map(Self.number) ?? .value(.null) }

    /// Returns this object with another value for an existing member.
    func setting(_ name: String, _ value: WireJSON) -> WireJSON {
        guard case .object(let members) = self else { return self }
        return .object(members.map { ($0.0, $0.0 == name ? value : $0.1) })
    }

    /// Returns this object with an existing plain value changed.
    func changing(_ name: String, _ change: (JSONValue) -> JSONValue) -> WireJSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                guard member.0 == name, case .value(let value) = member.1 else { return member }
                return (name, .value(change(value)))
            })
    }

    /// The compact text as UTF-8.
    var bytes: [UInt8] {
        switch self {
        case .value(let value): value.serialized()
        case .array(let elements): Self.list(elements.map(\.bytes), "[", "]")
        case .object(let members):
            Self.list(members.map { JSONValue.string($0).serialized() + ":".utf8 + $1.bytes }, "{", "}")
        }
    }

    /// The compact text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func list(_ parts: [[UInt8]], _ open: String, _ close: String) -> [UInt8] {
        Array(open.utf8) + parts.joined(separator: Array(",".utf8)) + Array(close.utf8)
    }
}

extension WireJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral, ExpressibleByIntegerLiteral
{
    init(dictionaryLiteral elements: (String, WireJSON)...) { self = .object(elements) }
    init(arrayLiteral elements: WireJSON...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .text(value) }
    init(nilLiteral: ()) { self = .value(.null) }
    init(integerLiteral value: Int64) { self = .number(value) }
}
