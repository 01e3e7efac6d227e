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

// MARK: - Decoder

private struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else {
            throw value.mismatch([String: JSONValue].self, expected: .object, at: codingPath)
        }
        return KeyedDecodingContainer(KeyedDecoder(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else {
            throw value.mismatch([JSONValue].self, expected: .array, at: codingPath)
        }
        return UnkeyedDecoder(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueDecoder(value: value, codingPath: codingPath)
    }
}

private struct KeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
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

private struct UnkeyedDecoder: UnkeyedDecodingContainer {
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

private struct SingleValueDecoder: SingleValueDecodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value.decode(type, at: codingPath)
    }
}

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

    // The error has a slot for the value. It gets the type instead, so no content travels with the error.
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
        return KeyedEncodingContainer(KeyedEncoder(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if node.elements == nil { node.elements = [] }
        return UnkeyedEncoder(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoder(node: node, codingPath: codingPath)
    }
}

private struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
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

private struct UnkeyedEncoder: UnkeyedEncodingContainer {
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

private struct SingleValueEncoder: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil() throws { node.value = .null }

    func encode<Value: Encodable>(_ value: Value) throws { try node.encode(value, at: codingPath) }
}

// MARK: - Scalars

/// A type that is one JSON string, number or truth value. Decoder and encoder treat it without a container.
///
/// Swift's `Decoder` asks for each of these types by its own method; through this protocol one generic method serves
/// them all.
protocol JSONScalar: Codable {
    static var jsonKind: JSONValue.Kind { get }
    /// Nil when a value of the right kind does not fit.
    init?(json: JSONValue)
    /// Nil when JSON cannot express the value.
    var json: JSONValue? { get }
}

extension Bool: JSONScalar {
    static var jsonKind: JSONValue.Kind { .bool }
    init?(json: JSONValue) {
        guard let value = json.bool else { return nil }
        self = value
    }
    var json: JSONValue? { .bool(self) }
}

extension String: JSONScalar {
    static var jsonKind: JSONValue.Kind { .string }
    init?(json: JSONValue) {
        guard let value = json.string else { return nil }
        self = value
    }
    var json: JSONValue? { .string(self) }
}

extension JSONScalar where Self: FixedWidthInteger {
    static var jsonKind: JSONValue.Kind { .number }
    init?(json: JSONValue) {
        guard let value = json.number?.exactly(Self.self) else { return nil }
        self = value
    }
    var json: JSONValue? { .number(JSONNumber(self)) }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static var jsonKind: JSONValue.Kind { .number }
    init?(json: JSONValue) {
        guard let value = json.number.flatMap({ Self($0.text) }), value.isFinite else { return nil }
        self = value
    }
    var json: JSONValue? { JSONNumber(self).map(JSONValue.number) }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}

/// A place inside a JSON value that no property names: an element, or the part of a superclass.
struct JSONCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    static let superclass = JSONCodingKey(stringValue: "super")
}
