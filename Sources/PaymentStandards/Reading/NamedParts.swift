import PaymentCore

/// Parts of a text that a standard takes one by one, and that know which of them are left.
protocol PartList: AnyObject {
    /// The parts that were not taken, in the text's order.
    var untaken: [(name: String, value: TextPart)] { get }
}

/// Parts of a text by their names. Made by ``PaymentText/named(_:)``.
final class NamedParts: PartList {
    /// Few: to compare them takes less time than to hash a name.
    private var parts: [(name: String, value: TextPart, isTaken: Bool)]

    init(_ parts: some Sequence<(key: String, value: TextPart)>) {
        self.parts = parts.map { ($0.key, $0.value, false) }
    }

    /// True without any part.
    var isEmpty: Bool { parts.isEmpty }

    /// Takes and returns the part `name`; nil where there is none.
    subscript(_ name: String) -> TextPart? {
        guard let index = parts.lastIndex(where: { $0.name == name }) else { return nil }
        parts[index].isTaken = true
        return parts[index].value
    }

    /// Takes all parts with one of `names`.
    func take(_ names: Set<String>) {
        for index in parts.indices where names.contains(parts[index].name) { parts[index].isTaken = true }
    }

    var untaken: [(name: String, value: TextPart)] {
        parts.lazy.filter { !$0.isTaken }.map { ($0.name, $0.value) }.sorted { $0.value.offset < $1.value.offset }
    }
}
