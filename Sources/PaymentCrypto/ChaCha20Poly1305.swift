#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// Authenticated encryption by ChaCha20 and Poly1305 (RFC 8439), as Noise and sealed blobs use it.
public enum ChaCha20Poly1305 {
    /// The bytes of a key.
    public static let keyLength = 32
    /// The bytes of a nonce, which must never be used twice with the same key.
    public static let nonceLength = 12
    /// The bytes by which a sealed message is longer than its content.
    public static let tagLength = 16

    /// Encrypts `plaintext`; the tag stands at the end.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes to encrypt.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes that were never used with this key.
    ///   - data: bytes that are not encrypted but protected against changes.
    /// - Throws: ``CryptoError``.
    public static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce)
        #if canImport(CryptoKit)
            guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
                let box = try? ChaChaPoly.seal(
                    plaintext, using: SymmetricKey(data: key), nonce: nonce, authenticating: data)
            else { throw .failed("ChaCha20-Poly1305 encryption") }
            return Array(box.ciphertext) + Array(box.tag)
        #else
            guard let sealed = run(plaintext, tag: nil, key: key, nonce: nonce, data: data) else {
                throw .failed("ChaCha20-Poly1305 encryption")
            }
            return sealed
        #endif
    }

    /// Decrypts the result of ``seal(_:key:nonce:authenticating:)``, after checking the tag.
    ///
    /// - Throws: ``CryptoError/invalidMessage(_:)`` when anything was changed or the key is another.
    public static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try check(key, nonce)
        guard sealed.count >= tagLength else { throw .invalidMessage("it is shorter than its tag") }
        let content = Array(sealed.dropLast(tagLength))
        let tag = Array(sealed.suffix(tagLength))
        #if canImport(CryptoKit)
            guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
                let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: content, tag: tag),
                let plaintext = try? ChaChaPoly.open(box, using: SymmetricKey(data: key), authenticating: data)
            else { throw .invalidMessage("it was changed, or made for another key") }
            return Array(plaintext)
        #else
            defer { ERR_clear_error() }
            guard let plaintext = run(content, tag: tag, key: key, nonce: nonce, data: data) else {
                throw .invalidMessage("it was changed, or made for another key")
            }
            return plaintext
        #endif
    }

    private static func check(_ key: [UInt8], _ nonce: [UInt8]) throws(CryptoError) {
        guard key.count == keyLength else { throw .invalidKey("a ChaCha20 key has 32 bytes") }
        guard nonce.count == nonceLength else { throw .invalidMessage("its nonce needs 12 bytes") }
    }

    #if !canImport(CryptoKit)
        /// Decrypts if there is a tag to check. Otherwise encrypts, and appends the tag.
        private static func run(
            _ input: [UInt8], tag: [UInt8]?, key: [UInt8], nonce: [UInt8], data: [UInt8]
        ) -> [UInt8]? {
            guard Libcrypto.isReady, let length = Int32(exactly: input.count),
                let dataLength = Int32(exactly: data.count), let context = EVP_CIPHER_CTX_new()
            else { return nil }
            // Freeing also clears the key.
            defer { EVP_CIPHER_CTX_free(context) }
            var output = [UInt8](repeating: 0, count: input.count + 1)
            var written: Int32 = 0
            var rest: Int32 = 0
            guard EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce, tag == nil ? 1 : 0) == 1,
                data.isEmpty || EVP_CipherUpdate(context, nil, &rest, data, dataLength) == 1,
                input.isEmpty || EVP_CipherUpdate(context, &output, &written, input, length) == 1
            else { return nil }
            let tagSize = Int32(tagLength)
            if var tag, EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagSize, &tag) != 1 { return nil }
            let done = output.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { EVP_CipherFinal_ex(context, $0 + Int(written), &rest) }
            }
            guard done == 1 else { return nil }
            output.removeLast(output.count - Int(written + rest))
            guard tag == nil else { return output }
            var made = [UInt8](repeating: 0, count: tagLength)
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagSize, &made) == 1 else { return nil }
            return output + made
        }
    #endif
}
