import PaymentCrypto

/// The identity of this device on private channels: its owner's keys, and the key derived from them (Protocol 5.3).
package struct ChannelIdentity: Sendable {
    package let owner: PubkyKeyPair
    package let publicKey: [UInt8]
    let privateKey: Redacted<[UInt8]>

    /// The identifier of a device without one: the vendor's library uses it for all devices.
    package static let unnamed = [UInt8](repeating: 0, count: 32)

    /// Derives a device's keys. `device` is an identifier that differs between the owner's devices. `epoch` is the
    /// number of the device's key.
    package init(_ owner: PubkyKeyPair, device: [UInt8] = unnamed, epoch: UInt32 = 0) throws(PaykitNetworkError) {
        let key = owner.channelKey(device: device, epoch: epoch)
        guard let publicKey = try? X25519.publicKey(of: key) else {
            throw PaykitNetworkError(.validationFailed, "no channel's key can be made of this secret key")
        }
        self.owner = owner
        self.publicKey = publicKey
        privateKey = Redacted(key)
    }

    package func handshake(
        _ role: NoiseHandshake.Role, with remote: [UInt8]? = nil, _ random: any RandomSource
    ) throws(NoiseError) -> NoiseHandshake {
        try NoiseHandshake(
            NoiseSuite(.ik), role, prologue: NoiseIdentity.prologue, ownStatic: privateKey.reveal(),
            ownEphemeral: random.bytes(32), remoteStatic: remote)
    }

    func open(_ blob: SealedBlob, at place: SealedBlob.Place) throws(WireDefect) -> [UInt8] {
        try blob.open(privateKey.reveal(), at: place)
    }

    func open(_ envelope: SealedEnvelope, at address: PubkyAddress) throws(WireDefect) -> [UInt8] {
        try envelope.open(privateKey.reveal(), owner: address.owner, path: address.path)
    }
}
