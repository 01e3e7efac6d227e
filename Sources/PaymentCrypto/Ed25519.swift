#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// Signatures over the Edwards curve 25519 (RFC 8032), as Stellar signs links and Pubky its packets.
public enum Ed25519 {
    /// The bytes of a public key and of the seed that a key pair is made from.
    public static let keyLength = 32
    /// The bytes of a signature.
    public static let signatureLength = 64

    /// Returns true if the owner of `publicKey` (32 bytes) made `signature` (64 bytes) over `message`.
    public static func isValid(_ signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureLength, publicKey.count == keyLength else { return false }
        #if canImport(CryptoKit)
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(publicKey))
            return key?.isValidSignature(Data(signature), for: Data(message)) ?? false
        #else
            // The errors are not distinguished, so none may stay on the thread's list of errors either.
            defer { ERR_clear_error() }
            guard Libcrypto.isReady,
                let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, keyLength)
            else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        #endif
    }

    /// Returns the signature of the owner of `seed` (32 bytes) over `message`. The same input gives the same signature
    /// on Linux; CryptoKit randomises each, and both kinds are valid.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the seed has another length.
    public static func sign(_ message: [UInt8], seed: [UInt8]) throws(CryptoError) -> [UInt8] {
        #if canImport(CryptoKit)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Data(seed)) else {
                throw .invalidKey("an Ed25519 seed has 32 bytes")
            }
            guard let signature = try? key.signature(for: Data(message)) else { throw .failed("an Ed25519 signature") }
            return Array(signature)
        #else
            defer { ERR_clear_error() }
            let key = try privateKey(seed)
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { throw .failed("an Ed25519 signature") }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: signatureLength)
            var length = signature.count
            guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == signatureLength
            else { throw .failed("an Ed25519 signature") }
            return signature
        #endif
    }

    /// Returns the public key (32 bytes) that belongs to `seed` (32 bytes).
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the seed has another length.
    public static func publicKey(seed: [UInt8]) throws(CryptoError) -> [UInt8] {
        #if canImport(CryptoKit)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Data(seed)) else {
                throw .invalidKey("an Ed25519 seed has 32 bytes")
            }
            return Array(key.publicKey.rawRepresentation)
        #else
            defer { ERR_clear_error() }
            let key = try privateKey(seed)
            defer { EVP_PKEY_free(key) }
            var bytes = [UInt8](repeating: 0, count: keyLength)
            var length = bytes.count
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == keyLength else {
                throw .failed("an Ed25519 public key")
            }
            return bytes
        #endif
    }

    #if !canImport(CryptoKit)
        private static func privateKey(_ seed: [UInt8]) throws(CryptoError) -> OpaquePointer {
            guard Libcrypto.isReady, seed.count == keyLength,
                let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, keyLength)
            else { throw .invalidKey("an Ed25519 seed has 32 bytes") }
            return key
        }
    #endif
}
