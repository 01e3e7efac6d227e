public import PaymentCore

extension DataForm {
    /// The maximum length of a schema's text, in UTF-8 bytes.
    public static let maximumSchemaLength = 65_536
    /// The maximum number of properties, and of ids in one list.
    private static let maximumCount = 200

    /// Creates a form from a JSON Schema, as the object itself or as its text in a string.
    ///
    /// The form uses `required`, `anyOf` with `required`, and of each property `type`, `format` (`date`), `minLength`,
    /// `maxLength`, `const`, `title` and simple forms of `pattern`. It ignores everything else, and a known keyword
    /// with a value of the wrong kind: the service checks again. (JSON Schema 2020-12.)
    ///
    /// - Throws: ``DataFormSchemaError``.
    public init(schema: JSONValue) throws(DataFormSchemaError) {
        var schema = schema
        if let text = schema.string {
            guard text.utf8.count <= Self.maximumSchemaLength else { throw .tooLarge }
            do { schema = try JSONValue(parsing: text) } catch { throw .notJSON(error) }
        }
        guard let members = schema.object else { throw .notAnObject }
        let properties = members["properties"]?.object ?? [:]
        let groups = members["anyOf"]?.array ?? []
        guard properties.count <= Self.maximumCount, groups.count <= Self.maximumCount else { throw .tooLarge }

        let required = try Self.ids(members["required"])
        // A group without requirements is always complete, and with it the choice.
        var alternatives: [[String]] = []
        for group in groups { alternatives.append(try Self.ids(group["required"])) }

        var seen: Set<String> = []
        let order = required + alternatives.joined() + properties.keys.sorted()
        let ids = order.filter { seen.insert($0).inserted }
        let isRequired = Set(required)
        var rules: [String: ValueRule] = [:]
        let fields = ids.map { id in
            let rule = ValueRule(schema: properties[id] ?? .null)
            rules[id] = rule
            return DataRequest.Field(
                id: id, name: properties[id]?["title"]?.string.map { PlainLine.make($0, limit: 100) } ?? id,
                kind: rule.kind, isRequired: isRequired.contains(id))
        }
        self.init(fields: fields, alternatives: alternatives, rules: rules)
    }

    private static func ids(_ list: JSONValue?) throws(DataFormSchemaError) -> [String] {
        let ids = (list?.array ?? []).compactMap(\.string)
        guard ids.count <= maximumCount, ids.allSatisfy({ $0.utf8.count <= 128 }) else { throw .tooLarge }
        return ids
    }
}

extension ValueRule {
    init(schema: JSONValue) {
        switch (schema["type"]?.string, schema["format"]?.string) {
        case ("boolean", _): kind = .checkbox
        case ("string", "date"): kind = .date
        default: kind = .text
        }
        minimum = schema["minLength"]?.int64.flatMap { Int(exactly: $0) }
        maximum = schema["maxLength"]?.int64.flatMap { Int(exactly: $0) }
        pattern = schema["pattern"]?.string.flatMap(TextPattern.init)
        switch schema["const"] {
        case .bool(let flag): constant = flag ? "true" : "false"
        case .string(let text): constant = text
        default: break
        }
    }
}

/// The reason why a schema cannot be read.
@nonexhaustive
public enum DataFormSchemaError: Error, Sendable, Hashable {
    /// Its text is not JSON.
    case notJSON(JSONError)
    /// It is not a JSON object.
    case notAnObject
    /// It is larger than any realistic form.
    case tooLarge
}

extension DataFormSchemaError: CustomStringConvertible {
    /// One human-readable sentence.
    public var description: String {
        switch self {
        case .notJSON(let error): "the form's schema cannot be read: \(error)"
        case .notAnObject: "the form's schema is not a JSON object"
        case .tooLarge: "the form's schema is larger than a form for people can be"
        }
    }
}
