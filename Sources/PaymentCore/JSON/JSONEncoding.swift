extension JSONValue {
    /// Creates a value from an `Encodable` one.
    ///
    /// Optionals that are nil leave no member. A ``JSONValue`` inside `value` goes in exactly as it is.
    ///
    /// - Parameter value: the value to write.
    /// - Returns: the same as JSON.
    /// - Throws: `EncodingError` for an infinite or undefined number and for more than ``maximumDepth`` levels. The
    ///   error names the place and the type, never content.
    public static func encode(_ value: some Encodable) throws -> JSONValue {
        let node = Node()
        try node.encode(value, at: [])
        let json = node.frozen()
        guard json.fits(levels: maximumDepth) else { throw Node.tooDeep(type(of: value), []) }
        return json
    }

    private func fits(levels: Int) -> Bool {
        switch self {
        case .array(let elements): levels > 0 && elements.allSatisfy { $0.fits(levels: levels - 1) }
        case .object(let members): levels > 0 && members.values.allSatisfy { $0.fits(levels: levels - 1) }
        default: true
        }
    }
}

extension JSONValue: Encodable {
    /// Encodes the value unchanged. Works only under ``encode(_:)``.
    ///
    /// - Throws: `EncodingError` under any other encoder.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? NodeEncoder else {
            throw EncodingError.invalidValue(
                Self.self, .init(codingPath: encoder.codingPath, debugDescription: "use JSONValue.encode(_:) and text"))
        }
        encoder.node.value = self
    }
}

/// A value that is still being written: encoders hold a place open while their containers come and go.
private final class Node {
    var value: JSONValue?
    var elements: [Node]?
    var members: [String: Node]?

    func frozen() -> JSONValue {
        if let value { return value }
        if let elements { return .array(elements.map { $0.frozen() }) }
        return .object((members ?? [:]).mapValues { $0.frozen() })
    }

    func member(_ key: String) -> Node {
        let node = Node()
        members?[key] = node
        return node
    }

    func element() -> Node {
        let node = Node()
        elements?.append(node)
        return node
    }

    func encode<Value: Encodable>(_ value: Value, at path: @autoclosure () -> [any CodingKey]) throws {
        if let scalar = value as? any JSONScalar {
            guard let json = scalar.json else { throw Self.unencodable(Value.self, "is not a finite number", path()) }
            self.value = json
        } else {
            let path = path()
            guard path.count <= JSONValue.maximumDepth else { throw Self.tooDeep(Value.self, path) }
            try value.encode(to: NodeEncoder(node: self, codingPath: path))
        }
    }

    static func tooDeep(_ type: any Any.Type, _ path: [any CodingKey]) -> EncodingError {
        unencodable(type, "nests more than \(JSONValue.maximumDepth) levels deep", path)
    }

    // The error has a slot for the value; it gets the type, so that no content travels with the error.
    private static func unencodable(_ type: any Any.Type, _ problem: String, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(type, .init(codingPath: path, debugDescription: "the \(type) \(problem)"))
    }
}

private struct NodeEncoder: Encoder {
    let node: Node
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // A class and its superclass may both ask: the same object continues.
        if node.members == nil { node.members = [:] }
        return KeyedEncodingContainer(KeyedContainer(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if node.elements == nil { node.elements = [] }
        return UnkeyedContainer(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueContainer(node: node, codingPath: codingPath)
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws { node.member(key.stringValue).value = .null }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try node.member(key.stringValue).encode(value, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
        -> KeyedEncodingContainer<Nested>
    {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder(JSONCodingKey.superclass) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: any CodingKey) -> NodeEncoder {
        NodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }
}

private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    var count: Int { node.elements?.count ?? 0 }

    func encodeNil() throws { node.element().value = .null }

    func encode<Value: Encodable>(_ value: Value) throws {
        let path = codingPath + [JSONCodingKey(intValue: count)]
        try node.element().encode(value, at: path)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> NodeEncoder {
        let path = codingPath + [JSONCodingKey(intValue: count)]
        return NodeEncoder(node: node.element(), codingPath: path)
    }
}

private struct SingleValueContainer: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil() throws { node.value = .null }

    func encode<Value: Encodable>(_ value: Value) throws { try node.encode(value, at: codingPath) }
}
