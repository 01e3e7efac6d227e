/// The reason for which a secp256k1 operation was refused. Nothing of the input is quoted.
@nonexhaustive
public enum Secp256k1Error: Error, Sendable, Hashable {
    /// A private key is 32 bytes, more than zero and below the order of the curve.
    case invalidPrivateKey
    /// A public key is 33 or 65 bytes that name a point of the curve (SEC 1 section 2.3.3).
    case invalidPublicKey
    /// A digest is exactly 32 bytes.
    case invalidDigest
    /// `r` and `s` are 32 bytes each, more than zero and below the order of the curve; the recovery id is 0 to 3.
    case invalidSignature
    /// `s` lies in the upper half of its range. Any holder of a signature can flip it there, so only the lower half is
    /// accepted (EIP-2, BIP-146).
    case highS
    /// No key could have made the signature over the digest.
    case unrecoverable
}

extension Secp256k1Error: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .invalidPrivateKey: "the private key is not a number from 1 up to the order of secp256k1 in 32 bytes"
        case .invalidPublicKey: "the public key is not a point of secp256k1 in 33 or 65 bytes"
        case .invalidDigest: "the digest to sign or check must be exactly 32 bytes"
        case .invalidSignature: "the signature's r, s or recovery id is out of range"
        case .highS: "the signature is in the malleable form with a high s; use n - s instead"
        case .unrecoverable: "no public key fits this signature and digest"
        }
    }
}
