// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code uses, without bodies. Core Foundation's types are Swift
// types here, since Linux bridges none.

import Foundation

public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [String: Any]
public final class CFError {}

public final class SecKey {}
public final class SecTrust {}
public final class SecCertificate {}
public final class CFAllocator {}
public typealias CFArray = [Any]

public struct SecKeyAlgorithm: Hashable, Sendable {
    public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm()
    public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm()
}

public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeySizeInBits: CFString = ""
public let kSecAttrKeyClass: CFString = ""
public let kSecAttrKeyClassPublic: CFString = ""
public let kSecAttrKeyClassPrivate: CFString = ""

public typealias ErrorPointer = UnsafeMutablePointer<Unmanaged<CFError>?>

public func SecKeyCopyAttributes(_ key: SecKey) -> NSDictionary? { fatalError() }
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { fatalError() }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: ErrorPointer?) -> CFData? { fatalError() }
public func SecKeyCreateRandomKey(_ parameters: CFDictionary, _ error: ErrorPointer?) -> SecKey? { fatalError() }
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: ErrorPointer?
) -> SecKey? { fatalError() }
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData, _ error: ErrorPointer?
) -> CFData? { fatalError() }
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData, _ error: ErrorPointer?
) -> CFData? { fatalError() }
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData, _ error: ErrorPointer?
) -> Bool { fatalError() }

public typealias OSStatus = Int32
public typealias CFTypeRef = AnyObject

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecValueData: CFString = ""

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    fatalError()
}
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    fatalError()
}
public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus { fatalError() }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { fatalError() }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { fatalError() }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { fatalError() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    fatalError()
}
