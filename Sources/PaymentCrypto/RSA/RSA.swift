#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    import Security
#else
    import CLibcrypto
#endif

/// An RSA public key, for encrypting to its holder with OAEP (RFC 8017 section 7.1).
public struct RSAPublicKey: Sendable {
    /// The fewest bits of a key that is accepted.
    public static let minimumBits = 2048

    /// The key as DER of SubjectPublicKeyInfo (RFC 5280 section 4.1).
    public let subjectPublicKeyInfo: [UInt8]
    private let handle: RSAHandle

    /// Creates a key by reading DER of SubjectPublicKeyInfo.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything but an RSA key of at least ``minimumBits`` bits.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
        handle = try RSAHandle(publicKey: der)
        subjectPublicKeyInfo = der
    }

    init(_ handle: RSAHandle, _ der: [UInt8]) {
        self.handle = handle
        subjectPublicKeyInfo = der
    }

    /// The modulus' length in bits.
    public var bits: Int { handle.bits }

    /// Encrypts a short message, such as a content key. Two runs never give the same.
    ///
    /// - Parameters:
    ///   - message: the message: shorter than the key by more than two hashes.
    ///   - digest: the hash of OAEP and of its mask: `sha256` for RSA-OAEP-256, `sha1` for RSA-OAEP.
    /// - Throws: ``CryptoError``.
    public func encrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
        try handle.encrypt(message, digest)
    }
}

/// The hashes that OAEP is used with in JOSE (RFC 7518 section 4.3).
@nonexhaustive
public enum OAEPDigest: Sendable, Hashable, CaseIterable {
    /// SHA-1, for `RSA-OAEP`.
    case sha1
    /// SHA-256, for `RSA-OAEP-256`.
    case sha256
}

/// An RSA private key. Prints as nothing. For sandboxes and servers; clients only ever have public keys.
public struct RSAPrivateKey: Sendable {
    private let handle: RSAHandle
    /// The key for others to encrypt to.
    public let publicKey: RSAPublicKey

    /// Creates a key by reading DER of PKCS #8 (RFC 5208) without a password.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` for anything but an RSA key of at least ``RSAPublicKey/minimumBits``
    ///   bits.
    public init(pkcs8 der: [UInt8]) throws(CryptoError) {
        try self.init(RSAHandle(privateKey: der))
    }

    /// Creates a new key.
    ///
    /// - Throws: ``CryptoError/failed(_:)``; ``CryptoError/invalidKey(_:)`` for fewer than
    ///   ``RSAPublicKey/minimumBits`` bits.
    public static func generate(bits: Int = 2048) throws(CryptoError) -> RSAPrivateKey {
        guard bits >= RSAPublicKey.minimumBits, bits <= 8192 else {
            throw .invalidKey("an RSA key needs \(RSAPublicKey.minimumBits) to 8192 bits")
        }
        return try RSAPrivateKey(RSAHandle.generate(bits: bits))
    }

    private init(_ handle: RSAHandle) throws(CryptoError) {
        self.handle = handle
        let der = try handle.subjectPublicKeyInfo()
        publicKey = RSAPublicKey(try RSAHandle(publicKey: der), der)
    }

    /// Decrypts a message that was encrypted to ``publicKey``.
    ///
    /// - Throws: ``CryptoError/invalidMessage(_:)``.
    public func decrypt(_ message: [UInt8], _ digest: OAEPDigest) throws(CryptoError) -> [UInt8] {
        try handle.decrypt(message, digest)
    }
}

extension RSAPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length only.
    public var description: String { "RSAPrivateKey(\(publicKey.bits) bits)" }
    /// The length only.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

// MARK: - Signatures

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

// MARK: - DER

/// The DER around RSA keys: the Security framework takes and returns only the inner part (PKCS #1).
enum RSAContainer {
    /// `rsaEncryption` (1.2.840.113549.1.1.1) with its null parameter, as an AlgorithmIdentifier.
    private static let algorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// The RSAPublicKey inside a SubjectPublicKeyInfo, or nil.
    static func publicKey(in der: [UInt8]) -> [UInt8]? {
        guard let outer = element(0x30, der[...]), outer.rest.isEmpty, outer.content.starts(with: algorithm),
            let bits = element(0x03, outer.content.dropFirst(algorithm.count)), bits.rest.isEmpty,
            bits.content.first == 0
        else { return nil }
        return Array(bits.content.dropFirst())
    }

    /// The RSAPrivateKey inside a PrivateKeyInfo, or nil.
    static func privateKey(in der: [UInt8]) -> [UInt8]? {
        guard let outer = element(0x30, der[...]), outer.rest.isEmpty, let version = element(0x02, outer.content),
            version.rest.starts(with: algorithm),
            let key = element(0x04, version.rest.dropFirst(algorithm.count))
        else { return nil }
        return Array(key.content)
    }

    /// The SubjectPublicKeyInfo around an RSAPublicKey.
    static func subjectPublicKeyInfo(of key: [UInt8]) -> [UInt8] {
        wrap(0x30, algorithm + wrap(0x03, [0] + key))
    }

    /// An element of `tag` that holds `content`.
    static func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// The first element of `bytes` when it has this tag and a length in its shortest form.
    private static func element(
        _ tag: UInt8, _ bytes: ArraySlice<UInt8>
    ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard bytes.first == tag, let short = bytes.dropFirst().first else { return nil }
        var rest = bytes.dropFirst(2)
        var length = Int(short)
        if short & 0x80 != 0 {
            let count = Int(short & 0x7F)
            guard 1...3 ~= count, rest.count >= count, rest.first != 0 else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            guard length > 127 else { return nil }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return nil }
        return (rest.prefix(length), rest.dropFirst(length))
    }
}
