import PaymentCore

/// A whole number of any size, in one of the notations that wallets send: a JSON integer, decimal text, or `0x` and
/// hexadecimal digits, odd in number or not; each may begin with a minus sign.
struct TypedDataInteger {
    private let isNegative: Bool
    private let digits: [UInt8]
    private let radix: Int

    /// Reads `value`; nil when it is in no such notation: fractions, exponents, blanks, a plus sign.
    init?(_ value: JSONValue) {
        guard let text = value.string ?? value.number?.text else { return nil }
        var rest = Array(text.utf8)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        radix = rest.starts(with: "0x".utf8) ? 16 : 10
        if radix == 16 { rest.removeFirst(2) }
        guard !rest.isEmpty else { return nil }
        var digits: [UInt8] = []
        for byte in rest {
            guard let digit = Hex.value(of: byte), digit < radix else { return nil }
            digits.append(digit)
        }
        self.digits = Array(digits.drop { $0 == 0 })
    }

    /// The number in 32 bytes, big-endian, negative ones in two's complement; nil when it does not fit `bits`.
    func word(bits: Int, signed: Bool) -> [UInt8]? {
        guard var word = magnitude() else { return nil }
        let negative = isNegative && !digits.isEmpty
        if negative {
            guard signed else { return nil }
            Self.negate(&word)
        }
        // Everything above the type's width must repeat the sign.
        let fill: UInt8 = negative ? 0xFF : 0
        let first = 32 - bits / 8
        guard word[..<first].allSatisfy({ $0 == fill }) else { return nil }
        guard !signed || word[first] & 0x80 == fill & 0x80 else { return nil }
        return word
    }

    /// The absolute value in 32 bytes; nil when it needs more.
    private func magnitude() -> [UInt8]? {
        // 2^256 has 78 decimal digits.
        guard digits.count <= 78 else { return nil }
        var word = [UInt8](repeating: 0, count: 32)
        for digit in digits {
            var carry = Int(digit)
            for index in word.indices.reversed() {
                carry += Int(word[index]) * radix
                word[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            guard carry == 0 else { return nil }
        }
        return word
    }

    private static func negate(_ word: inout [UInt8]) {
        var carry = 1
        for index in word.indices.reversed() {
            carry += Int(~word[index])
            word[index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
    }
}
