package import PaymentCore

/// A stored text is not of any form that was written.
package struct StoredFormDefect: Error {
    package init() {}
}

/// An object in a row of a file, while it is read.
///
/// Stored data has its own names, one file here for each stored type, so that a property or a case that is renamed in
/// code changes no file. There is one form of each; the version of a file's ``Schema`` determines it.
package struct StoredObject {
    package let members: [String: JSONValue]

    package init(members: [String: JSONValue]) { self.members = members }

    /// Reads an object's text.
    package init(_ text: String) throws(StoredFormDefect) {
        guard let members = try? JSONValue(parsing: text).object else { throw StoredFormDefect() }
        self.members = members
    }

    /// An object's text.
    ///
    /// - Throws: `EncodingError` when it nests deeper than can be read again.
    package static func text(_ members: [String: JSONValue?]) throws -> String {
        try JSONValue.encode(JSONValue.object(members.compactMapValues { $0 })).text
    }

    /// Returns a required text.
    package func text(_ key: String) throws(StoredFormDefect) -> String {
        guard let text = try optionalText(key) else { throw StoredFormDefect() }
        return text
    }

    /// A text, nil where there is none.
    package func optionalText(_ key: String) throws(StoredFormDefect) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.string else { throw StoredFormDefect() }
        return text
    }

    /// A number, nil where there is none.
    package func optionalNumber(_ key: String) throws(StoredFormDefect) -> Double? {
        guard let value = present(key) else { return nil }
        guard let number = value.number?.double else { throw StoredFormDefect() }
        return number
    }

    /// A duration in seconds, nil where there is none.
    package func optionalDuration(_ key: String) throws(StoredFormDefect) -> Duration? {
        guard let value = present(key) else { return nil }
        guard let duration = value.number?.seconds else { throw StoredFormDefect() }
        return duration
    }

    /// Returns a required truth value.
    package func flag(_ key: String) throws(StoredFormDefect) -> Bool {
        guard let flag = members[key]?.bool else { throw StoredFormDefect() }
        return flag
    }

    /// Returns a required object.
    package func object(_ key: String) throws(StoredFormDefect) -> StoredObject {
        guard let object = try optionalObject(key) else { throw StoredFormDefect() }
        return object
    }

    /// An object, nil where there is none.
    package func optionalObject(_ key: String) throws(StoredFormDefect) -> StoredObject? {
        guard let value = present(key) else { return nil }
        guard let members = value.object else { throw StoredFormDefect() }
        return StoredObject(members: members)
    }

    /// Returns a required list of objects.
    package func objects(_ key: String) throws(StoredFormDefect) -> [StoredObject] {
        guard let values = members[key]?.array else { throw StoredFormDefect() }
        var objects: [StoredObject] = []
        for value in values {
            guard let members = value.object else { throw StoredFormDefect() }
            objects.append(StoredObject(members: members))
        }
        return objects
    }

    private func present(_ key: String) -> JSONValue? {
        guard let value = members[key], !value.isNull else { return nil }
        return value
    }
}
