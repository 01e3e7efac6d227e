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
    /// The bytes that a sealed message is longer than its content: the tag, which stands at the end.
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

/// Authenticated encryption by XSalsa20 and Poly1305 (NaCl's `secretbox`). Pubky's signers send tokens in it.
public enum SecretBox {
    /// The bytes of a key.
    public static let keyLength = 32
    /// The bytes of a nonce, which must never be used twice with the same key; a random one suffices.
    public static let nonceLength = 24
    /// The bytes that a sealed message is longer than its content: the tag, which stands first.
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

/// The library's calls, which write into arrays.
enum Sodium {
    #if canImport(CSodium)
        /// False only when the library cannot be set up; a second call does nothing.
        static let isReady = sodium_init() >= 0
    #else
        static let isReady = false
    #endif

    /// Returns the `count` bytes that `call` writes. Throws `failure` if it reports one.
    static func bytes(
        _ count: Int, orThrow failure: SodiumError = .unavailable, _ call: (inout [UInt8]) -> Int32
    ) throws(SodiumError) -> [UInt8] {
        guard isReady else { throw .unavailable }
        // One more byte: an empty array may have no address.
        var bytes = [UInt8](repeating: 0, count: count + 1)
        guard call(&bytes) == 0 else { throw failure }
        bytes.removeLast()
        return bytes
    }

    static func opened(
        _ sealed: [UInt8], tagLength: Int, _ call: (inout [UInt8]) -> Int32
    ) throws(SodiumError) -> [UInt8] {
        guard sealed.count >= tagLength else { throw .invalidMessage("it is shorter than its tag") }
        let failure = SodiumError.invalidMessage("it was changed, or made for another key")
        return try bytes(sealed.count - tagLength, orThrow: failure, call)
    }

    /// Checks the lengths of a key and a nonce. `cipher` is the name in errors, such as "an XChaCha20".
    static func check(_ key: [UInt8], _ nonce: [UInt8], of cipher: String) throws(SodiumError) {
        guard key.count == 32 else { throw .invalidKey("\(cipher) key has 32 bytes") }
        guard nonce.count == 24 else { throw .invalidKey("\(cipher) nonce has 24 bytes") }
    }
}

/// Why one of libsodium's ciphers failed. It contains no keys or contents.
@nonexhaustive
public enum SodiumError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A key or nonce has another length; the detail names the required one.
    case invalidKey(String)
    /// The message is malformed, was changed on the way or was made with another key.
    case invalidMessage(String)
    /// The library could not be set up, or is missing: libsodium comes with Linux and Homebrew, not with iOS.
    case unavailable

    /// One sentence for people.
    public var description: String {
        switch self {
        case .invalidKey(let detail): "the key cannot be used: \(detail)"
        case .invalidMessage(let detail): "the message cannot be read: \(detail)"
        case .unavailable: "libsodium is not available here, and no other library has this cipher"
        }
    }
}
