package import PaymentCore

/// The part of JSON Schema (draft 2020-12) that the tests' schemas use.
package struct JSONSchema: Sendable {
    private let root: JSONValue
    /// All others are breaches: no schema says more than is checked.
    private static let keywords: Set<String> = [
        "$defs", "$ref", "$schema", "additionalProperties", "anyOf", "deprecated", "description", "enum", "items",
        "minimum", "pattern", "properties", "required", "title", "type",
    ]

    /// Creates a validator of the schema `root`, or of the schemas that refer to its `$defs`.
    package init(root: JSONValue) { self.root = root }

    /// Returns the first breach of the schema in `json`, with its place; nil for none.
    package func breach(in json: JSONValue) -> String? { breach(in: json, by: root) }

    /// Returns the first breach of `schema` in `json`, with its place; nil for none.
    package func breach(in json: JSONValue, by schema: JSONValue) -> String? { breach(in: json, by: schema, at: "$") }

    private func breach(in json: JSONValue, by schema: JSONValue, at place: String) -> String? {
        guard let keywords = schema.object?.keys else { return schema == true ? nil : "\(place): is in no schema" }
        if let keyword = keywords.first(where: { !Self.keywords.contains($0) }) {
            return "\(place): the schema has \(keyword), which is not checked"
        }
        if let reference = schema["$ref"]?.string {
            guard let target = target(reference) else { return "\(place): \(reference) leads nowhere" }
            return breach(in: json, by: target, at: place)
        }
        if let choices = schema["anyOf"]?.array {
            let breaches = choices.compactMap { breach(in: json, by: $0, at: place) }
            return breaches.count < choices.count ? nil : breaches.joined(separator: "; ")
        }
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            guard names.contains(where: { isOf(json, $0) }) else { return "\(place): is no \(type.text)" }
        }
        if let values = schema["enum"]?.array, !values.contains(json) {
            return "\(place): \(json.text) is none of \(JSONValue.array(values).text)"
        }
        if let least = schema["minimum"]?.number?.double, let value = json.number?.double, value < least {
            return "\(place): is less than \(least)"
        }
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
            let own = schema["properties"]?[name] ?? schema["additionalProperties"] ?? true
            if let breach = breach(in: member, by: own, at: "\(place).\(name)") { return breach }
        }
        return nil
    }

    /// Returns the part of `json` that `schema` promises: without optional and deprecated members.
    package func promised(of json: JSONValue, by schema: JSONValue) -> JSONValue {
        if let target = schema["$ref"]?.string.flatMap(target) { return promised(of: json, by: target) }
        if let choices = schema["anyOf"]?.array {
            let choice = choices.first { breach(in: json, by: $0) == nil }
            return choice.map { promised(of: json, by: $0) } ?? json
        }
        if let items = schema["items"], let elements = json.array {
            return .array(elements.map { promised(of: $0, by: items) })
        }
        guard let members = json.object, let properties = schema["properties"]?.object else { return json }
        let required = schema["required"]?.array ?? []
        return .object(
            members.reduce(into: [:]) { result, member in
                guard required.contains(.string(member.key)), let own = properties[member.key],
                    own["deprecated"] != true
                else { return }
                result[member.key] = promised(of: member.value, by: own)
            })
    }

    private func target(_ reference: String) -> JSONValue? {
        reference.split(separator: "/").last.flatMap { root["$defs"]?[String($0)] }
    }

    private func isOf(_ json: JSONValue, _ type: String) -> Bool {
        switch type {
        case "object": json.object != nil
        case "array": json.array != nil
        case "string": json.string != nil
        case "boolean": json.bool != nil
        case "number": json.number != nil
        case "integer": json.int64 != nil || json.uint64 != nil
        case "null": json == .null
        default: false
        }
    }
}
