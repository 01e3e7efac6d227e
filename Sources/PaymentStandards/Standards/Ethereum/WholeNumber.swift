import PaymentCore

/// A whole number up to 2²⁵⁶ − 1 that a link may write with a fraction and an exponent: `2.014e18`. Source: ERC-681.
enum WholeNumber {
    /// The digits of 2²⁵⁶ − 1.
    private static let maximum = Array(
        "115792089237316195423570985008687907853269984665640564039457584007913129639935".utf8)

    /// Returns the digits of `part`, which the standard calls `name`, without leading zeros.
    ///
    /// - Throws: ``StandardDefect`` for anything but a number that is whole and in range. Nothing is allocated for
    ///   large exponents before they are refused.
    static func digits(_ part: TextPart, _ name: String) throws(StandardDefect) -> String {
        let unsigned = part.bytes.first == UInt8(ascii: "+") ? part.dropFirst(1) : part
        let mark = unsigned.bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = mark.map { unsigned[unsigned.bytes.startIndex..<$0] } ?? unsigned
        let decimal = try DecimalText(mantissa, name, DecimalRules())
        var shift = 0
        if let mark {
            let exponent = unsigned[mark + 1..<unsigned.bytes.endIndex]
            guard exponent.isDigits else {
                throw exponent.defect(.malformed, name, "needs digits behind its e; write a whole number")
            }
            let significant = exponent.bytes.drop { $0 == UInt8(ascii: "0") }
            guard significant.count <= 2 else { throw tooLarge(exponent, name) }
            shift = significant.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard shift <= 78 else { throw tooLarge(exponent, name) }
        }
        let (whole, fraction) = TextPart(decoded: decimal.text, at: part.offset).cut(at: ".")
        let behind = Array(fraction?.bytes ?? [])
        guard behind.dropFirst(shift).allSatisfy({ $0 == UInt8(ascii: "0") }) else {
            throw part.defect(.range, name, "must be a whole number of the smallest unit")
        }
        let digits =
            Array(whole.bytes) + behind.prefix(shift)
            + [UInt8](repeating: UInt8(ascii: "0"), count: max(0, shift - behind.count))
        let number = Array(digits.drop { $0 == UInt8(ascii: "0") })
        guard
            number.count < maximum.count || number.count == maximum.count && !maximum.lexicographicallyPrecedes(number)
        else { throw tooLarge(part, name) }
        return number.isEmpty ? "0" : String(decoding: number, as: UTF8.self)
    }

    private static func tooLarge(_ part: TextPart, _ name: String) -> StandardDefect {
        part.defect(.range, name, "is more than 2^256 - 1, the largest there is")
    }
}
