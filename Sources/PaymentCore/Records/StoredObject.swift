/// An object in a stored value, while it is read.
///
/// Stored data has its own names, in one codec for each stored type. So a property or a case that is renamed in code
/// does not change what is stored. There is one form of each.
package struct StoredObject {
    package let members: [String: JSONValue]

    package init(members: [String: JSONValue]) { self.members = members }

    /// Reads an object's text.
    package init(_ text: String) throws(StoredFormDefect) {
        guard let members = try? JSONValue(parsing: text).object else { throw StoredFormDefect() }
        self.members = members
    }

    /// Reads an object from the value of a record.
    package init(_ value: [UInt8]) throws(StoredFormDefect) {
        guard let members = try? JSONValue(parsing: value).object else { throw StoredFormDefect() }
        self.members = members
    }

    /// Returns an object's text as the value of a record.
    ///
    /// - Throws: `EncodingError` when it nests deeper than can be read again.
    package static func value(_ members: [String: JSONValue?]) throws -> [UInt8] { Array(try text(members).utf8) }

    /// Returns an object's text.
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

    /// Returns a text; nil if there is none.
    package func optionalText(_ key: String) throws(StoredFormDefect) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.string else { throw StoredFormDefect() }
        return text
    }

    /// Returns a number; nil if there is none.
    package func optionalNumber(_ key: String) throws(StoredFormDefect) -> Double? {
        guard let value = present(key) else { return nil }
        guard let number = value.number?.double else { throw StoredFormDefect() }
        return number
    }

    /// Returns a duration in seconds; nil if there is none.
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

    /// Returns an object; nil if there is none.
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

/// A stored text does not have any form that was written.
package struct StoredFormDefect: Error {
    package init() {}
}

/// An amount: its minor units as a text, since other readers round long numbers, and their unit and exponent.
package enum StoredMoney {
    package static func value(_ money: Money) -> JSONValue {
        [
            "minorUnits": .string(money.minorUnitText), "currency": .string(money.currency.unit),
            "exponent": .number(JSONNumber(money.exponent)),
        ]
    }

    package static func read(_ object: StoredObject) throws(StoredFormDefect) -> Money {
        let (units, unit) = (try object.text("minorUnits"), try object.text("currency"))
        guard let exponent = object.members["exponent"]?.number?.exactly(UInt8.self),
            let currency = try? Currency(unit: unit),
            let money = try? Money(minorUnitText: units, currency: currency, exponent: exponent)
        else { throw StoredFormDefect() }
        return money
    }
}
