public import PaymentSecp256k1

/// The reason for which the wallet did not answer a request. Nothing of the data to be signed is quoted.
@nonexhaustive
public enum WalletError: Error, Sendable, Hashable {
    /// The wallet does not know the method, or cannot do it without a network.
    case unsupportedMethod(String)
    /// The parameters do not have the shape that the method asks for; the text names the shape.
    case invalidParameters(String)
    /// The request is for an account that is not this wallet's.
    case otherAccount
    /// The typed data does not hash to the digest of its review: it is not the data that the payer was shown.
    case otherThanReviewed
    /// The typed data is malformed.
    case typedData(TypedDataError)
    /// A signature is not `0x` and 130 hexadecimal digits.
    case malformedSignature
    /// The last byte of a signature is neither 27 nor 28.
    case invalidRecoveryByte
    /// The digest or the numbers of a signature are out of range, or no key fits them.
    case invalidSignature(Secp256k1Error)
}

extension WalletError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .unsupportedMethod(let method):
            "this wallet cannot do \(method.prefix(64)); it signs typed data and personal messages only"
        case .invalidParameters(let shape): "the request's parameters must be \(shape)"
        case .otherAccount: "the request is for another account than this wallet's; nothing was signed"
        case .otherThanReviewed: "the typed data is not what was reviewed; nothing was signed"
        case .typedData(let error): error.description
        case .malformedSignature: "a signature must be 0x and 130 hexadecimal digits"
        case .invalidRecoveryByte: "the last byte of the signature must be 27 or 28"
        case .invalidSignature(let error): error.description
        }
    }
}
