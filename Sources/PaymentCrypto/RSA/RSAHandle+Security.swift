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
