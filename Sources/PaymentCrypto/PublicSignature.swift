#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    import Security
#else
    import CLibcrypto
#endif

/// Checks of signatures with keys that come as bare numbers, as DNSSEC has them.
public enum PublicSignature {
    /// Returns true if the owner of an RSA key made `signature` over the SHA-256 of `message` (RSASSA-PKCS1-v1_5).
    ///
    /// Domains still use keys of 1024 bits, so these are not refused here.
    public static func isValidRSA(
        _ signature: [UInt8], message: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) -> Bool {
        let number = { (bytes: [UInt8]) -> [UInt8] in
            let digits = Array(bytes.drop { $0 == 0 })
            return RSAContainer.wrap(0x02, digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits)
        }
        guard 128...512 ~= modulus.count, 1...8 ~= exponent.count else { return false }
        let key = RSAContainer.wrap(0x30, number(modulus) + number(exponent))
        #if canImport(CryptoKit)
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
            ]
            guard let key = SecKeyCreateWithData(Data(key) as CFData, attributes as CFDictionary, nil) else {
                return false
            }
            return SecKeyVerifySignature(
                key, .rsaSignatureMessagePKCS1v15SHA256, Data(message) as CFData, Data(signature) as CFData, nil)
        #else
            return verify(signature, message, RSAContainer.subjectPublicKeyInfo(of: key))
        #endif
    }

    /// Returns true if the owner of a P-256 key, `x` and `y` in 64 bytes, made `signature`, `r` and `s` in 64 bytes,
    /// over the SHA-256 of `message` (ECDSA).
    public static func isValidP256(_ signature: [UInt8], message: [UInt8], key: [UInt8]) -> Bool {
        guard signature.count == 64, key.count == 64 else { return false }
        #if canImport(CryptoKit)
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: Data(key)),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: Data(signature))
            else { return false }
            return key.isValidSignature(signature, for: Data(message))
        #else
            // id-ecPublicKey with the curve prime256v1.
            let algorithm: [UInt8] = [
                0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
                0x3D, 0x03, 0x01, 0x07,
            ]
            let number = { (bytes: ArraySlice<UInt8>) -> [UInt8] in
                let digits = Array(bytes.drop { $0 == 0 })
                return RSAContainer.wrap(0x02, digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits)
            }
            let pair = RSAContainer.wrap(0x30, number(signature[..<32]) + number(signature[32...]))
            return verify(
                pair, message, RSAContainer.wrap(0x30, algorithm + RSAContainer.wrap(0x03, [0, 4] + key)))
        #endif
    }

    #if !canImport(CryptoKit)
        private static func verify(_ signature: [UInt8], _ message: [UInt8], _ subjectPublicKeyInfo: [UInt8]) -> Bool {
            // The errors are not distinguished, so none may stay on the thread's list of errors either.
            defer { ERR_clear_error() }
            guard Libcrypto.isReady else { return false }
            let key = subjectPublicKeyInfo.withUnsafeBufferPointer { buffer in
                var next = buffer.baseAddress
                return d2i_PUBKEY(nil, &next, buffer.count)
            }
            guard let key else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    #endif
}
