import WalletConnectPayProvider

/// Data about the payer that has to be handed in before paying, usually for the travel rule.
///
/// Hand it in **before** asking for the option's actions: the service refuses to build them until it has the data.
public struct CollectDataAction: Sendable, Hashable, Codable {
    /// The fields. The service is retiring them in favour of its own form.
    public var fields: [CollectDataField]
    /// The service's own form, to be shown in a web view; it hands the data in by itself.
    public var url: String?
    /// A JSON Schema, as text, of all the data there is; its `required` lists what may be pre-filled.
    public var schema: String?

    /// Creates a value.
    public init(fields: [CollectDataField] = [], url: String? = nil, schema: String? = nil) {
        self.fields = fields
        self.url = url
        self.schema = schema
    }
}

/// One field to fill in.
public struct CollectDataField: Sendable, Hashable, Codable, Identifiable {
    /// The id under which the value is handed in.
    public var id: String
    /// The name to show.
    public var name: String
    /// Whether it must be filled in.
    public var required: Bool
    /// What may be entered.
    public var fieldType: CollectDataFieldType

    /// Creates a field.
    public init(id: String, name: String, required: Bool, fieldType: CollectDataFieldType) {
        self.id = id
        self.name = name
        self.required = required
        self.fieldType = fieldType
    }
}

/// What may be entered in a field: the two types of the vendor's guides, so that a `switch` written after them is
/// complete.
///
/// The service has more by now, such as checkboxes, and may add some at any time. They arrive as ``text``; which texts
/// are good for them (`true` and `false` for a checkbox), ``CollectDataAction/schema`` says.
public enum CollectDataFieldType: String, Sendable, Hashable, Codable {
    /// Any text.
    case text
    /// A calendar date, `YYYY-MM-DD`.
    case date
}

/// What the payer entered in one field. Personal data: it prints as its field's id only.
public struct CollectDataFieldResult: Sendable, Hashable, Codable {
    /// The field's id.
    public var id: String
    /// The value; checkboxes say `true` or `false`.
    public var value: String

    /// Creates a result.
    public init(id: String, value: String) {
        self.id = id
        self.value = value
    }
}

extension CollectDataFieldResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The field's id.
    public var description: String { "CollectDataFieldResult(\(id))" }
    /// The field's id.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension CollectDataAction {
    init(_ body: CollectDataBody) {
        self.init(fields: body.fields.map(CollectDataField.init), url: body.url, schema: body.schema)
    }
}

extension CollectDataField {
    init(_ body: FieldBody) {
        self.init(
            id: body.id, name: body.name, required: body.required,
            fieldType: CollectDataFieldType(rawValue: body.type) ?? .text)
    }
}

extension CollectedBody {
    init(_ result: CollectDataFieldResult) { self.init(id: result.id, value: result.value) }
}
