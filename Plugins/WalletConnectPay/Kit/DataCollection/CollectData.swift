import WalletConnectPayProvider

/// Data about the payer that has to be submitted before paying, usually for the travel rule.
///
/// Submit it **before** requesting the option's actions: the service refuses to build them until it has the data.
public struct CollectDataAction: Sendable, Hashable, Codable {
    /// The fields. The service is replacing them with its own form.
    public var fields: [CollectDataField]
    /// The service's own form, to be shown in a web view. It submits the data itself.
    public var url: String?
    /// A JSON Schema, as text, of all possible data. Its `required` lists the members that may be pre-filled.
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
    /// The id under which the value is submitted.
    public var id: String
    /// The name to show.
    public var name: String
    /// True if it must be filled in.
    public var required: Bool
    /// The type of its value.
    public var fieldType: CollectDataFieldType

    /// Creates a field.
    public init(id: String, name: String, required: Bool, fieldType: CollectDataFieldType) {
        self.id = id
        self.name = name
        self.required = required
        self.fieldType = fieldType
    }
}

/// The type of a field's value: the two types of the vendor's guides, so that a `switch` written after them is
/// complete.
///
/// The service has more types by now, such as checkboxes, and may add some at any time. They arrive as ``text``;
/// ``CollectDataAction/schema`` lists the valid texts (`true` and `false` for a checkbox).
public enum CollectDataFieldType: String, Sendable, Hashable, Codable {
    /// Any text.
    case text
    /// A calendar date, `YYYY-MM-DD`.
    case date
}

/// The payer's entry in one field. Personal data: it prints as its field's id only.
public struct CollectDataFieldResult: Sendable, Hashable, Codable {
    /// The field's id.
    public var id: String
    /// The value; `true` or `false` for checkboxes.
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

/// The requirement, if any, that the payer provides data before paying with an option.
public enum DataCollectionDemand: Sendable, Hashable {
    /// No option of this payment needs data.
    case none
    /// This option needs no data; others might.
    case notForThisOption
    /// Show the option's page and wait for its completion before requesting the option's actions.
    case page
    /// The option names no page: ask for its fields, obtain consent to the terms, and submit the values.
    case form

    /// Creates a demand by the vendor's decision table. The option decides. The response's own `collectData` only shows
    /// if other options need data.
    ///
    /// - Parameters:
    ///   - isInResponse: true if the response's `collectData` is present.
    ///   - isInOption: true if the chosen option's `collectData` is present.
    ///   - hasPage: true if the option's `collectData` names a page.
    public init(isInResponse: Bool, isInOption: Bool, hasPage: Bool) {
        self =
            if isInOption {
                hasPage ? .page : .form
            } else {
                isInResponse ? .notForThisOption : .none
            }
    }
}
