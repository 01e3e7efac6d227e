import PaymentCrypto

/// The handshake of a link (Protocol 12.2), computed each time from the stored ephemeral key and the peer's messages,
/// so that no intermediate state is stored.
struct PrivateLinkHandshake: Sendable {
    let handshake: NoiseHandshake
    let own: [(slot: UInt32, message: [UInt8])]
    /// The number of the peer's next file; nil when the handshake is complete.
    let awaited: UInt32?

    /// - Parameter heard: the peer's messages, in their order.
    init(_ keys: PrivateLinkKeys, begins: Bool, ephemeral: [UInt8], heard: [[UInt8]]) throws(NoiseError) {
        var handshake = try NoiseHandshake(
            PrivateLinkForm.suite, begins ? .initiator : .responder, prologue: [], ownStatic: keys.noiseSecret,
            ownEphemeral: ephemeral)
        var own: [(slot: UInt32, message: [UInt8])] = []
        var rest = heard[...]
        var awaited: UInt32?
        for slot in 0..<PrivateLinkChannel.firstSlot {
            if slot.isMultiple(of: 2) == begins {
                own.append((slot, try handshake.write([])))
            } else if let message = rest.popFirst() {
                // No known form has payloads in the handshake's messages.
                guard try handshake.read(message).isEmpty else { throw .untrusted }
            } else {
                awaited = slot
                break
            }
        }
        self.handshake = handshake
        self.own = own
        self.awaited = awaited
    }
}
