import PaymentCore

/// Parts of a text that a standard takes one by one, and that know which of them are left.
protocol PartList: AnyObject {
    /// The parts that were not taken, in the text's order.
    var untaken: [(name: String, value: TextPart)] { get }
}

/// Parts of a text by their names. Made by ``PaymentText/named(_:)``.
final class NamedParts: PartList {
    private let parts: [String: TextPart]
    private var taken: Set<String> = []

    init(_ parts: [String: TextPart]) { self.parts = parts }

    /// Takes and returns the part `name`; nil where there is none.
    subscript(_ name: String) -> TextPart? {
        guard let part = parts[name] else { return nil }
        taken.insert(name)
        return part
    }

    var untaken: [(name: String, value: TextPart)] {
        parts.filter { !taken.contains($0.key) }.map { ($0.key, $0.value) }
            .sorted { $0.value.offset < $1.value.offset }
    }
}
