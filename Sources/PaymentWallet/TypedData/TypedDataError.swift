public import PaymentCore
public import PaymentCrypto

/// The reason for which a value is not typed data (EIP-712). It names the place, never its content.
public struct TypedDataError: Error, Sendable, Hashable {
    /// The kinds of defects.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The text that should hold the typed data is not JSON.
        case invalidJSON(JSONError)
        /// A required part is missing.
        case missing
        /// The value is not of this kind, such as "an object" or "0x and 40 hexadecimal digits".
        case expected(String)
        /// A whole number does not fit its type.
        case outOfRange
        /// An address fails its checksum or is malformed.
        case invalidAddress(EthereumAddressError)
        /// A type or field name is not an identifier, or a type name is reserved for the built-in types.
        case invalidName
        /// A field name that its type already has.
        case duplicateField
        /// The type is neither built in nor declared.
        case unknownType
        /// A type contains itself, directly or through others.
        case recursiveType
        /// A domain field that EIP-712 does not define, in typed data that does not declare its domain's type.
        case unknownDomainField
        /// More types, fields or array dimensions than any real payment has.
        case tooLarge
    }

    /// The defect.
    public let reason: Reason
    /// The place: names and indices from the top, such as `message.to[0].wallet` or `types.Person[2]`.
    public let path: String

    init(_ reason: Reason, at path: String) {
        self.reason = reason
        self.path = path
    }
}

extension TypedDataError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .invalidJSON(let error): "the typed data cannot be read: \(error)"
        case .missing: "the typed data lacks \(path)"
        case .expected(let kind): "in the typed data, \(path) must be \(kind)"
        case .outOfRange: "in the typed data, the number at \(path) does not fit its type"
        case .invalidAddress(let error): "in the typed data, \(path) is no address: \(error)"
        case .invalidName: "in the typed data, the name at \(path) is not allowed"
        case .duplicateField: "in the typed data, the field at \(path) is declared twice"
        case .unknownType: "in the typed data, the type at \(path) is unknown"
        case .recursiveType: "in the typed data, the type at \(path) contains itself"
        case .unknownDomainField: "the typed data's domain has a field that EIP-712 does not define"
        case .tooLarge: "in the typed data, \(path) is larger than this wallet accepts"
        }
    }
}
