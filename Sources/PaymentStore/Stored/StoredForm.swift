package import PaymentCore

/// How values are written into a journal's rows.
///
/// What is stored has names and words of its own, one file here for each stored thing, so that a property or a case that is
/// renamed in code changes no journal. An object carries the number of its form. Forms that were released are read for
/// ever (`Tests/Vectors/journals`); a change of what is written is a new form.
package enum StoredForm: Int64 {
    /// What was written before forms had numbers: journals of the versions 1 to 3.
    case first = 1
    /// From version 4 on.
    case second = 2

    /// The form that is written.
    static let current = StoredForm.second
    private static let key = "form"

    /// An object's text, with the number of its form.
    ///
    /// - Throws: `EncodingError` when it nests deeper than what can be read again.
    package static func text(_ members: [String: JSONValue?]) throws -> String {
        var members = members.compactMapValues { $0 }
        members[key] = .number(JSONNumber(current.rawValue))
        return try JSONValue.encode(JSONValue.object(members)).text
    }

    /// Reads an object's text.
    package static func object(_ text: String) throws(Unreadable) -> StoredObject {
        guard let value = try? JSONValue(parsing: text), let members = value.object else { throw Unreadable() }
        guard let number = members[key] else { return StoredObject(form: .first, members: members) }
        guard let form = number.int64.flatMap(StoredForm.init(rawValue:)) else { throw Unreadable() }
        return StoredObject(form: form, members: members)
    }
}

/// A stored text is nothing that any form of it could be.
package struct Unreadable: Error {
    package init() {}
}

/// A stored object, while it is read.
package struct StoredObject {
    let form: StoredForm
    package let members: [String: JSONValue]

    /// A text that has to be there.
    package func text(_ key: String) throws(Unreadable) -> String {
        guard let text = try optionalText(key) else { throw Unreadable() }
        return text
    }

    /// A text, nil where there is none.
    package func optionalText(_ key: String) throws(Unreadable) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.string else { throw Unreadable() }
        return text
    }

    /// A number, nil where there is none.
    package func optionalNumber(_ key: String) throws(Unreadable) -> Double? {
        guard let value = present(key) else { return nil }
        guard let number = value.number?.double else { throw Unreadable() }
        return number
    }

    /// A duration in seconds, nil where there is none.
    package func optionalDuration(_ key: String) throws(Unreadable) -> Duration? {
        guard let value = present(key) else { return nil }
        guard let duration = value.number?.seconds else { throw Unreadable() }
        return duration
    }

    /// A truth value, false where there is none.
    package func flag(_ key: String) throws(Unreadable) -> Bool {
        guard let value = present(key) else { return false }
        guard let flag = value.bool else { throw Unreadable() }
        return flag
    }

    /// An object that has to be there.
    package func object(_ key: String) throws(Unreadable) -> StoredObject {
        guard let object = try optionalObject(key) else { throw Unreadable() }
        return object
    }

    /// An object, nil where there is none.
    package func optionalObject(_ key: String) throws(Unreadable) -> StoredObject? {
        guard let value = present(key) else { return nil }
        guard let members = value.object else { throw Unreadable() }
        return StoredObject(form: form, members: members)
    }

    /// A list of objects that has to be there.
    package func objects(_ key: String) throws(Unreadable) -> [StoredObject] {
        guard let values = members[key]?.array else { throw Unreadable() }
        var objects: [StoredObject] = []
        for value in values {
            guard let members = value.object else { throw Unreadable() }
            objects.append(StoredObject(form: form, members: members))
        }
        return objects
    }

    private func present(_ key: String) -> JSONValue? {
        guard let value = members[key], !value.isNull else { return nil }
        return value
    }
}
