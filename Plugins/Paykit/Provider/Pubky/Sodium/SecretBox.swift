#if canImport(CSodium)
    import CSodium
#endif

/// Authenticated encryption by XSalsa20 and Poly1305 (NaCl's `secretbox`), in which Pubky's signers send tokens.
public enum SecretBox {
    /// The bytes of a key.
    public static let keyLength = 32
    /// The bytes of a nonce, which must never be used twice with the same key; a random one suffices.
    public static let nonceLength = 24
    /// The bytes by which a sealed message is longer than its content. The tag stands first.
    public static let tagLength = 16

    /// Encrypts `plaintext`.
    ///
    /// - Throws: ``SodiumError``.
    public static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) throws(SodiumError) -> [UInt8] {
        try Sodium.check(key, nonce, of: "a secretbox")
        #if canImport(CSodium)
            return try Sodium.bytes(plaintext.count + tagLength) {
                crypto_secretbox_easy(&$0, plaintext, UInt64(plaintext.count), nonce, key)
            }
        #else
            throw .unavailable
        #endif
    }

    /// Decrypts the result of ``seal(_:key:nonce:)``, after checking the tag.
    ///
    /// - Throws: ``SodiumError/invalidMessage(_:)`` when anything was changed or the key is another.
    public static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) throws(SodiumError) -> [UInt8] {
        try Sodium.check(key, nonce, of: "a secretbox")
        #if canImport(CSodium)
            return try Sodium.opened(sealed, tagLength: tagLength) {
                crypto_secretbox_open_easy(&$0, sealed, UInt64(sealed.count), nonce, key)
            }
        #else
            throw .unavailable
        #endif
    }
}
