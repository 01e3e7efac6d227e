/// A check whether 32 bytes are a point of the Edwards curve 25519 (RFC 8032 section 5.1.3).
///
/// Neither CryptoKit nor libcrypto reports this before a signature fails; a text that is no key has to be refused when
/// it is read. Only public bytes pass through here, so nothing has to take constant time.
public enum EdwardsPoint {
    /// Returns true if `bytes` can be decompressed to a point: half of all texts of 32 bytes can.
    ///
    /// As the implementations that Pubky is built on do, coordinates above the field's order are reduced, and points of
    /// small order count.
    public static func isValid(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 32 else { return false }
        // -x² + y² = 1 + d·x²·y², so x² = (y² - 1) / (d·y² + 1): a quotient is a square when the product is one.
        let y = FieldElement(bytes)
        let square = y * y
        let product = (square - .one) * (FieldElement.d * square + .one)
        let symbol = product.halfPower
        return symbol == .one || symbol == .zero
    }

    /// The same point on the Montgomery form of the curve, as X25519 takes it (RFC 7748 section 4.1).
    ///
    /// - Parameter bytes: an Ed25519 public key.
    /// - Returns: 32 bytes; nil when `bytes` are no point, or the one that has no counterpart.
    public static func montgomery(_ bytes: [UInt8]) -> [UInt8]? {
        guard isValid(bytes) else { return nil }
        let y = FieldElement(bytes)
        let below = FieldElement.one - y
        guard below != .zero else { return nil }
        return ((FieldElement.one + y) * below.inverse).bytes
    }
}

/// A number modulo 2^255 - 19, kept below 2^256.
private struct FieldElement: Equatable {
    /// 64 bits each, the lowest first.
    private var limbs: (UInt64, UInt64, UInt64, UInt64)

    static let zero = FieldElement((0, 0, 0, 0))
    static let one = FieldElement((1, 0, 0, 0))
    /// The curve's constant, -121665/121666.
    static let d = FieldElement(
        (0x75EB_4DCA_1359_78A3, 0x0070_0A4D_4141_D8AB, 0x8CC7_4079_7779_E898, 0x5203_6CEE_2B6F_FE73))

    private init(_ limbs: (UInt64, UInt64, UInt64, UInt64)) { self.limbs = limbs }

    /// Reads the lower 255 bits of 32 bytes, the lowest byte first.
    init(_ bytes: [UInt8]) {
        func limb(_ index: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[8 * index + $1]) << UInt64(8 * $1) } }
        limbs = (limb(0), limb(1), limb(2), limb(3) & 0x7FFF_FFFF_FFFF_FFFF)
    }

    static func == (left: FieldElement, right: FieldElement) -> Bool { left.canonical == right.canonical }

    /// The four limbs of the number below the modulus.
    private var canonical: [UInt64] {
        var words = [limbs.0, limbs.1, limbs.2, limbs.3]
        // Twice: the number may reach 2^256 - 1, a little above twice the modulus.
        for _ in 0..<2 {
            // It is at or above the modulus just when adding 19 reaches 2^255.
            var sum = words
            var carry: UInt64 = 19
            for index in 0..<4 {
                let (value, overflow) = sum[index].addingReportingOverflow(carry)
                sum[index] = value
                carry = overflow ? 1 : 0
            }
            guard carry == 1 || sum[3] >> 63 == 1 else { break }
            // Below 2^256 and at or above the modulus: the number plus 19 minus 2^255.
            sum[3] &-= 1 << 63
            words = sum
        }
        return words
    }

    static func + (left: FieldElement, right: FieldElement) -> FieldElement {
        let (low, carry) = sum(left.limbs, right.limbs)
        // 2^256 is 38 modulo 2^255 - 19.
        return FieldElement(folding(low, carry * 38))
    }

    static func - (left: FieldElement, right: FieldElement) -> FieldElement {
        let words = right.canonical
        // The modulus minus a number below it is never negative.
        var difference: [UInt64] = [
            0xFFFF_FFFF_FFFF_FFED, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF,
        ]
        var borrow: UInt64 = 0
        for index in 0..<4 {
            let (first, one) = difference[index].subtractingReportingOverflow(words[index])
            let (second, two) = first.subtractingReportingOverflow(borrow)
            difference[index] = second
            borrow = one || two ? 1 : 0
        }
        return left + FieldElement((difference[0], difference[1], difference[2], difference[3]))
    }

    static func * (left: FieldElement, right: FieldElement) -> FieldElement {
        let a = [left.limbs.0, left.limbs.1, left.limbs.2, left.limbs.3]
        let b = [right.limbs.0, right.limbs.1, right.limbs.2, right.limbs.3]
        var product = [UInt64](repeating: 0, count: 8)
        for i in 0..<4 {
            var carry: UInt64 = 0
            for j in 0..<4 {
                let (word, next) = multiply(a[i], b[j], adding: product[i + j], carry: carry)
                product[i + j] = word
                carry = next
            }
            product[i + 4] = carry
        }
        var low = [UInt64](repeating: 0, count: 4)
        var carry: UInt64 = 0
        for index in 0..<4 {
            let (word, next) = multiply(product[index + 4], 38, adding: product[index], carry: carry)
            low[index] = word
            carry = next
        }
        return FieldElement(folding((low[0], low[1], low[2], low[3]), carry * 38))
    }

    /// The 32 bytes of the number below the modulus, the lowest byte first.
    var bytes: [UInt8] {
        canonical.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }

    /// This number to the power of p - 2 = 2^255 - 21: its multiplicative inverse, and zero for zero.
    var inverse: FieldElement {
        var result = FieldElement.one
        // 2^255 - 21 in binary: 250 ones, then 01011.
        for bit in (0..<255).reversed() {
            result = result * result
            if bit != 2, bit != 4 { result = result * self }
        }
        return result
    }

    /// This number to the power of (p - 1) / 2 = 2^254 - 10: one for squares, zero for zero, -1 otherwise.
    var halfPower: FieldElement {
        var result = FieldElement.one
        // 2^254 - 10 in binary: 250 ones, then 0110.
        for bit in (0..<254).reversed() {
            result = result * result
            if bit != 0, bit != 3 { result = result * self }
        }
        return result
    }

    /// Returns `a * b + c + d`, which fits into two words.
    private static func multiply(
        _ a: UInt64, _ b: UInt64, adding c: UInt64, carry d: UInt64
    ) -> (low: UInt64, high: UInt64) {
        let (high, low) = a.multipliedFullWidth(by: b)
        let (first, one) = low.addingReportingOverflow(c)
        let (second, two) = first.addingReportingOverflow(d)
        return (second, high &+ (one ? 1 : 0) &+ (two ? 1 : 0))
    }

    private static func sum(
        _ a: (UInt64, UInt64, UInt64, UInt64), _ b: (UInt64, UInt64, UInt64, UInt64)
    ) -> (low: (UInt64, UInt64, UInt64, UInt64), carry: UInt64) {
        let (w0, c0) = multiply(a.0, 1, adding: b.0, carry: 0)
        let (w1, c1) = multiply(a.1, 1, adding: b.1, carry: c0)
        let (w2, c2) = multiply(a.2, 1, adding: b.2, carry: c1)
        let (w3, c3) = multiply(a.3, 1, adding: b.3, carry: c2)
        return ((w0, w1, w2, w3), c3)
    }

    /// Adds a small number, and its carry once more.
    private static func folding(
        _ limbs: (UInt64, UInt64, UInt64, UInt64), _ small: UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        let (once, carry) = sum(limbs, (small, 0, 0, 0))
        return sum(once, (carry * 38, 0, 0, 0)).low
    }
}
