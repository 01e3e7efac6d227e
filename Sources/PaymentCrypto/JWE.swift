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
    /// - Throws: ``CryptoError/invalidMessage(_:)``; the same error for every part, so that nothing can be learnt by
    ///   trying.
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
