public import PaymentCore
import PaymentCrypto

/// Structured data to be signed (EIP-712), as `eth_signTypedData_v4` takes it.
///
/// Everything is checked and hashed when it is parsed, so a value of this type can always be signed.
///
/// Stricter than the standard where a wallet would otherwise sign data that cannot be read off the request: every
/// declared field must have a value, types that contain themselves are refused even through arrays, numbers must fit
/// their type, and an address in mixed case must pass its checksum.
public struct TypedData: Sendable {
    /// The type of ``message``.
    public let primaryType: String
    /// The party that the signature is for: an object.
    public let domain: JSONValue
    /// The signed data: an object. Members that its type does not declare are not signed.
    public let message: JSONValue
    /// hashStruct of the domain: 32 bytes.
    public let domainSeparator: [UInt8]
    /// The input of the message's hashStruct: the hash of the type, and one 32-byte word for each field.
    public let encodedMessage: [UInt8]
    /// hashStruct of the message: 32 bytes.
    public let structHash: [UInt8]

    private let schema: TypedDataSchema

    /// The 32 bytes to sign: the Keccak-256 of `1901`, the domain separator and the message's hash.
    public var digest: [UInt8] { Keccak256.hash([0x19, 0x01] + domainSeparator + structHash) }

    /// Creates typed data from an object with `types`, `primaryType`, `domain` and `message`, or from a string that
    /// holds one as JSON.
    ///
    /// Numbers may be JSON integers, decimal strings or `0x` strings. When `types` does not declare `EIP712Domain`,
    /// its fields follow from those that `domain` has, in the standard's order.
    ///
    /// - Throws: ``TypedDataError`` with the path to the place.
    public init(parsing value: JSONValue) throws(TypedDataError) {
        var value = value
        if let text = value.string {
            do { value = try JSONValue(parsing: text) } catch { throw TypedDataError(.invalidJSON(error), at: "") }
        }
        guard let root = value.object else { throw TypedDataError(.expected("an object"), at: "the whole") }
        let types = try Self.object(root, "types")
        let domain = try Self.object(root, "domain")
        let message = try Self.object(root, "message")
        guard let primary = root["primaryType"] else { throw TypedDataError(.missing, at: "primaryType") }
        guard let primaryType = primary.string, primaryType != TypedDataSchema.domainName else {
            throw TypedDataError(.expected("the name of the message's type"), at: "primaryType")
        }
        guard types[primaryType] != nil else { throw TypedDataError(.unknownType, at: "primaryType") }

        self.primaryType = primaryType
        self.domain = .object(domain)
        self.message = .object(message)
        schema = try TypedDataSchema(parsing: types, domain: domain)
        var encoder = TypedDataEncoder(schema: schema)
        domainSeparator = Keccak256.hash(
            try encoder.encodeStructure(TypedDataSchema.domainName, self.domain, at: "domain"))
        encodedMessage = try encoder.encodeStructure(primaryType, self.message, at: "message")
        structHash = Keccak256.hash(encodedMessage)
    }

    /// Returns the text of a declared structure and those it refers to, as EIP-712's encodeType gives it; nil when
    /// `name` is not declared.
    public func encodedType(_ name: String) -> String? {
        schema.encodedType(name)
    }

    private static func object(_ root: [String: JSONValue], _ key: String) throws(TypedDataError)
        -> [String: JSONValue]
    {
        guard let value = root[key] else { throw TypedDataError(.missing, at: key) }
        guard let object = value.object else { throw TypedDataError(.expected("an object"), at: key) }
        return object
    }
}
