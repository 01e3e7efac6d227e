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
