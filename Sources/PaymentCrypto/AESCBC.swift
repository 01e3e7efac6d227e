#if canImport(CommonCrypto)
    import CommonCrypto
#else
    import CLibcrypto
#endif

/// AES in CBC mode with the padding of PKCS #7. By itself it detects no changes: see ``AESCBCHMAC``.
package enum AESCBC {
    /// Encrypts `plaintext` with a key of 16, 24 or 32 bytes.
    package static func encrypt(
        _ plaintext: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard let result = run(plaintext, key, vector, encrypts: true) else { throw .failed("AES-CBC encryption") }
        return result
    }

    /// Decrypts `ciphertext`.
    package static func decrypt(
        _ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: 16),
            let result = run(ciphertext, key, vector, encrypts: false)
        else { throw .invalidMessage("its content is not whole blocks of AES") }
        return result
    }

    #if canImport(CommonCrypto)
        private static func run(_ input: [UInt8], _ key: [UInt8], _ vector: [UInt8], encrypts: Bool) -> [UInt8]? {
            guard vector.count == kCCBlockSizeAES128 else { return nil }
            var output = [UInt8](repeating: 0, count: input.count + kCCBlockSizeAES128)
            let capacity = output.count
            var written = 0
            let status = CCCrypt(
                CCOperation(encrypts ? kCCEncrypt : kCCDecrypt), CCAlgorithm(kCCAlgorithmAES),
                CCOptions(kCCOptionPKCS7Padding), key, key.count, vector, input, input.count, &output, capacity,
                &written)
            return status == kCCSuccess ? Array(output.prefix(written)) : nil
        }
    #else
        private static func run(_ input: [UInt8], _ key: [UInt8], _ vector: [UInt8], encrypts: Bool) -> [UInt8]? {
            let cipher: OpaquePointer?
            switch key.count {
            case 16: cipher = EVP_aes_128_cbc()
            case 24: cipher = EVP_aes_192_cbc()
            case 32: cipher = EVP_aes_256_cbc()
            default: return nil
            }
            guard Libcrypto.isReady, vector.count == 16, let length = Int32(exactly: input.count),
                let context = EVP_CIPHER_CTX_new()
            else { return nil }
            // Freeing also clears the key.
            defer { EVP_CIPHER_CTX_free(context) }
            var output = [UInt8](repeating: 0, count: input.count + 16)
            var first: Int32 = 0
            var last: Int32 = 0
            guard EVP_CipherInit_ex(context, cipher, nil, key, vector, encrypts ? 1 : 0) == 1,
                EVP_CipherUpdate(context, &output, &first, input, length) == 1
            else { return nil }
            let done = output.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { EVP_CipherFinal_ex(context, $0 + Int(first), &last) }
            }
            return done == 1 ? Array(output.prefix(Int(first + last))) : nil
        }
    #endif
}
