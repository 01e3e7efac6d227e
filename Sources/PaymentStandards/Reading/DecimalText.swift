import PaymentCore

/// The rules by which a standard writes amounts. ASCII digits only, always: `٣`, `１` and `½` are digits to Unicode, not
/// to payments.
struct DecimalRules {
    /// The mark between whole and fraction.
    var mark: UInt8 = UInt8(ascii: ".")
    /// The most digits behind the mark; nil for any number.
    var fractionDigits: Int?
    /// The most digits before the mark; nil for any number.
    var wholeDigits: Int?
    /// True if a mark needs a digit behind it (`1.` is refused).
    var needsFraction = true
    /// True if leading zeros are allowed (`00.10`).
    var allowsLeadingZeros = true
    /// True if zero is an amount.
    var allowsZero = true

    /// The mark, for people.
    fileprivate var markText: String { "'\(Character(Unicode.Scalar(mark)))'" }
}

/// An amount in a text: digits, never a binary fraction.
struct DecimalText: Sendable, Hashable {
    /// The digits as written, with a point for the mark.
    let text: String
    /// The number of digits before the mark, without leading zeros.
    private let wholeCount: Int
    /// The number of digits behind the mark.
    let fractionCount: Int
    /// All digits as one number; not valid where they are more than 38.
    private let digits: UInt128
    /// True if it is zero.
    let isZero: Bool

    /// Reads `part`, which the standard calls `name`.
    ///
    /// - Throws: ``StandardDefect``, at the first character that is not allowed.
    init(_ part: TextPart, _ name: String, _ rules: DecimalRules) throws(StandardDefect) {
        let bytes = part.bytes
        guard !bytes.isEmpty else { throw part.defect(.missing, name, "is empty; write digits") }
        var mark: Int?
        var firstDigit = bytes.endIndex
        var digits: UInt128 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isASCIIDigit {
                if byte != UInt8(ascii: "0"), firstDigit == bytes.endIndex { firstDigit = index }
                digits = digits &* 10 &+ UInt128(byte - 0x30)
            } else if byte == rules.mark, mark == nil {
                mark = index
            } else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index),
                    "may hold only the digits 0 to 9 and one \(rules.markText): no sign, exponent or grouping")
            }
        }
        let end = mark ?? bytes.endIndex
        fractionCount = mark.map { bytes.endIndex - $0 - 1 } ?? 0
        guard end > bytes.startIndex, mark == nil || fractionCount > 0 || !rules.needsFraction else {
            throw part.defect(.malformed, name, "needs a digit on both sides of the \(rules.markText)")
        }
        if let most = rules.fractionDigits, fractionCount > most {
            throw StandardDefect(
                .range, name, at: part.place(end + 1),
                most == 0 ? "must be a whole number" : "has more than \(most) digits behind the \(rules.markText)")
        }
        if let most = rules.wholeDigits, end - bytes.startIndex > most {
            throw part.defect(.range, name, "has more than \(most) digits before the \(rules.markText)")
        }
        if !rules.allowsLeadingZeros, end - bytes.startIndex > 1, bytes.first == UInt8(ascii: "0") {
            throw part.defect(.malformed, name, "begins with a needless zero")
        }
        wholeCount = max(0, end - firstDigit)
        self.digits = digits
        isZero = firstDigit == bytes.endIndex
        if let mark, rules.mark != UInt8(ascii: ".") {
            text = "\(part[bytes.startIndex..<mark].text).\(part[mark + 1..<bytes.endIndex].text)"
        } else {
            text = part.text
        }
        if !rules.allowsZero, isZero { throw part.defect(.range, name, "must be more than zero") }
    }

    /// Returns the amount in units of which `exponent` decimal digits make one: satoshi for 8. Nil when there are more
    /// digits than that, or more than 38 in all.
    func units(exponent: Int) -> UInt128? {
        guard fractionCount <= exponent, wholeCount + exponent <= 38 else { return nil }
        var value = digits
        for _ in fractionCount..<exponent { value *= 10 }
        return value
    }

    /// Returns the amount in `currency`; nil when it has more digits than the currency.
    func money(_ currency: Currency, exponent: UInt8? = nil) -> Money? {
        guard let exponent = exponent ?? currency.exponent, let units = units(exponent: Int(exponent)) else {
            return nil
        }
        return try? Money(minorUnits: units, currency: currency, exponent: exponent)
    }

    /// Returns the amount in a currency of ISO 4217, or its digits where the code is unknown or has fewer decimals.
    func amount(iso code: String) -> PaymentInstruction.Amount { .init(text, iso: code) }
}
