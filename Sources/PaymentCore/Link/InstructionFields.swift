/// The content of a payment text by its standard's own names: an ordered list of unique names and JSON values.
///
/// A list and not a dictionary, since there are few fields and each text read makes one.
public struct InstructionFields: Sendable {
    /// One field.
    public typealias Field = (name: String, value: JSONValue)

    private var list: [Field] = []

    /// Creates an empty list.
    public init() {}

    /// The value named `name`. Setting replaces, or adds at the end; setting nil removes.
    public subscript(_ name: String) -> JSONValue? {
        get { list.first { $0.name == name }?.value }
        set {
            let index = list.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): list[index].value = value
            case (let index?, nil): list.remove(at: index)
            case (nil, let value?): list.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// All fields as one JSON object.
    public var object: JSONValue { .object(Dictionary(list.map { ($0.name, $0.value) }) { _, last in last }) }
}

extension InstructionFields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position behind the last field.
    public var endIndex: Int { list.count }
    /// The field at `position`.
    public subscript(_ position: Int) -> Field { list[position] }
}

extension InstructionFields: Hashable, ExpressibleByDictionaryLiteral {
    /// Creates a list; the last of two values of one name stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Lists are equal when they hold the same fields in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        left.list.elementsEqual(right.list) { $0.name == $1.name && $0.value == $1.value }
    }

    /// Hashes names and values in order.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in list {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}
