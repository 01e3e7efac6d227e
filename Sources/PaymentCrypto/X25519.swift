#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// Agreement on a secret over Curve25519 (RFC 7748), as Noise and sealed blobs use it.
public enum X25519 {
    /// The bytes of a private key, a public key and a shared secret.
    public static let keyLength = 32

    /// Returns the public key of `privateKey` (32 bytes, clamped as it is used).
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when the key has another length.
    public static func publicKey(of privateKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        #if canImport(CryptoKit)
            guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(privateKey)) else {
                throw .invalidKey("an X25519 private key has 32 bytes")
            }
            return Array(key.publicKey.rawRepresentation)
        #else
            defer { ERR_clear_error() }
            let key = try handle(privateKey)
            defer { EVP_PKEY_free(key) }
            var bytes = [UInt8](repeating: 0, count: keyLength)
            var length = bytes.count
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1, length == keyLength else {
                throw .failed("an X25519 public key")
            }
            return bytes
        #endif
    }

    /// Returns the secret that `privateKey` and the owner of `publicKey` share.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` when a key has another length, and when the secret would be all zeros:
    ///   then the other key is a point of small order, and the "secret" is public (RFC 7748 section 6.1).
    public static func sharedSecret(_ privateKey: [UInt8], with publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard publicKey.count == keyLength else { throw .invalidKey("an X25519 public key has 32 bytes") }
        #if canImport(CryptoKit)
            guard let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(privateKey)) else {
                throw .invalidKey("an X25519 private key has 32 bytes")
            }
            guard let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: Data(publicKey)),
                let agreed = try? own.sharedSecretFromKeyAgreement(with: other)
            else { throw smallOrder }
            let secret = agreed.withUnsafeBytes { Array($0) }
        #else
            defer { ERR_clear_error() }
            let own = try handle(privateKey)
            defer { EVP_PKEY_free(own) }
            guard let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, keyLength),
                let context = EVP_PKEY_CTX_new(own, nil)
            else { throw .failed("an X25519 agreement") }
            defer {
                EVP_PKEY_CTX_free(context)
                EVP_PKEY_free(other)
            }
            var secret = [UInt8](repeating: 0, count: keyLength)
            var length = secret.count
            guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1 else {
                throw .failed("an X25519 agreement")
            }
            // libcrypto itself refuses a secret of zeros.
            guard EVP_PKEY_derive(context, &secret, &length) == 1, length == keyLength else { throw smallOrder }
        #endif
        guard !ConstantTime.equal(secret, [UInt8](repeating: 0, count: keyLength)) else { throw smallOrder }
        return secret
    }

    private static let smallOrder = CryptoError.invalidKey("the other side's X25519 key is a point of small order")

    #if !canImport(CryptoKit)
        private static func handle(_ privateKey: [UInt8]) throws(CryptoError) -> OpaquePointer {
            guard Libcrypto.isReady, privateKey.count == keyLength,
                let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, privateKey, keyLength)
            else { throw .invalidKey("an X25519 private key has 32 bytes") }
            return key
        }
    #endif
}
