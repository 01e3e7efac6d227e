extension JSONValue {
    /// Creates a `Decodable` value from this one.
    ///
    /// Whole numbers must fit their type exactly. A ``JSONValue`` inside `type` comes out exactly as it is here.
    ///
    /// - Parameter type: the type to create; inferred where possible.
    /// - Returns: the value.
    /// - Throws: `DecodingError` with the path to the place. Its texts name types and kinds, never content.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decode(type, at: [])
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, at path: @autoclosure () -> [any CodingKey]) throws
        -> Value
    {
        if let scalar = type as? any JSONScalar.Type {
            guard kind == scalar.jsonKind else { throw mismatch(type, expected: scalar.jsonKind, at: path()) }
            guard let value = scalar.init(json: self) as? Value else {
                throw DecodingError.dataCorrupted(.init(codingPath: path(), debugDescription: "does not fit \(type)"))
            }
            return value
        }
        let path = path()
        do {
            return try type.init(from: JSONValueDecoder(value: self, codingPath: path))
        } catch DecodingError.dataCorrupted(let context) where type is any RawRepresentable.Type {
            // The standard library quotes the raw value here.
            throw DecodingError.dataCorrupted(
                .init(codingPath: context.codingPath, debugDescription: "not one of the values of \(type)"))
        }
    }

    fileprivate func mismatch(_ type: any Any.Type, expected: Kind, at path: [any CodingKey]) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "expected \(expected.rawValue), found \(kind.rawValue)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension JSONValue: Decodable {
    /// Creates a value as a copy of the decoded one. Works only under ``decode(_:)``.
    ///
    /// - Throws: `DecodingError` under any other decoder.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONValueDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "use JSONValue(parsing:) and decode(_:)"))
        }
        self = decoder.value
    }
}

private struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else {
            throw value.mismatch([String: JSONValue].self, expected: .object, at: codingPath)
        }
        return KeyedDecodingContainer(KeyedContainer(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else {
            throw value.mismatch([JSONValue].self, expected: .array, at: codingPath)
        }
        return UnkeyedContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(value: value, codingPath: codingPath)
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).decode(type, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try decoder(for: member(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(for: member(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        decoder(for: members[JSONCodingKey.superclass.stringValue] ?? .null, JSONCodingKey.superclass)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        decoder(for: members[key.stringValue] ?? .null, key)
    }

    private func decoder(for value: JSONValue, _ key: any CodingKey) -> JSONValueDecoder {
        JSONValueDecoder(value: value, codingPath: codingPath + [key])
    }

    private func member(_ key: Key) throws -> JSONValue {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "the member '\(key.stringValue)' is missing"))
        }
        return value
    }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try current(JSONValue?.self).isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try current(type).decode(type, at: currentPath)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    {
        let container = try decoder().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder()
        currentIndex += 1
        return decoder
    }

    private var currentPath: [any CodingKey] { codingPath + [JSONCodingKey(intValue: currentIndex)] }

    private func decoder() throws -> JSONValueDecoder {
        JSONValueDecoder(value: try current(JSONValue.self), codingPath: currentPath)
    }

    private func current(_ type: any Any.Type) throws -> JSONValue {
        guard currentIndex < elements.count else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: currentPath, debugDescription: "the array has no more elements"))
        }
        return elements[currentIndex]
    }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value.decode(type, at: codingPath)
    }
}
