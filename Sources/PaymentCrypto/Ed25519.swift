#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// Signatures over the Edwards curve 25519 (RFC 8032), as Stellar signs links.
public enum Ed25519 {
    /// Returns whether the owner of `publicKey` (32 bytes) made `signature` (64 bytes) over `message`.
    public static func isValid(_ signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == 64, publicKey.count == 32 else { return false }
        #if canImport(CryptoKit)
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(publicKey))
            return key?.isValidSignature(Data(signature), for: Data(message)) ?? false
        #else
            // What went wrong is not told apart, so nothing may stay on the thread's list of errors either.
            defer { ERR_clear_error() }
            guard Libcrypto.isReady, let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, 32) else {
                return false
            }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        #endif
    }
}
