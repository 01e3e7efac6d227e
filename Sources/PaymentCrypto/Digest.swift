#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
#else
    import CLibcrypto
#endif

/// The hash functions of FIPS 180-4 that payment services use.
@nonexhaustive
public enum Digest: Sendable, Hashable, CaseIterable {
    /// SHA-1: for entity tags and other checksums only, never against forgery.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The number of bytes that ``hash(_:)`` returns.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Returns the digest of `bytes`.
    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha384: Array(SHA384.hash(data: bytes))
            case .sha512: Array(SHA512.hash(data: bytes))
            }
        #else
            var digest = [UInt8](repeating: 0, count: byteCount)
            let done = EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
            // It fails only without memory or without the algorithm, and then nothing here can continue.
            precondition(done == 1, "libcrypto has no \(self)")
            return digest
        #endif
    }

    /// Returns the digest of the digest of `bytes`: the checksum of addresses of Bitcoin and its relatives.
    package func hashTwice(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return hash(hash(bytes))
        #else
            // One state for both: making it costs as much as hashing an address.
            var digest = [UInt8](repeating: 0, count: byteCount)
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            let done =
                EVP_DigestInit_ex(context, algorithm, nil) == 1
                && EVP_DigestUpdate(context, bytes, bytes.count) == 1
                && EVP_DigestFinal_ex(context, &digest, nil) == 1
                && EVP_DigestInit_ex(context, nil, nil) == 1
                && EVP_DigestUpdate(context, digest, digest.count) == 1
                && EVP_DigestFinal_ex(context, &digest, nil) == 1
            precondition(done, "libcrypto has no \(self)")
            return digest
        #endif
    }

    /// Returns the keyed hash of `message` (HMAC, RFC 2104).
    public func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            let key = SymmetricKey(data: key)
            return switch self {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        #else
            var code = [UInt8](repeating: 0, count: byteCount)
            // A nil key would mean "the key of before"; an empty one has to stay a key.
            let done = (key.isEmpty ? [0] : key).withUnsafeBytes { bytes in
                HMAC(algorithm, bytes.baseAddress, Int32(key.count), message, message.count, &code, nil)
            }
            precondition(done != nil, "libcrypto has no HMAC with \(self)")
            return code
        #endif
    }

    #if !canImport(CryptoKit)
        var algorithm: OpaquePointer? {
            switch self {
            case .sha1: LibcryptoDigest.sha1.pointer
            case .sha256: LibcryptoDigest.sha256.pointer
            case .sha384: LibcryptoDigest.sha384.pointer
            case .sha512: LibcryptoDigest.sha512.pointer
            }
        }
    #endif
}
