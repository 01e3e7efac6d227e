/// An RSA public key, for encrypting to its holder with OAEP (RFC 8017 section 7.1).
public struct RSAPublicKey: Sendable {
    /// The fewest bits of a key that is accepted.
    public static let minimumBits = 2048

    /// The key as DER of SubjectPublicKeyInfo (RFC 5280 section 4.1).
    public let subjectPublicKeyInfo: [UInt8]
    private let handle: RSAHandle

    /// Creates a key by reading DER of SubjectPublicKeyInfo.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything but an RSA key of at least ``minimumBits`` bits.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        handle = try RSAHandle(publicKey: der)
        subjectPublicKeyInfo = der
    }

    init(_ handle: RSAHandle, _ der: [UInt8]) {
        self.handle = handle
        subjectPublicKeyInfo = der
    }

    /// The modulus' length in bits.
    public var bits: Int { handle.bits }

    /// Encrypts a short message, such as a content key. Two runs never give the same.
    ///
    /// - Parameters:
    ///   - message: the message: shorter than the key by more than two hashes.
    ///   - digest: the hash of OAEP and of its mask: `sha256` for RSA-OAEP-256, `sha1` for RSA-OAEP.
    /// - Throws: ``CryptoError``.
    public func encrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
        try handle.encrypt(message, digest)
    }
}

/// The hashes that OAEP is used with in JOSE (RFC 7518 section 4.3).
@nonexhaustive
public enum OAEPDigest: Sendable, Hashable, CaseIterable {
    /// SHA-1, for `RSA-OAEP`.
    case sha1
    /// SHA-256, for `RSA-OAEP-256`.
    case sha256
}
