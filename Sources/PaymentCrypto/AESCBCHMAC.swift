/// Authenticated encryption by AES in CBC mode and HMAC (RFC 7518 section 5.2).
public struct AESCBCHMAC: Sendable, Hashable {
    /// The result of encryption.
    public struct Sealed: Sendable, Hashable {
        /// The encrypted content, padded to whole blocks.
        public let ciphertext: [UInt8]
        /// The proof that nothing was changed.
        public let tag: [UInt8]

        /// Creates a message by joining its two parts.
        public init(ciphertext: [UInt8], tag: [UInt8]) {
            self.ciphertext = ciphertext
            self.tag = tag
        }
    }

    /// The bytes of an initialisation vector.
    public static let vectorLength = 16

    /// `A128CBC-HS256`.
    public static let a128CBCHS256 = AESCBCHMAC(.sha256, half: 16)
    /// `A192CBC-HS384`.
    public static let a192CBCHS384 = AESCBCHMAC(.sha384, half: 24)
    /// `A256CBC-HS512`.
    public static let a256CBCHS512 = AESCBCHMAC(.sha512, half: 32)

    private let digest: Digest
    private let half: Int

    private init(_ digest: Digest, half: Int) {
        self.digest = digest
        self.half = half
    }

    /// The bytes of a key: the first half authenticates, the second encrypts.
    public var keyLength: Int { half * 2 }

    /// Encrypts `plaintext`. A vector must never be used twice with the same key.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes to encrypt.
    ///   - key: the key of the cipher and of the tag, as long as both together.
    ///   - vector: 16 bytes that were never used with this key.
    ///   - data: bytes that are not encrypted but protected against changes.
    /// - Throws: ``CryptoError``.
    public func encrypt(
        _ plaintext: [UInt8], key: [UInt8], vector: [UInt8], authenticating data: [UInt8]
    ) throws(CryptoError) -> Sealed {
        try check(key, vector)
        let ciphertext = try AESCBC.encrypt(plaintext, key: Array(key.suffix(half)), vector: vector)
        return Sealed(ciphertext: ciphertext, tag: tag(of: ciphertext, key: key, vector: vector, data: data))
    }

    /// Decrypts the result of ``encrypt(_:key:vector:authenticating:)``, after checking the tag.
    ///
    /// - Throws: ``CryptoError``: `invalidMessage` when anything was changed or the key is another.
    public func decrypt(
        _ sealed: Sealed, key: [UInt8], vector: [UInt8], authenticating data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try check(key, vector)
        guard ConstantTime.equal(sealed.tag, tag(of: sealed.ciphertext, key: key, vector: vector, data: data)) else {
            throw .invalidMessage("it was changed, or made for another key")
        }
        return try AESCBC.decrypt(sealed.ciphertext, key: Array(key.suffix(half)), vector: vector)
    }

    private func check(_ key: [UInt8], _ vector: [UInt8]) throws(CryptoError) {
        guard key.count == keyLength else { throw .invalidKey("a content key of \(keyLength) bytes is needed") }
        guard vector.count == Self.vectorLength else {
            throw .invalidMessage("the initialisation vector needs 16 bytes")
        }
    }

    private func tag(of ciphertext: [UInt8], key: [UInt8], vector: [UInt8], data: [UInt8]) -> [UInt8] {
        let bits = UInt64(data.count) * 8
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        return Array(
            digest.authenticate(data + vector + ciphertext + length, key: Array(key.prefix(half))).prefix(half))
    }
}
