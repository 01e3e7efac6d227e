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
    @inlinable
    public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] { hash(whole: Array(bytes)) }

    @usableFromInline
    static func hash(whole bytes: [UInt8]) -> [UInt8] {
        var hasher = Keccak256()
        hasher.absorb(bytes)
        return hasher.end()
    }

    /// Appends `bytes` to the message.
    @inlinable
    public mutating func update(_ bytes: some Sequence<UInt8>) { absorb(Array(bytes)) }

    @usableFromInline
    mutating func absorb(_ bytes: [UInt8]) {
        var place = position
        lanes.withUnsafeMutableBufferPointer { lanes in
            for byte in bytes {
                lanes[place / 8] ^= UInt64(byte) << UInt64(place % 8 * 8)
                place += 1
                if place == Self.rate {
                    Self.permute(lanes)
                    place = 0
                }
            }
        }
        position = place
    }

    /// Returns the 32-byte digest of the message so far. The message may continue afterwards.
    public func finalize() -> [UInt8] {
        var last = self
        return last.end()
    }

    /// Pads the message and returns its digest; the lanes have no meaning afterwards.
    private mutating func end() -> [UInt8] {
        lanes[position / 8] ^= 0x01 << UInt64(position % 8 * 8)
        lanes[Self.rate / 8 - 1] ^= 0x80 << 56
        lanes.withUnsafeMutableBufferPointer { Self.permute($0) }
        return (0..<32).map { UInt8(truncatingIfNeeded: lanes[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    /// Keccak-f[1600] (Keccak reference, section 1.2); lane (x, y) is `lanes[x + 5 * y]`.
    private static func permute(_ lanes: UnsafeMutableBufferPointer<UInt64>) {
        guard let lanes = lanes.baseAddress else { return }
        for constant in roundConstants {
            mixColumns(lanes)
            rotateAndMove(lanes)
            mixRows(lanes)
            lanes[0] ^= constant
        }
    }

    /// Theta: adds the parities of two neighbouring columns to every lane.
    @inline(__always)
    private static func mixColumns(_ lanes: UnsafeMutablePointer<UInt64>) {
        func parity(_ x: Int) -> UInt64 { lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] }
        let (a, b, c, d, e) = (parity(0), parity(1), parity(2), parity(3), parity(4))
        func add(_ x: Int, _ parity: UInt64) {
            lanes[x] ^= parity
            lanes[x + 5] ^= parity
            lanes[x + 10] ^= parity
            lanes[x + 15] ^= parity
            lanes[x + 20] ^= parity
        }
        add(0, e ^ rotate(b, 1))
        add(1, a ^ rotate(c, 1))
        add(2, b ^ rotate(d, 1))
        add(3, c ^ rotate(e, 1))
        add(4, d ^ rotate(a, 1))
    }

    /// Rho and pi: walks one cycle through the 24 lanes besides the first. The lane (x, y) goes to (y, 2x + 3y), and
    /// step t, counted from 0, turns by (t + 1)(t + 2) / 2 bits; written out, since the numbers are known beforehand.
    @inline(__always)
    private static func rotateAndMove(_ lanes: UnsafeMutablePointer<UInt64>) {
        var carried = lanes[1]
        func move(to lane: Int, _ distance: UInt64) {
            let next = lanes[lane]
            lanes[lane] = rotate(carried, distance)
            carried = next
        }
        move(to: 10, 1)
        move(to: 7, 3)
        move(to: 11, 6)
        move(to: 17, 10)
        move(to: 18, 15)
        move(to: 3, 21)
        move(to: 5, 28)
        move(to: 16, 36)
        move(to: 8, 45)
        move(to: 21, 55)
        move(to: 24, 2)
        move(to: 4, 14)
        move(to: 15, 27)
        move(to: 23, 41)
        move(to: 19, 56)
        move(to: 13, 8)
        move(to: 12, 25)
        move(to: 2, 43)
        move(to: 20, 62)
        move(to: 14, 18)
        move(to: 22, 39)
        move(to: 9, 61)
        move(to: 6, 20)
        move(to: 1, 44)
    }

    /// Chi: the only step that is not linear.
    @inline(__always)
    private static func mixRows(_ lanes: UnsafeMutablePointer<UInt64>) {
        func mix(_ y: Int) {
            let (a, b, c, d, e) = (lanes[y], lanes[y + 1], lanes[y + 2], lanes[y + 3], lanes[y + 4])
            lanes[y] = a ^ (~b & c)
            lanes[y + 1] = b ^ (~c & d)
            lanes[y + 2] = c ^ (~d & e)
            lanes[y + 3] = d ^ (~e & a)
            lanes[y + 4] = e ^ (~a & b)
        }
        mix(0)
        mix(5)
        mix(10)
        mix(15)
        mix(20)
    }

    @inline(__always)
    private static func rotate(_ lane: UInt64, _ distance: UInt64) -> UInt64 {
        lane &<< distance | lane &>> (64 &- distance)
    }

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
