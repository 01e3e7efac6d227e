/// Keccak-256, the hash of Ethereum: the original Keccak submission with padding byte `0x01`.
///
/// SHA3-256 (FIPS 202) differs in that byte only, so the two give different digests of everything.
public struct Keccak256: Sendable {
    /// Bytes absorbed per permutation: 1088 bits, for a capacity of 512.
    private static let rate = 136

    private var lanes = [UInt64](repeating: 0, count: 25)
    private var position = 0

    /// Creates a hasher of a message that is still empty.
    public init() {}

    /// Returns the 32-byte digest of `bytes`.
    public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hasher = Keccak256()
        hasher.update(bytes)
        return hasher.finalize()
    }

    /// Appends `bytes` to the message.
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            absorb(byte)
            position += 1
            if position == Self.rate {
                permute()
                position = 0
            }
        }
    }

    /// Returns the 32-byte digest of the message so far. The message may go on afterwards.
    public func finalize() -> [UInt8] {
        var last = self
        last.absorb(0x01)
        last.position = Self.rate - 1
        last.absorb(0x80)
        last.permute()
        return (0..<32).map { UInt8(truncatingIfNeeded: last.lanes[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    private mutating func absorb(_ byte: UInt8) {
        lanes[position / 8] ^= UInt64(byte) << UInt64(position % 8 * 8)
    }

    /// Keccak-f[1600] (Keccak reference, section 1.2); lane (x, y) is `lanes[x + 5 * y]`.
    private mutating func permute() {
        lanes.withUnsafeMutableBufferPointer { lanes in
            for constant in Self.roundConstants {
                Self.mixColumns(lanes)
                Self.rotateAndMove(lanes)
                Self.mixRows(lanes)
                lanes[0] ^= constant
            }
        }
    }

    /// Theta: adds the parities of two neighbouring columns to every lane.
    private static func mixColumns(_ lanes: UnsafeMutableBufferPointer<UInt64>) {
        func parity(_ x: Int) -> UInt64 { lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] }
        let (a, b, c, d, e) = (parity(0), parity(1), parity(2), parity(3), parity(4))
        for y in stride(from: 0, to: 25, by: 5) {
            lanes[y] ^= e ^ rotate(b, 1)
            lanes[y + 1] ^= a ^ rotate(c, 1)
            lanes[y + 2] ^= b ^ rotate(d, 1)
            lanes[y + 3] ^= c ^ rotate(e, 1)
            lanes[y + 4] ^= d ^ rotate(a, 1)
        }
    }

    /// Rho and pi: walks one cycle through the 24 lanes besides the first.
    private static func rotateAndMove(_ lanes: UnsafeMutableBufferPointer<UInt64>) {
        var carried = lanes[1]
        for (lane, distance) in cycle {
            let next = lanes[lane]
            lanes[lane] = rotate(carried, distance)
            carried = next
        }
    }

    /// Chi: the only step that is not linear.
    private static func mixRows(_ lanes: UnsafeMutableBufferPointer<UInt64>) {
        for y in stride(from: 0, to: 25, by: 5) {
            let (a, b, c, d, e) = (lanes[y], lanes[y + 1], lanes[y + 2], lanes[y + 3], lanes[y + 4])
            lanes[y] = a ^ (~b & c)
            lanes[y + 1] = b ^ (~c & d)
            lanes[y + 2] = c ^ (~d & e)
            lanes[y + 3] = d ^ (~e & a)
            lanes[y + 4] = e ^ (~a & b)
        }
    }

    private static func rotate(_ lane: UInt64, _ distance: UInt64) -> UInt64 {
        lane << distance | lane >> (64 - distance)
    }

    /// Where each lane of the cycle lands, and the rotation it gets: (x, y) goes to (y, 2x + 3y), step t turns by
    /// (t + 1)(t + 2) / 2 bits.
    private static let cycle: [(lane: Int, distance: UInt64)] = {
        var (x, y) = (1, 0)
        return (0..<24).map { step in
            (x, y) = (y, (2 * x + 3 * y) % 5)
            return (x + 5 * y, UInt64((step + 1) * (step + 2) / 2 % 64))
        }
    }()

    /// Iota's constants: bit 2^j - 1 of round i is output 7i + j of the register x^8 + x^6 + x^5 + x^4 + 1.
    private static let roundConstants: [UInt64] = {
        var register: UInt8 = 1
        return (0..<24).map { _ in
            var constant: UInt64 = 0
            for j in 0..<7 {
                if register & 1 == 1 { constant |= 1 << UInt64((1 << j) - 1) }
                register = register << 1 ^ (register & 0x80 == 0 ? 0 : 0x71)
            }
            return constant
        }
    }()
}
