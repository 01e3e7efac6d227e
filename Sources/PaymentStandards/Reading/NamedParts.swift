import PaymentCore

/// Parts of a text that a standard takes one by one, and that know which of them are left.
protocol PartList: AnyObject {
    /// The parts that were not taken, in the text's order.
    var untaken: [UnreadPart] { get }
}

/// Parts of a text by their names. Made by ``PaymentText/named(_:)``.
struct NamedParts {
    /// A part, and if it was taken. A tuple's copies take several times as long.
    struct Part {
        let name: String
        let value: TextPart
        var isTaken = false
    }

    /// The parts of several copies.
    private final class List: PartList {
        /// Few: to compare them takes less time than to hash a name.
        var parts: [Part]

        init(_ parts: [Part]) { self.parts = parts }

        var untaken: [UnreadPart] {
            guard parts.contains(where: { !$0.isTaken }) else { return [] }
            return parts.filter { !$0.isTaken }.sorted { $0.value.offset < $1.value.offset }
                .map { UnreadPart($0.name, $0.value.text) }
        }
    }

    /// Nil without any part, as most links to services are.
    private let list: List?

    init(_ parts: [Part]) { list = parts.isEmpty ? nil : List(parts) }

    /// The account of them; nil without any part.
    var account: (any PartList)? { list }

    /// Takes and returns the part `name`; nil where there is none.
    subscript(_ name: String) -> TextPart? {
        guard let list, let index = list.parts.lastIndex(where: { $0.name == name }) else { return nil }
        list.parts[index].isTaken = true
        return list.parts[index].value
    }

    /// Takes all parts with one of `names`, and returns their texts.
    func take(_ names: Set<String>) -> [String: String] {
        guard let list else { return [:] }
        var texts: [String: String] = [:]
        for index in list.parts.indices where names.contains(list.parts[index].name) {
            list.parts[index].isTaken = true
            texts[list.parts[index].name] = list.parts[index].value.text
        }
        return texts
    }
}
