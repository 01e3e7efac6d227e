import PaymentCore

/// A place in a JSON value, also inside JSON that one of its strings contains.
struct Place: Sendable {
    enum Step: Sendable, Hashable {
        case key(String)
        case index(Int)
        /// Into the JSON that a string contains.
        case text
    }

    private(set) var steps: [Step]

    init(_ steps: [Step] = []) { self.steps = steps }

    func appending(_ step: Step) -> Place { Place(steps + [step]) }

    /// Every place under `value`, itself included, in a fixed order.
    static func all(in value: JSONValue, under place: Place = Place()) -> [Place] {
        var places = [place]
        switch value {
        case .object(let members):
            for (key, child) in members.sorted(by: { $0.key < $1.key }) {
                places += all(in: child, under: place.appending(.key(key)))
            }
        case .array(let elements):
            for (index, child) in elements.enumerated() {
                places += all(in: child, under: place.appending(.index(index)))
            }
        case .string(let text) where text.utf8.first == UInt8(ascii: "{"):
            if let inner = try? JSONValue(parsing: text) { places += all(in: inner, under: place.appending(.text)) }
        default: break
        }
        return places
    }

    func value(in root: JSONValue) -> JSONValue? {
        steps.reduce(root) { value, step in
            switch step {
            case .key(let key): value?[key]
            case .index(let index): value?[index]
            case .text: value?.string.flatMap { try? JSONValue(parsing: $0) }
            }
        }
    }

    /// Puts `new` here; nil removes the value.
    func set(_ new: JSONValue?, in root: JSONValue) -> JSONValue {
        Self.set(new, in: root, steps[...]) ?? .null
    }

    private static func set(_ new: JSONValue?, in value: JSONValue?, _ steps: ArraySlice<Step>) -> JSONValue? {
        guard let step = steps.first else { return new }
        let rest = steps.dropFirst()
        switch step {
        case .key(let key):
            var members = value?.object ?? [:]
            members[key] = set(new, in: members[key], rest)
            return .object(members)
        case .index(let index):
            var elements = value?.array ?? []
            guard elements.indices.contains(index) else { return value }
            if let element = set(new, in: elements[index], rest) {
                elements[index] = element
            } else {
                elements.remove(at: index)
            }
            return .array(elements)
        case .text:
            let inner = value?.string.flatMap { try? JSONValue(parsing: $0) }
            return set(new, in: inner, rest).map { .string($0.text) }
        }
    }
}
