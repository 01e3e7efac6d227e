#if canImport(CommonCrypto)
    import CommonCrypto
#else
    import CLibcrypto
#endif

/// JSON Web Encryption in compact form (RFC 7516), of the one kind that card vaults use: the content key wrapped with
/// RSA-OAEP-256, the content encrypted with A256CBC-HS512 (RFC 7518 sections 4.3 and 5.2.5).
public enum JWE {
    /// The protected header, exactly.
    public static let header = #"{"alg":"RSA-OAEP-256","enc":"A256CBC-HS512"}"#

    /// Encrypts `plaintext` for the holder of `key`.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes to encrypt.
    ///   - key: the reader's public key.
    ///   - randomBytes: returns this number of unpredictable bytes; the default is the system's generator. The content
    ///     key and the initialisation vector are made of them: a party that can predict them can read the message.
    /// - Throws: ``CryptoError``.
    public static func encrypt(
        _ plaintext: [UInt8], to key: RSAPublicKey, randomBytes: (Int) -> [UInt8] = SecureRandom.bytes
    ) throws(CryptoError) -> String {
        let cipher = AESCBCHMAC.a256CBCHS512
        let contentKey = randomBytes(cipher.keyLength)
        let vector = randomBytes(AESCBCHMAC.vectorLength)
        let wrapped = try key.encrypt(contentKey, .sha256)
        let protected = Base64URL.encode(Array(header.utf8))
        let sealed = try cipher.encrypt(
            plaintext, key: contentKey, vector: vector, authenticating: Array(protected.utf8))
        return [
            protected, Base64URL.encode(wrapped), Base64URL.encode(vector), Base64URL.encode(sealed.ciphertext),
            Base64URL.encode(sealed.tag),
        ].joined(separator: ".")
    }

    /// Decrypts a message that ``encrypt(_:to:randomBytes:)`` or another implementation made for `key`.
    ///
    /// Headers with other algorithms, or with members that change the meaning (`zip`, `crit`), are refused.
    /// `readHeader` gets the header's JSON text: this module reads no JSON.
    ///
    /// - Parameters:
    ///   - token: the message, in the compact form.
    ///   - key: the reader's private key.
    ///   - readHeader: returns the members of the header, or nil when it is not a JSON object of texts.
    /// - Throws: ``CryptoError/invalidMessage(_:)``; the same error for every part, so nothing can be learnt by trying.
    public static func decrypt(
        _ token: String, with key: RSAPrivateKey, readHeader: ([UInt8]) -> [String: String]?
    ) throws(CryptoError) -> [UInt8] {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, let protected = Base64URL.decode(parts[0]), let wrapped = Base64URL.decode(parts[1]),
            let vector = Base64URL.decode(parts[2]), let ciphertext = Base64URL.decode(parts[3]),
            let tag = Base64URL.decode(parts[4])
        else { throw .invalidMessage("it is not a compact JWE") }
        guard let members = readHeader(protected), members["alg"] == "RSA-OAEP-256", members["enc"] == "A256CBC-HS512",
            members["zip"] == nil, members["crit"] == nil
        else { throw .invalidMessage("its header names other algorithms than RSA-OAEP-256 and A256CBC-HS512") }
        let cipher = AESCBCHMAC.a256CBCHS512
        // A key that cannot be unwrapped must look like content that does not fit (RFC 7516 section 11.5).
        var contentKey = SecureRandom.bytes(cipher.keyLength)
        if let unwrapped = try? key.decrypt(wrapped, .sha256), unwrapped.count == cipher.keyLength {
            contentKey = unwrapped
        }
        return try cipher.decrypt(
            AESCBCHMAC.Sealed(ciphertext: ciphertext, tag: tag), key: contentKey, vector: vector,
            authenticating: Array(parts[0].utf8))
    }
}

// MARK: - Content encryption

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

/// AES in CBC mode with the padding of PKCS #7. By itself it detects no changes: see ``AESCBCHMAC``.
package enum AESCBC {
    /// Encrypts `plaintext` with a key of 16, 24 or 32 bytes.
    package static func encrypt(
        _ plaintext: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard let result = run(plaintext, key, vector, encrypts: true) else { throw .failed("AES-CBC encryption") }
        return result
    }

    /// Decrypts `ciphertext`.
    package static func decrypt(
        _ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: 16),
            let result = run(ciphertext, key, vector, encrypts: false)
        else { throw .invalidMessage("its content is not whole blocks of AES") }
        return result
    }

    #if canImport(CommonCrypto)
        private static func run(_ input: [UInt8], _ key: [UInt8], _ vector: [UInt8], encrypts: Bool) -> [UInt8]? {
            guard vector.count == kCCBlockSizeAES128 else { return nil }
            var output = [UInt8](repeating: 0, count: input.count + kCCBlockSizeAES128)
            let capacity = output.count
            var written = 0
            let status = CCCrypt(
                CCOperation(encrypts ? kCCEncrypt : kCCDecrypt), CCAlgorithm(kCCAlgorithmAES),
                CCOptions(kCCOptionPKCS7Padding), key, key.count, vector, input, input.count, &output, capacity,
                &written)
            return status == kCCSuccess ? Array(output.prefix(written)) : nil
        }
    #else
        private static func run(_ input: [UInt8], _ key: [UInt8], _ vector: [UInt8], encrypts: Bool) -> [UInt8]? {
            let cipher: OpaquePointer?
            switch key.count {
            case 16: cipher = EVP_aes_128_cbc()
            case 24: cipher = EVP_aes_192_cbc()
            case 32: cipher = EVP_aes_256_cbc()
            default: return nil
            }
            guard Libcrypto.isReady, vector.count == 16, let length = Int32(exactly: input.count),
                let context = EVP_CIPHER_CTX_new()
            else { return nil }
            // Freeing also clears the key.
            defer { EVP_CIPHER_CTX_free(context) }
            var output = [UInt8](repeating: 0, count: input.count + 16)
            var first: Int32 = 0
            var last: Int32 = 0
            guard EVP_CipherInit_ex(context, cipher, nil, key, vector, encrypts ? 1 : 0) == 1,
                EVP_CipherUpdate(context, &output, &first, input, length) == 1
            else { return nil }
            let done = output.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { EVP_CipherFinal_ex(context, $0 + Int(first), &last) }
            }
            return done == 1 ? Array(output.prefix(Int(first + last))) : nil
        }
    #endif
}
