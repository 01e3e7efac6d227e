import PaymentCore

/// A whole number from 0 to 2^256 - 1, kept as the 32 bytes of a word and calculated by hand: slow, plain, and without
/// a line in common with the arithmetic under test.
package struct Amount: Sendable, Hashable, Comparable {
    /// Most significant first.
    package private(set) var bytes = [UInt8](repeating: 0, count: 32)

    package static let zero = Amount()
    package static let largest = Amount(bytes: [UInt8](repeating: 0xFF, count: 32))

    private init() {}

    private init(bytes: [UInt8]) { self.bytes = bytes }

    package init(_ number: UInt64) {
        for index in 0..<8 { bytes[31 - index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
    }

    /// The number whose word ends with `word`; nil if that is longer than 32 bytes.
    package init?(word: [UInt8]) {
        guard word.count <= 32 else { return nil }
        bytes.replaceSubrange((32 - word.count)..., with: word)
    }

    /// The number that any reader might read in `text`: decimal or `0x` digits, in any case, with leading zeros.
    package init?(anyNotation text: String) {
        var digits = Array(text.utf8)[...]
        let isHex = text.lowercased().hasPrefix("0x")
        if isHex { digits = digits.dropFirst(2) }
        guard !digits.isEmpty else { return nil }
        let radix: UInt8 = isHex ? 16 : 10
        for digit in digits {
            guard let value = Hex.value(of: digit), value < radix, multiply(by: radix, adding: value) else {
                return nil
            }
        }
    }

    /// False if the result needs more than 256 bits.
    private mutating func multiply(by factor: UInt8, adding digit: UInt8) -> Bool {
        var carry = UInt16(digit)
        for index in bytes.indices.reversed() {
            carry += UInt16(bytes[index]) * UInt16(factor)
            bytes[index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        return carry == 0
    }

    package static func < (left: Amount, right: Amount) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    /// The sum, or the largest number if it does not fit.
    package static func + (left: Amount, right: Amount) -> Amount {
        var sum = Amount()
        var carry: UInt16 = 0
        for index in (0..<32).reversed() {
            carry += UInt16(left.bytes[index]) + UInt16(right.bytes[index])
            sum.bytes[index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        return carry == 0 ? sum : .largest
    }

    /// The number, if it has 64 bits at most.
    package var uint64: UInt64? {
        bytes.prefix(24).allSatisfy { $0 == 0 } ? bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    package var isZero: Bool { self == .zero }

    /// The decimal digits, by repeated division.
    package var decimalText: String {
        var rest = bytes
        var digits: [UInt8] = []
        while rest.contains(where: { $0 > 0 }) {
            var remainder = 0
            for index in rest.indices {
                let part = remainder << 8 | Int(rest[index])
                rest[index] = UInt8(part / 10)
                remainder = part % 10
            }
            digits.append(UInt8(ascii: "0") + UInt8(remainder))
        }
        return digits.isEmpty ? "0" : String(decoding: digits.reversed(), as: UTF8.self)
    }

    /// The `0x` digits, without leading zeros.
    package var hexText: String {
        let digits = Hex.encode(bytes).drop { $0 == "0" }
        return "0x" + (digits.isEmpty ? "0" : digits)
    }

    /// `12.5` for 1250 with two decimals.
    package func text(decimals: Int) -> String {
        var digits = decimalText
        while digits.count <= decimals { digits = "0" + digits }
        let whole = digits.dropLast(decimals)
        let fraction = String(digits.suffix(decimals))
        let last = fraction.lastIndex { $0 != "0" }
        return last.map { "\(whole).\(fraction[...$0])" } ?? String(whole)
    }
}
