import PaymentCrypto

/// A position of 160 bits in the DHT, of a node or of a stored item. Two positions are near each other if their
/// exclusive or is small.
package struct NodeID: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let middle: UInt64
    private let low: UInt32

    package static let byteCount = 20

    private init(_ high: UInt64, _ middle: UInt64, _ low: UInt32) {
        self.high = high
        self.middle = middle
        self.low = low
    }

    /// Creates an id from its 20 bytes; nil for another number of bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(exactly: Array(bytes))
    }

    package init(hashing bytes: [UInt8]) { self.init(exactly: Digest.sha1.hash(bytes)) }

    /// - Parameter bytes: exactly 20 bytes.
    private init(exactly bytes: [UInt8]) {
        func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(word(0..<8), word(8..<16), UInt32(truncatingIfNeeded: word(16..<20)))
    }

    /// Creates an unpredictable id.
    package init(random: any RandomSource) {
        self.init(random.next(), random.next(), UInt32(truncatingIfNeeded: random.next()))
    }

    package var bytes: [UInt8] { high.bigEndianBytes + middle.bigEndianBytes + low.bigEndianBytes }

    package static let farthest = NodeID(.max, .max, .max)

    /// The distance as a fraction of the largest, from 0 to 1.
    package var fraction: Double { Double(high) / 0x1p64 }

    package static func < (left: NodeID, right: NodeID) -> Bool {
        (left.high, left.middle, left.low) < (right.high, right.middle, right.low)
    }

    package func distance(to other: NodeID) -> NodeID {
        NodeID(high ^ other.high, middle ^ other.middle, low ^ other.low)
    }

    /// Returns the id that differs in one of the first 64 bits, counted from the highest.
    package func flipping(bit: Int) -> NodeID { NodeID(high ^ 1 << UInt64(63 - bit & 63), middle, low) }

    // MARK: Ids that belong to an address (BEP 42)

    /// Returns true if the id belongs to the address. Any id may have a private address, or one of this machine.
    package func belongs(to address: DatagramAddress) -> Bool {
        guard address.isPublic else { return true }
        let expected = Self.prefix(address.host, UInt8(truncatingIfNeeded: low) & 7)
        return UInt32(truncatingIfNeeded: high >> 32) >> 11 == expected >> 11
    }

    package static func prefix(_ host: UInt32, _ seed: UInt8) -> UInt32 {
        CRC32C.checksum((host & 0x030F_3FFF | UInt32(seed) << 29).bigEndianBytes)
    }

    /// 40 hexadecimal digits.
    package var description: String { Hex.encode(bytes) }
}

/// A node by its id and its address, as nodes name each other.
package struct NodeContact: Sendable, Hashable {
    package let id: NodeID
    package let address: DatagramAddress

    package init(id: NodeID, address: DatagramAddress) {
        self.id = id
        self.address = address
    }

    /// The bytes of a contact: an id, an IPv4 address, a port.
    package static let byteCount = 26

    package var compact: [UInt8] { id.bytes + address.compact }

    /// Reads contacts that follow each other; nil when a part of one is left over.
    package static func list(_ bytes: [UInt8]) -> [NodeContact]? {
        guard bytes.count % byteCount == 0 else { return nil }
        return stride(from: 0, to: bytes.count, by: byteCount).compactMap { start in
            NodeID(bytes[start..<start + 20]).flatMap { id in
                DatagramAddress(compact: bytes[start + 20..<start + 26]).map { NodeContact(id: id, address: $0) }
            }
        }
    }
}

extension DatagramAddress {
    /// Reads four octets and a port; nil for another number of bytes.
    package init?(compact bytes: some Collection<UInt8>) {
        guard bytes.count == 6 else { return nil }
        let bytes = Array(bytes)
        self.init(bytes[0], bytes[1], bytes[2], bytes[3], port: UInt16(bytes[4]) << 8 | UInt16(bytes[5]))
    }

    /// Four octets and the port.
    package var compact: [UInt8] { host.bigEndianBytes + port.bigEndianBytes }
}

/// The checksum of Castagnoli (RFC 3720 appendix B.4). DHT nodes derive ids and tokens from it.
package enum CRC32C {
    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    }
}
