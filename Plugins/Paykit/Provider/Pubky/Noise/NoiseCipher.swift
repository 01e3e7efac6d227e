import PaymentCrypto

/// One direction of a channel (section 5.1): a key, and the number of messages that it has protected.
package struct NoiseCipher: Sendable, CustomReflectable {
    package static let maximumLength = 65_535
    /// The most bytes that fit into a message beside its tag.
    package static let maximumPlaintext = maximumLength - ChaCha20Poly1305.tagLength

    private let key: [UInt8]
    package private(set) var count: UInt64

    init(key: [UInt8], count: UInt64 = 0) {
        self.key = key
        self.count = count
    }

    /// Returns the same direction after `count` messages, when it is restored from a stored state.
    package func at(_ count: UInt64) -> NoiseCipher { NoiseCipher(key: key, count: count) }

    package mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard plaintext.count <= Self.maximumPlaintext else { throw .length }
        let nonce = try nonce()
        guard
            let sealed = try? ChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: data)
        else { throw .key }
        count += 1
        return sealed
    }

    /// Decrypts the next message. One that fails leaves the number unchanged.
    package mutating func open(_ sealed: [UInt8], authenticating data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard sealed.count <= Self.maximumLength else { throw .length }
        let nonce = try nonce()
        guard let plaintext = try? ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) else {
            throw .untrusted
        }
        count += 1
        return plaintext
    }

    /// Four zeros, then the message number, least significant byte first. The specification reserves the last number.
    private func nonce() throws(NoiseError) -> [UInt8] {
        guard count < .max else { throw .exhausted }
        return [UInt8](repeating: 0, count: 4) + count.bigEndianBytes.reversed()
    }

    /// The part that dumps show: never the key.
    package var customMirror: Mirror { Mirror(self, children: ["count": count], displayStyle: .struct) }
}

package struct NoiseChannel: Sendable {
    package var sending: NoiseCipher
    package var receiving: NoiseCipher
    /// The hash of the handshake: known to both sides only.
    package let binding: [UInt8]
}
