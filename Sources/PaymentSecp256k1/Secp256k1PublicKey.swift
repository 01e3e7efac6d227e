import CSecp256k1

/// A point of secp256k1 other than infinity.
public struct Secp256k1PublicKey: Sendable, Hashable {
    /// `04`, x and y: 65 bytes (SEC 1 section 2.3.3).
    public let uncompressed: [UInt8]

    /// `02` or `03` for an even or odd y, and x: 33 bytes.
    public var compressed: [UInt8] {
        [uncompressed[64] & 1 == 0 ? 0x02 : 0x03] + uncompressed[1...32]
    }

    /// Creates a key by reading a point in its 33- or 65-byte form.
    ///
    /// - Throws: ``Secp256k1Error/invalidPublicKey``.
    public init(parsing bytes: some Collection<UInt8>) throws(Secp256k1Error) {
        let bytes = Array(bytes)
        var point = secp256k1_pubkey()
        // The hybrid forms 06 and 07, which the library also reads, are not in SEC 1's list for new use.
        guard bytes.first.map({ 2...4 ~= $0 }) == true,
            secp256k1_ec_pubkey_parse(Secp256k1Context.shared.pointer, &point, bytes, bytes.count) == 1
        else { throw .invalidPublicKey }
        self.init(point)
    }

    /// Returns the key that made a signature over a digest.
    ///
    /// - Throws: ``Secp256k1Error/invalidDigest``, ``Secp256k1Error/unrecoverable``.
    public static func recover(digest: [UInt8], signature: RecoverableSignature) throws(Secp256k1Error)
        -> Secp256k1PublicKey
    {
        guard digest.count == 32 else { throw .invalidDigest }
        let context = Secp256k1Context.shared.pointer
        var parsed = secp256k1_ecdsa_recoverable_signature()
        var point = secp256k1_pubkey()
        guard
            secp256k1_ecdsa_recoverable_signature_parse_compact(
                context, &parsed, signature.r + signature.s, Int32(signature.recoveryID)) == 1,
            secp256k1_ecdsa_recover(context, &point, &parsed, digest) == 1
        else { throw .unrecoverable }
        return Secp256k1PublicKey(point)
    }

    /// Returns true if this key made the signature over the digest. False for every signature with a high S, which is
    /// not unique to the signer. The recovery id plays no part.
    ///
    /// - Throws: ``Secp256k1Error/invalidDigest``.
    public func verify(digest: [UInt8], signature: RecoverableSignature) throws(Secp256k1Error) -> Bool {
        guard digest.count == 32 else { throw .invalidDigest }
        let context = Secp256k1Context.shared.pointer
        var point = secp256k1_pubkey()
        var parsed = secp256k1_ecdsa_signature()
        return signature.hasLowS
            && secp256k1_ec_pubkey_parse(context, &point, uncompressed, uncompressed.count) == 1
            && secp256k1_ecdsa_signature_parse_compact(context, &parsed, signature.r + signature.s) == 1
            && secp256k1_ecdsa_verify(context, &parsed, digest, &point) == 1
    }

    /// Takes a point that the library has made, which is never infinity.
    init(_ point: secp256k1_pubkey) {
        var point = point
        var bytes = [UInt8](repeating: 0, count: 65)
        var length = bytes.count
        _ = secp256k1_ec_pubkey_serialize(
            Secp256k1Context.shared.pointer, &bytes, &length, &point, UInt32(SECP256K1_EC_UNCOMPRESSED))
        uncompressed = bytes
    }
}
