import PaymentCore

/// Data about the payer that has to be submitted before paying. Also part of an option's data in a journal.
package struct CollectDataBody: Codable, Sendable {
    package let fields: [FieldBody]
    /// The service's own form.
    package let url: String?
    /// A JSON Schema, as text.
    package let schema: String?

    private enum CodingKeys: String, CodingKey { case fields, url, schema }

    /// Reads the service's form, where `schema` is an object, and the journal's, where it is text.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let schema = try members.decodeIfPresent(JSONValue.self, forKey: .schema)
        fields = try members.decodeIfPresent([FieldBody].self, forKey: .fields) ?? []
        url = try members.decodeIfPresent(String.self, forKey: .url)
        self.schema = schema.map { $0.string ?? $0.text }
    }
}

/// One field to fill in.
package struct FieldBody: Codable, Sendable {
    package let id: String
    package let name: String
    package let required: Bool
    /// `text`, `date`, `checkbox`, or an unknown raw value.
    package let type: String

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decodeIfPresent(String.self, forKey: .name) ?? id
        required = try members.decodeIfPresent(Bool.self, forKey: .required) ?? true
        type = try members.decodeIfPresent(String.self, forKey: .type) ?? "text"
    }
}

/// The payer's entry in one field. Personal data: it prints as its field's id only.
package struct CollectedBody: Codable, Sendable {
    package let id: String
    package let value: String

    package init(id: String, value: String) {
        self.id = id
        self.value = value
    }
}

extension CollectedBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "CollectedBody(\(id))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
