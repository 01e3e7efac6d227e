import CSecp256k1

/// A private key of secp256k1. It has no way to print, dump or encode its bytes.
public struct Secp256k1PrivateKey: Sendable {
    // A closure, because reflection can walk stored properties but not captured variables.
    let bytes: @Sendable () -> [UInt8]

    /// The key's public half.
    public let publicKey: Secp256k1PublicKey

    /// Creates a key from its 32 bytes, big-endian.
    ///
    /// - Throws: ``Secp256k1Error/invalidPrivateKey``.
    public init(_ bytes: some Collection<UInt8>) throws(Secp256k1Error) {
        let bytes = Array(bytes)
        var point = secp256k1_pubkey()
        guard bytes.count == 32, secp256k1_ec_pubkey_create(Secp256k1Context.shared.pointer, &point, bytes) == 1 else {
            throw .invalidPrivateKey
        }
        publicKey = Secp256k1PublicKey(point)
        self.bytes = { bytes }
    }

    /// Signs a digest: deterministic (RFC 6979 with HMAC-SHA256), always with low S.
    ///
    /// - Parameter digest: the 32 bytes to sign; the message itself is hashed by the caller.
    /// - Throws: ``Secp256k1Error/invalidDigest``.
    public func sign(digest: [UInt8]) throws(Secp256k1Error) -> RecoverableSignature {
        guard digest.count == 32 else { throw .invalidDigest }
        let context = Secp256k1Context.shared.pointer
        var signature = secp256k1_ecdsa_recoverable_signature()
        var compact = [UInt8](repeating: 0, count: 64)
        var recoveryID: Int32 = 0
        guard secp256k1_ecdsa_sign_recoverable(context, &signature, digest, bytes(), nil, nil) == 1,
            secp256k1_ecdsa_recoverable_signature_serialize_compact(context, &compact, &recoveryID, &signature) == 1
        else { throw .invalidPrivateKey }
        return try RecoverableSignature(
            r: Array(compact[..<32]), s: Array(compact[32...]), recoveryID: UInt8(truncatingIfNeeded: recoveryID))
    }
}

extension Secp256k1PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<private key>`.
    public var description: String { "<private key>" }

    /// Always `<private key>`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
