#if canImport(CSodium)
    import CSodium
#endif

/// Authenticated encryption by XChaCha20 and Poly1305 (draft-irtf-cfrg-xchacha-03): ChaCha20-Poly1305 with nonces so
/// long that random ones never repeat.
public enum XChaCha20Poly1305 {
    /// The bytes of a key.
    public static let keyLength = 32
    /// The bytes of a nonce.
    public static let nonceLength = 24
    /// The bytes by which a sealed message is longer than its content. The tag stands at the end.
    public static let tagLength = 16

    /// Encrypts `plaintext`.
    ///
    /// - Parameters:
    ///   - plaintext: the content.
    ///   - key: ``keyLength`` bytes.
    ///   - nonce: ``nonceLength`` bytes, never used twice with the same key.
    ///   - data: bytes that are not encrypted but protected against changes.
    /// - Throws: ``SodiumError``.
    public static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(SodiumError) -> [UInt8] {
        try Sodium.check(key, nonce, of: "an XChaCha20")
        #if canImport(CSodium)
            return try Sodium.bytes(plaintext.count + tagLength) {
                crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &$0, nil, plaintext, UInt64(plaintext.count), data, UInt64(data.count), nil, nonce, key)
            }
        #else
            throw .unavailable
        #endif
    }

    /// Decrypts the result of ``seal(_:key:nonce:authenticating:)``, after checking the tag.
    ///
    /// - Throws: ``SodiumError/invalidMessage(_:)`` when anything was changed or the key is another.
    public static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(SodiumError) -> [UInt8] {
        try Sodium.check(key, nonce, of: "an XChaCha20")
        #if canImport(CSodium)
            return try Sodium.opened(sealed, tagLength: tagLength) {
                crypto_aead_xchacha20poly1305_ietf_decrypt(
                    &$0, nil, nil, sealed, UInt64(sealed.count), data, UInt64(data.count), nonce, key)
            }
        #else
            throw .unavailable
        #endif
    }
}
