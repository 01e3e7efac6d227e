/// An RSA private key. Prints as nothing. For sandboxes and servers; clients only ever have public keys.
public struct RSAPrivateKey: Sendable {
    private let handle: RSAHandle
    /// The key for others to encrypt to.
    public let publicKey: RSAPublicKey

    /// Creates a key by reading DER of PKCS #8 (RFC 5208) without a password.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything but an RSA key of at least ``RSAPublicKey/minimumBits``
    ///   bits.
    public init(pkcs8 der: [UInt8]) throws(CryptoError) {
        try self.init(RSAHandle(privateKey: der))
    }

    /// Creates a new key.
    ///
    /// - Throws: ``CryptoError/failed(_:)``; ``CryptoError/invalidKey(_:)`` for fewer than
    ///   ``RSAPublicKey/minimumBits`` bits.
    public static func generate(bits: Int = 2048) throws(CryptoError) -> RSAPrivateKey {
        guard bits >= RSAPublicKey.minimumBits, bits <= 8192 else {
            throw .invalidKey("an RSA key needs \(RSAPublicKey.minimumBits) to 8192 bits")
        }
        return try RSAPrivateKey(RSAHandle.generate(bits: bits))
    }

    private init(_ handle: RSAHandle) throws(CryptoError) {
        self.handle = handle
        let der = try handle.subjectPublicKeyInfo()
        publicKey = RSAPublicKey(try RSAHandle(publicKey: der), der)
    }

    /// Decrypts a message that was encrypted to ``publicKey``.
    ///
    /// - Throws: ``CryptoError/invalidMessage(_:)``.
    public func decrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
        try handle.decrypt(message, digest)
    }
}

extension RSAPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length only.
    public var description: String { "RSAPrivateKey(\(publicKey.bits) bits)" }
    /// The length only.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
