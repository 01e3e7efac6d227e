package import PaymentCore

/// Writes a JSON object member by member. What is nil leaves no member, and an object without members is left out.
package struct BodyWriter {
    private var members: [String: JSONValue] = [:]

    package init() {}

    package init(_ write: (inout BodyWriter) -> Void) { write(&self) }

    /// Nil when nothing was written.
    package var object: JSONValue? { members.isEmpty ? nil : .object(members) }

    package subscript(_ name: String) -> String? {
        get { members[name]?.string }
        set { members[name] = newValue.map { .string($0) } }
    }

    package mutating func write(_ name: String, _ value: Int?) { members[name] = value.map { .number(JSONNumber($0)) } }

    package mutating func write(_ name: String, _ value: Bool) { members[name] = .bool(value) }

    package mutating func write(_ name: String, _ value: JSONValue?) { members[name] = value }
}
