package import PaymentCore

/// A writer of a JSON object, member by member. It omits nil values and objects without members.
package struct BodyWriter {
    private var members: [String: JSONValue] = [:]

    package init() {}

    package init(_ write: (inout BodyWriter) -> Void) { write(&self) }

    /// The object; nil when nothing was written.
    package var object: JSONValue? { members.isEmpty ? nil : .object(members) }

    package subscript(_ name: String) -> String? {
        get { members[name]?.string }
        set { members[name] = newValue.map { .string($0) } }
    }

    package mutating func write(_ name: String, _ value: Int?) { members[name] = value.map { .number(JSONNumber($0)) } }

    package mutating func write(_ name: String, _ value: Bool) { members[name] = .bool(value) }

    package mutating func write(_ name: String, _ value: JSONValue?) { members[name] = value }
}
