// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code uses, without bodies.

public typealias CCOperation = UInt32
public typealias CCAlgorithm = UInt32
public typealias CCOptions = UInt32
public typealias CCCryptorStatus = Int32

public let kCCEncrypt: Int = 0
public let kCCDecrypt: Int = 1
public let kCCAlgorithmAES: Int = 0
public let kCCOptionPKCS7Padding: Int = 1
public let kCCBlockSizeAES128: Int = 16
public let kCCSuccess: Int = 0

public func CCCrypt(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus { fatalError() }
