import CSecp256k1

/// A Schnorr signature over secp256k1 (BIP-340), as BOLT 12 uses it.
public struct SchnorrSignature: Sendable, Hashable {
    /// The 64 bytes.
    package let bytes: [UInt8]

    /// Creates a signature from its 64 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 64 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Returns true if the owner of `key` made it over `message`. Of the key only its x counts.
    public func isValid(message: [UInt8], key: Secp256k1PublicKey) -> Bool {
        let context = Secp256k1Context.shared.pointer
        var point = secp256k1_xonly_pubkey()
        return secp256k1_xonly_pubkey_parse(context, &point, Array(key.uncompressed[1...32])) == 1
            && secp256k1_schnorrsig_verify(context, bytes, message, message.count, &point) == 1
    }
}

extension Secp256k1PrivateKey {
    /// Signs a digest without auxiliary randomness (BIP-340), for simulated nodes.
    ///
    /// - Throws: ``Secp256k1Error/invalidDigest``.
    package func schnorrSign(digest: [UInt8]) throws(Secp256k1Error) -> SchnorrSignature {
        guard digest.count == 32 else { throw .invalidDigest }
        let context = Secp256k1Context.shared.pointer
        var pair = secp256k1_keypair()
        var signature = [UInt8](repeating: 0, count: 64)
        guard secp256k1_keypair_create(context, &pair, bytes()) == 1,
            secp256k1_schnorrsig_sign32(context, &signature, digest, &pair, nil) == 1,
            let made = SchnorrSignature(signature)
        else { throw .invalidPrivateKey }
        return made
    }
}
