import PaymentCore

/// A whole number from 0 to 2^256 - 1: the content of a word of the EVM.
struct UInt256: Sendable, Hashable, Comparable {
    let high: UInt128
    let low: UInt128

    static let max = UInt256(high: .max, low: .max)

    init(high: UInt128, low: UInt128) {
        self.high = high
        self.low = low
    }

    init(_ value: UInt128) { self.init(high: 0, low: value) }

    /// Takes digits of `radix` 10 or 16; nil when there are none, one is wrong, or the number needs more bits.
    init?(digits: some Collection<UInt8>, radix: UInt8) {
        guard !digits.isEmpty else { return nil }
        var (high, low): (UInt128, UInt128) = (0, 0)
        for byte in digits {
            guard let digit = Hex.value(of: byte), digit < radix else { return nil }
            let product = low.multipliedFullWidth(by: UInt128(radix))
            let sum = product.low.addingReportingOverflow(UInt128(digit))
            let (upper, tooLarge) = high.multipliedReportingOverflow(by: UInt128(radix))
            // The carry of the lower half is below the radix, so it fits unless the upper half is full.
            let carry = product.high + (sum.overflow ? 1 : 0)
            let (total, overflow) = upper.addingReportingOverflow(carry)
            guard !tooLarge, !overflow else { return nil }
            (high, low) = (total, sum.partialValue)
        }
        self.init(high: high, low: low)
    }

    /// Takes a word, 32 bytes, most significant first; nil for any other number of bytes.
    init?(word: some Collection<UInt8>) {
        guard word.count == 32 else { return nil }
        func half(_ bytes: some Collection<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }
        self.init(high: half(word.prefix(16)), low: half(word.suffix(16)))
    }

    /// The word: 32 bytes, most significant first.
    var word: [UInt8] {
        func bytes(_ half: UInt128) -> [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: half >> (120 - 8 * $0)) } }
        return bytes(high) + bytes(low)
    }

    /// The number, when it is one of 64 bits: a time, a chain.
    var uint64: UInt64? { high == 0 ? UInt64(exactly: low) : nil }

    /// The decimal digits.
    var decimalText: String {
        // Nineteen digits at a time: the largest power of ten in 64 bits.
        let unit: UInt128 = 10_000_000_000_000_000_000
        var (high, low) = (high, low)
        var groups: [String] = []
        while high > 0 || low > 0 {
            let upper = high.quotientAndRemainder(dividingBy: unit)
            let lower = unit.dividingFullWidth((upper.remainder, low))
            (high, low) = (upper.quotient, lower.quotient)
            groups.append(String(lower.remainder))
        }
        guard let first = groups.popLast() else { return "0" }
        return groups.reversed().reduce(first) { $0 + String(repeating: "0", count: 19 - $1.count) + $1 }
    }

    static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}
