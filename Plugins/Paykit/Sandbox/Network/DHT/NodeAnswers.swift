package import PaykitProvider
package import PaymentCore
import PaymentCrypto

/// A node's refusals.
extension KRPCError {
    /// Something about the message is wrong, or its token is old.
    package static let protocolError = KRPCError(code: 203, text: "Bad token")
    /// The kind of question is not known.
    package static let unknownMethod = KRPCError(code: 204, text: "Method Unknown")
    /// The value is longer than 1000 bytes.
    package static let valueTooLarge = KRPCError(code: 205, text: "Message (v field) too big.")
    package static let signature = KRPCError(code: 206, text: "Invalid signature")
    /// The salt is longer than 64 bytes.
    package static let saltTooLarge = KRPCError(code: 207, text: "Salt (salt field) too big.")
}

extension NodeID {
    /// The number of zero bits before the first that is not: of a distance, the bits that two ids share.
    package var leadingZeroBits: Int {
        let zeros = bytes.prefix { $0 == 0 }.count
        return zeros == bytes.count ? 8 * zeros : 8 * zeros + bytes[zeros].leadingZeroBitCount
    }

    /// Creates an id that belongs to an address (BEP 42): no node can choose an id there at will.
    package init(for host: UInt32, random: any RandomSource) {
        let draw = random.next()
        self.init(for: host, seed: UInt8(truncatingIfNeeded: draw >> 8), fill: NodeID(random: random))
    }

    /// Creates the same id from given values instead of random ones.
    package init(for host: UInt32, seed: UInt8, fill: NodeID) {
        let prefix = NodeID.prefix(host, seed & 7)
        var bytes = fill.bytes
        // The first 21 bits follow from the address and the last byte.
        (bytes[0], bytes[1]) = (UInt8(prefix >> 24), UInt8(truncatingIfNeeded: prefix >> 16))
        bytes[2] = UInt8(truncatingIfNeeded: prefix >> 8) & 0xF8 | bytes[2] & 0x07
        bytes[19] = seed
        self = NodeID(bytes) ?? fill
    }
}

extension MutableItem {
    /// Creates an item and signs it with the owner's seed: 32 bytes.
    package init(sequence: Int64, value: [UInt8], seed: Redacted<[UInt8]>) throws(WireDefect) {
        let (seed, message) = (seed.reveal(), Self.signable(sequence: sequence, value: value))
        guard let key = try? Ed25519.publicKey(seed: seed), let signature = try? Ed25519.sign(message, seed: seed)
        else { throw WireDefect("the key of an item, and its seed, has 32 bytes") }
        try self.init(key: key, sequence: sequence, value: value, signature: signature)
    }
}
