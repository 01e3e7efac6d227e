import PaymentCrypto

/// The keys of a device's channels, derived from its owner's seed (Protocol 5.3). They reveal nothing of it.
package enum NoiseKeys {
    /// Returns the private X25519 key of a device. `seed` is the owner's Ed25519 seed. `device` is the bytes that
    /// distinguish the owner's devices: at least 16 in newer versions. `epoch` is the number of the device's key,
    /// increased each time it is changed.
    package static func device(seed: [UInt8], device: [UInt8], epoch: UInt32) -> [UInt8] {
        var key = HKDF.derive(
            .sha512, secret: seed, salt: Array("pubky-noise-x25519:v1".utf8),
            info: device + epoch.bigEndianBytes.reversed(), byteCount: 32)
        key[0] &= 248
        key[31] = key[31] & 127 | 64
        return key
    }
}
