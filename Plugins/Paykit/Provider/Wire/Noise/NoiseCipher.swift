import PaymentCrypto

/// One direction of a channel (section 5.1): a key, and how many messages it has protected.
package struct NoiseCipher: Sendable {
    /// The most bytes of a message.
    package static let maximumLength = 65_535
    /// The most bytes that fit into a message beside its tag.
    package static let maximumPlaintext = maximumLength - ChaCha20Poly1305.tagLength

    private var key: [UInt8]
    package private(set) var count: UInt64

    init(key: [UInt8], count: UInt64 = 0) {
        self.key = key
        self.count = count
    }

    /// The same direction after so many messages, where it is made again from what was kept.
    func at(_ count: UInt64) -> NoiseCipher { NoiseCipher(key: key, count: count) }

    /// Encrypts the next message.
    package mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) throws(NoiseFailure) -> [UInt8]
    {
        guard plaintext.count <= Self.maximumPlaintext else { throw .length }
        let nonce = try nonce()
        guard
            let sealed = try? ChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: data)
        else { throw .key }
        count += 1
        return sealed
    }

    /// Decrypts the next message. One that does not fit leaves the number where it was.
    package mutating func open(_ sealed: [UInt8], authenticating data: [UInt8] = []) throws(NoiseFailure) -> [UInt8] {
        guard sealed.count <= Self.maximumLength else { throw .length }
        let nonce = try nonce()
        guard let plaintext = try? ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) else {
            throw .untrusted
        }
        count += 1
        return plaintext
    }

    /// Goes on with a new key, which says nothing of the old one (section 4.2). Both sides have to do it at the same message.
    package mutating func rekey() throws(NoiseFailure) {
        let nonce = [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 0xFF, count: 8)
        guard
            let sealed = try? ChaCha20Poly1305.seal(
                [UInt8](repeating: 0, count: 32), key: key, nonce: nonce, authenticating: [])
        else { throw .key }
        key = Array(sealed.prefix(32))
    }

    /// Four zeros, then the number of the message, the lowest byte first. The last number is kept for new keys.
    private func nonce() throws(NoiseFailure) -> [UInt8] {
        guard count < .max else { throw .exhausted }
        return [UInt8](repeating: 0, count: 4) + count.bigEndianBytes.reversed()
    }
}

/// A channel whose handshake is done.
package struct NoiseChannel: Sendable {
    /// What is sent from here.
    package var sending: NoiseCipher
    /// What comes from the other side.
    package var receiving: NoiseCipher
    /// The hash of the handshake: the same on both sides, and nowhere else.
    package let binding: [UInt8]
}
