import PaymentCrypto

/// A signed value in the DHT (BEP 44): the holder of the key may replace it by one with a higher number.
///
/// Every value of this type has its owner's signature. Pubky's packets are such items: the number is the packet's
/// timestamp in microseconds, the value its DNS message. Items with a salt are not read. Pubky has none.
package struct MutableItem: Sendable, Hashable, CustomStringConvertible {
    /// The owner's Ed25519 public key: 32 bytes.
    package let key: [UInt8]
    /// Of two items of one key, the one with the higher number counts.
    package let sequence: Int64
    /// The stored bytes: up to 1000.
    package let value: [UInt8]
    /// The owner's signature: 64 bytes.
    package let signature: [UInt8]

    /// The most bytes of a value. Nodes that also count its length marker store no more than 995.
    package static let valueLimit = 1000

    private static let keyLength = WireDefect("the key of an item, and its seed, has 32 bytes")
    private static let untrusted = WireDefect("the signature is not the key owner's over this number and value")
    private static func tooLong(_ value: [UInt8]) -> WireDefect {
        WireDefect("an item holds at most \(valueLimit) bytes; these are \(value.count): publish less")
    }

    /// Creates an item from its parts. Throws `WireDefect`, also if the signature is not the owner's.
    package init(key: [UInt8], sequence: Int64, value: [UInt8], signature: [UInt8]) throws(WireDefect) {
        guard key.count == Ed25519.keyLength else { throw Self.keyLength }
        guard value.count <= Self.valueLimit else { throw Self.tooLong(value) }
        let message = Self.signable(sequence: sequence, value: value)
        guard Ed25519.isValid(signature, message: message, publicKey: key) else { throw Self.untrusted }
        self.key = key
        self.sequence = sequence
        self.value = value
        self.signature = signature
    }

    /// Returns the bytes that a signature covers: a salt, if there is one, then number and value as bencoding.
    package static func signable(sequence: Int64, value: [UInt8], salt: [UInt8] = []) -> [UInt8] {
        let prefix = salt.isEmpty ? [] : Array("4:salt\(salt.count):".utf8) + salt
        return prefix + Array("3:seqi\(sequence)e1:v\(value.count):".utf8) + value
    }

    /// Returns the place of a key's items: SHA-1 of the key, followed by a salt, if there is one.
    package static func target(key: [UInt8], salt: [UInt8] = []) -> NodeID {
        NodeID(hashing: key + salt)
    }

    package var target: NodeID { Self.target(key: key) }

    /// Returns true if this counts and `other` of the same key does not: by number, and for equal numbers by value.
    package func isNewer(than other: MutableItem) -> Bool {
        if sequence != other.sequence { return sequence > other.sequence }
        return other.value.lexicographicallyPrecedes(value)
    }

    /// Key, number and length; not the value.
    package var description: String { "item \(sequence) of \(Hex.encode(key)), \(value.count) bytes" }
}
