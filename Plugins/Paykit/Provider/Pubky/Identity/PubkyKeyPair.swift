import PaymentCrypto

/// A user's own key pair on the Pubky network. Prints nothing of the secret.
public struct PubkyKeyPair: Sendable {
    private let seed: Redacted<[UInt8]>
    /// The public half.
    public let publicKey: PubkyKey

    /// Creates the key pair of an Ed25519 seed of 32 bytes (RFC 8032 section 5.1.5).
    ///
    /// - Throws: ``PubkyKeyDefect/length(_:)``.
    public init(seed: [UInt8]) throws(PubkyKeyDefect) {
        guard let bytes = try? Ed25519.publicKey(seed: seed) else { throw .length(seed.count) }
        publicKey = try PubkyKey(bytes: bytes)
        self.seed = Redacted(seed)
    }

    package func sign(_ message: [UInt8]) -> [UInt8] {
        // The length was checked when the key was read; only memory could fail.
        guard let signature = try? Ed25519.sign(message, seed: seed.reveal()) else { return [] }
        return signature
    }

    package func channelKey(device: [UInt8], epoch: UInt32) -> [UInt8] {
        NoiseKeys.device(seed: seed.reveal(), device: device, epoch: epoch)
    }
}
