package import PaymentCore

/// The part of JSON Schema (draft 2020-12) that the command line's schema uses.
package struct JSONSchema {
    private let root: JSONValue

    /// Creates a validator of the schema `root`.
    package init(root: JSONValue) { self.root = root }

    /// Returns the first breach of the schema in `json`, with its place; nil for none.
    package func breach(in json: JSONValue) -> String? { breach(in: json, by: root, at: "$") }

    private func breach(in json: JSONValue, by schema: JSONValue, at place: String) -> String? {
        if let reference = schema["$ref"]?.string {
            guard let name = reference.split(separator: "/").last, let target = root["$defs"]?[String(name)] else {
                return "\(place): \(reference) leads nowhere"
            }
            return breach(in: json, by: target, at: place)
        }
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            guard names.contains(where: { isOf(json, $0) }) else { return "\(place): is no \(type.text)" }
        }
        if let values = schema["enum"]?.array, !values.contains(json) { return "\(place): is none of \(values)" }
        if let pattern = schema["pattern"]?.string, let text = json.string {
            guard let regex = try? Regex(pattern) else { return "\(place): the pattern is broken" }
            guard text.contains(regex) else { return "\(place): \(text) does not match \(pattern)" }
        }
        if let items = schema["items"], let elements = json.array {
            for (index, element) in elements.enumerated() {
                if let breach = breach(in: element, by: items, at: "\(place)[\(index)]") { return breach }
            }
        }
        guard let members = json.object else { return nil }
        for name in schema["required"]?.array ?? [] where members[name.string ?? ""] == nil {
            return "\(place): lacks \(name.text)"
        }
        for (name, member) in members {
            guard let own = schema["properties"]?[name] else {
                if schema["additionalProperties"] == false { return "\(place): has \(name)" }
                continue
            }
            if let breach = breach(in: member, by: own, at: "\(place).\(name)") { return breach }
        }
        return nil
    }

    private func isOf(_ json: JSONValue, _ type: String) -> Bool {
        switch type {
        case "object": json.object != nil
        case "array": json.array != nil
        case "string": json.string != nil
        case "boolean": json.bool != nil
        case "null": json == .null
        default: false
        }
    }
}
