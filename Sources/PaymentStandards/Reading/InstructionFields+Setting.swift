import PaymentCore

extension InstructionFields {
    /// Sets a text; nil leaves the field out.
    mutating func set(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }

    /// Sets a text, or `null` where it is nil.
    mutating func setOrNull(_ name: String, _ text: String?) {
        self[name] = text.map(JSONValue.string) ?? .null
    }

    /// Sets a whole number; nil leaves the field out.
    mutating func set(_ name: String, _ number: (some BinaryInteger)?) {
        if let number { self[name] = .number(JSONNumber(number)) }
    }

    /// Sets a truth value; nil leaves the field out.
    mutating func set(_ name: String, _ flag: Bool?) {
        if let flag { self[name] = .bool(flag) }
    }

    /// Sets a list of texts; an empty one leaves the field out.
    mutating func set(_ name: String, _ texts: [String]) {
        if !texts.isEmpty { self[name] = .array(texts.map(JSONValue.string)) }
    }

    /// Sets an object of texts; an empty one leaves the field out.
    mutating func set(_ name: String, _ texts: [String: String]) {
        if !texts.isEmpty { self[name] = .object(texts.mapValues(JSONValue.string)) }
    }
}
