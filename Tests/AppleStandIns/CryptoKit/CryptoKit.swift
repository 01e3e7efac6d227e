// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code uses, without bodies.

import Foundation

public protocol Digest: Sequence<UInt8>, Sendable {}

public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest
}

extension HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> Digest { fatalError() }
}

public struct StandInDigest: Digest {
    public func makeIterator() -> AnyIterator<UInt8> { fatalError() }
}

public enum Insecure {
    public struct SHA1: HashFunction {
        public typealias Digest = StandInDigest
    }
}

public struct SHA256: HashFunction {
    public typealias Digest = StandInDigest
}

public struct SHA384: HashFunction {
    public typealias Digest = StandInDigest
}

public struct SHA512: HashFunction {
    public typealias Digest = StandInDigest
}

public struct SymmetricKey: Sendable {
    public init<D: ContiguousBytes>(data: D) { fatalError() }
}

public struct HashedAuthenticationCode<H: HashFunction>: Sequence {
    public func makeIterator() -> AnyIterator<UInt8> { fatalError() }
}

public struct HMAC<H: HashFunction> {
    public static func authenticationCode<D: DataProtocol>(
        for data: D, using key: SymmetricKey
    ) -> HashedAuthenticationCode<H> { fatalError() }
}

public struct SharedSecret: ContiguousBytes, Sendable {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public enum ChaChaPoly {
    public struct Nonce: Sendable {
        public init<D: DataProtocol>(data: D) throws { fatalError() }
    }

    public struct SealedBox: Sendable {
        public let ciphertext: Data
        public let tag: Data
        public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws { fatalError() }
    }

    public static func seal<P: DataProtocol, A: DataProtocol>(
        _ message: P, using key: SymmetricKey, nonce: Nonce? = nil, authenticating data: A
    ) throws -> SealedBox { fatalError() }
    public static func open<A: DataProtocol>(
        _ box: SealedBox, using key: SymmetricKey, authenticating data: A
    ) throws -> Data { fatalError() }
}

public enum Curve25519 {
    public enum KeyAgreement {
        public struct PublicKey: Sendable {
            public let rawRepresentation: Data
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
        }

        public struct PrivateKey: Sendable {
            public let publicKey: PublicKey
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
            public func sharedSecretFromKeyAgreement(with share: PublicKey) throws -> SharedSecret { fatalError() }
        }
    }

    public enum Signing {
        public struct PrivateKey: Sendable {
            public let publicKey: PublicKey
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { fatalError() }
        }

        public struct PublicKey: Sendable {
            public let rawRepresentation: Data
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws { fatalError() }
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                fatalError()
            }
        }
    }
}

public enum P256 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { fatalError() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
                fatalError()
            }
        }
    }
}
