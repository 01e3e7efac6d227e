/// The content of a payment text by its standard's own names: an ordered list of unique names and JSON values.
///
/// A list and not a dictionary, since there are few fields and each text read makes one.
public struct InstructionFields: Sendable {
    /// One field.
    public typealias Field = (name: String, value: JSONValue)

    /// A field as it is kept: a tuple's copies take several times as long.
    private struct Item: Sendable, Hashable {
        let name: String
        var value: JSONValue
    }

    private var list: [Item] = []

    /// Creates an empty list.
    public init() {}

    /// The value named `name`. Setting replaces, or adds at the end; setting nil removes.
    public subscript(_ name: String) -> JSONValue? {
        get { place(of: name).map { list[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let index?, let value?): list[index].value = value
            case (let index?, nil): list.remove(at: index)
            case (nil, let value?):
                // Most lists have a handful.
                if list.isEmpty { list.reserveCapacity(6) }
                list.append(Item(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    private func place(of name: String) -> Int? {
        // Names of other lengths differ at a glance.
        let count = name.utf8.count
        return list.firstIndex { $0.name.utf8.count == count && $0.name == name }
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
    public subscript(_ position: Int) -> Field { (list[position].name, list[position].value) }
}

/// Lists are equal when they hold the same fields in the same order.
extension InstructionFields: Hashable {}

extension InstructionFields: ExpressibleByDictionaryLiteral {
    /// Creates a list; the last of two values of one name stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}
