import PaymentCrypto

/// One direction of a channel (section 5.1): a key, and how many messages it has protected.
package struct NoiseCipher: Sendable {
    /// The most bytes of a message.
    package static let maximumLength = 65_535
    /// The most bytes that fit into a message beside its tag.
    package static let maximumPlaintext = maximumLength - ChaCha20Poly1305.tagLength

    private let key: [UInt8]
    package private(set) var count: UInt64

    init(key: [UInt8], count: UInt64 = 0) {
        self.key = key
        self.count = count
    }

    /// The same direction after so many messages, where it is made again from what was kept.
    func at(_ count: UInt64) -> NoiseCipher { NoiseCipher(key: key, count: count) }

    /// Encrypts the next message.
    package mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard plaintext.count <= Self.maximumPlaintext else { throw .length }
        let nonce = try nonce()
        guard
            let sealed = try? ChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: data)
        else { throw .key }
        count += 1
        return sealed
    }

    /// Decrypts the next message. One that does not fit leaves the number where it was.
    package mutating func open(_ sealed: [UInt8], authenticating data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard sealed.count <= Self.maximumLength else { throw .length }
        let nonce = try nonce()
        guard let plaintext = try? ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) else {
            throw .untrusted
        }
        count += 1
        return plaintext
    }

    /// Four zeros, then the number of the message, the lowest byte first. The specification keeps the last number.
    private func nonce() throws(NoiseError) -> [UInt8] {
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
