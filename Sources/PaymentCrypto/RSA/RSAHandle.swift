#if !canImport(Security)
    import CLibcrypto

    /// A key of libcrypto.
    ///
    /// It is never changed after it was made, and libcrypto (since 1.1.0) counts references atomically and lets threads
    /// share a key that is not changed: so it is safe to send.
    final class RSAHandle: @unchecked Sendable {
        private let key: OpaquePointer

        /// Owns `key` from here on, even when it throws: deinit frees it.
        private init(owning key: OpaquePointer) throws(CryptoError) {
            self.key = key
            guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, bits >= RSAPublicKey.minimumBits else {
                throw .invalidKey("an RSA key of at least \(RSAPublicKey.minimumBits) bits is needed")
            }
        }

        deinit { EVP_PKEY_free(key) }

        convenience init(publicKey der: [UInt8]) throws(CryptoError) {
            let key = der.withUnsafeBufferPointer { buffer in
                var next = buffer.baseAddress
                return Libcrypto.isReady ? d2i_PUBKEY(nil, &next, buffer.count) : nil
            }
            guard let key else { throw .invalidKey("it is not a SubjectPublicKeyInfo in DER") }
            try self.init(owning: key)
            guard try subjectPublicKeyInfo() == der else { throw .invalidKey("something follows the key") }
        }

        convenience init(privateKey der: [UInt8]) throws(CryptoError) {
            let info = der.withUnsafeBufferPointer { buffer in
                var next = buffer.baseAddress
                return Libcrypto.isReady ? d2i_PKCS8_PRIV_KEY_INFO(nil, &next, buffer.count) : nil
            }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            guard let info, let key = EVP_PKCS82PKEY(info) else { throw .invalidKey("it is not PKCS #8 in DER") }
            try self.init(owning: key)
        }

        static func generate(bits: Int) throws(CryptoError) -> RSAHandle {
            guard Libcrypto.isReady, let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else {
                throw .failed("RSA key generation")
            }
            defer { EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard EVP_PKEY_keygen_init(context) == 1,
                EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
                EVP_PKEY_keygen(context, &key) == 1, let key
            else { throw .failed("RSA key generation") }
            return try RSAHandle(owning: key)
        }

        var bits: Int { Int(EVP_PKEY_get_bits(key)) }

        func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = i2d_PUBKEY(key, &bytes)
            defer { CRYPTO_free(bytes, nil, 0) }
            guard count > 0, let bytes else { throw .failed("writing an RSA key") }
            return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }

        func encrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
            guard let result = run(message, digest, start: EVP_PKEY_encrypt_init, work: EVP_PKEY_encrypt) else {
                throw .failed("RSA-OAEP encryption")
            }
            return result
        }

        func decrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
            guard let result = run(message, digest, start: EVP_PKEY_decrypt_init, work: EVP_PKEY_decrypt) else {
                throw .invalidMessage("it was changed, or made for another key")
            }
            return result
        }

        private typealias Start = (OpaquePointer?) -> Int32
        private typealias Work = (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?, Int
        ) -> Int32

        private func run(_ input: [UInt8], _ digest: OAEPDigest, start: Start, work: Work) -> [UInt8]? {
            // The errors are not distinguished, so none may stay on the thread's list of errors either.
            defer { ERR_clear_error() }
            guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            let hash = digest == .sha1 ? EVP_sha1() : EVP_sha256()
            // The mask's hash follows the first one unless it is set.
            guard start(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_oaep_md(context, hash) == 1, EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash) == 1
            else { return nil }
            var count = 0
            guard work(context, nil, &count, input, input.count) == 1 else { return nil }
            var output = [UInt8](repeating: 0, count: count)
            guard work(context, &output, &count, input, input.count) == 1 else { return nil }
            return Array(output.prefix(count))
        }
    }
#endif

#if canImport(Security)
    import Foundation
    import Security

    /// A key of the Security framework, whose keys are immutable and may be shared by threads.
    final class RSAHandle: @unchecked Sendable {
        private let key: SecKey
        let bits: Int

        private init(_ key: SecKey) throws(CryptoError) {
            let attributes = SecKeyCopyAttributes(key) as? [CFString: Any]
            let bits = attributes?[kSecAttrKeySizeInBits] as? Int ?? 0
            guard bits >= RSAPublicKey.minimumBits else {
                throw .invalidKey("an RSA key of at least \(RSAPublicKey.minimumBits) bits is needed")
            }
            self.key = key
            self.bits = bits
        }

        convenience init(publicKey der: [UInt8]) throws(CryptoError) {
            guard let inner = RSAContainer.publicKey(in: der),
                let key = Self.make(inner, kSecAttrKeyClassPublic)
            else { throw .invalidKey("it is not a SubjectPublicKeyInfo in DER") }
            try self.init(key)
        }

        convenience init(privateKey der: [UInt8]) throws(CryptoError) {
            guard let inner = RSAContainer.privateKey(in: der), let key = Self.make(inner, kSecAttrKeyClassPrivate)
            else {
                throw .invalidKey("it is not PKCS #8 in DER")
            }
            try self.init(key)
        }

        static func generate(bits: Int) throws(CryptoError) -> RSAHandle {
            let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: bits]
            guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil) else {
                throw .failed("RSA key generation")
            }
            return try RSAHandle(key)
        }

        func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
            guard let publicKey = SecKeyCopyPublicKey(key), let inner = SecKeyCopyExternalRepresentation(publicKey, nil)
            else { throw .failed("writing an RSA key") }
            return RSAContainer.subjectPublicKeyInfo(of: Array(inner as Data))
        }

        func encrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
            guard let result = SecKeyCreateEncryptedData(key, Self.algorithm(digest), Data(message) as CFData, nil)
            else {
                throw .failed("RSA-OAEP encryption")
            }
            return Array(result as Data)
        }

        func decrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
            guard let result = SecKeyCreateDecryptedData(key, Self.algorithm(digest), Data(message) as CFData, nil)
            else {
                throw .invalidMessage("it was changed, or made for another key")
            }
            return Array(result as Data)
        }

        private static func algorithm(_ digest: OAEPDigest) -> SecKeyAlgorithm {
            digest == .sha1 ? .rsaEncryptionOAEPSHA1 : .rsaEncryptionOAEPSHA256
        }

        private static func make(_ bytes: [UInt8], _ kind: CFString) -> SecKey? {
            let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kind]
            return SecKeyCreateWithData(Data(bytes) as CFData, attributes as CFDictionary, nil)
        }
    }
#endif
