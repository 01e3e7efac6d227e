import PaymentCore

/// How a standard writes amounts. ASCII digits only, always: `٣`, `１` and `½` are digits to Unicode, not to payments.
struct DecimalRules {
    /// The mark between whole and fraction.
    var mark: UInt8 = UInt8(ascii: ".")
    /// The most digits behind the mark; nil for any number.
    var fractionDigits: Int?
    /// The most digits before the mark; nil for any number.
    var wholeDigits: Int?
    /// Whether a mark needs a digit behind it (`1.` is refused).
    var needsFraction = true
    /// Whether leading zeros are allowed (`00.10`).
    var allowsLeadingZeros = true
    /// Whether zero is an amount.
    var allowsZero = true
}

/// An amount as a text has it: digits, never a binary fraction.
struct DecimalText: Sendable, Hashable {
    /// The digits as written, with a point for the mark.
    let text: String
    /// The digits before the mark, without leading zeros.
    private let whole: [UInt8]
    /// The digits behind it.
    private let fraction: [UInt8]

    /// Reads `part`, which the standard calls `name`.
    ///
    /// - Throws: ``StandardDefect``, at the first character that cannot stand there.
    init(_ part: TextPart, _ name: String, _ rules: DecimalRules) throws(StandardDefect) {
        let bytes = part.bytes
        guard !bytes.isEmpty else { throw part.defect(.missing, name, "is empty; write digits") }
        let mark = bytes.firstIndex(of: rules.mark)
        let whole = bytes[..<(mark ?? bytes.endIndex)]
        let fraction = mark.map { bytes[($0 + 1)...] } ?? []
        let markText = String(Character(Unicode.Scalar(rules.mark)))
        let isDigitOrMark = { (index: Int) in bytes[index].isASCIIDigit || index == mark }
        guard let stray = bytes.indices.first(where: { !isDigitOrMark($0) }) else {
            guard !whole.isEmpty, mark == nil || !fraction.isEmpty || !rules.needsFraction else {
                throw part.defect(.malformed, name, "needs a digit on both sides of the \(markText)")
            }
            if let most = rules.fractionDigits, fraction.count > most {
                throw StandardDefect(
                    .range, name, at: part.place(fraction.startIndex),
                    most == 0
                        ? "must be a whole number" : "has more than \(most) digits behind the \(markText)")
            }
            if let most = rules.wholeDigits, whole.count > most {
                throw part.defect(.range, name, "has more than \(most) digits before the \(markText)")
            }
            if !rules.allowsLeadingZeros, whole.count > 1, whole.first == UInt8(ascii: "0") {
                throw part.defect(.malformed, name, "begins with a needless zero")
            }
            self.whole = Array(whole.drop { $0 == UInt8(ascii: "0") })
            self.fraction = Array(fraction)
            var written = String(decoding: whole, as: UTF8.self)
            if mark != nil { written += "." + String(decoding: fraction, as: UTF8.self) }
            text = written
            if !rules.allowsZero, isZero { throw part.defect(.range, name, "must be more than zero") }
            return
        }
        throw StandardDefect(
            .malformed, name, at: part.place(stray),
            "may hold only the digits 0 to 9 and one \(markText): no sign, exponent or grouping")
    }

    /// Whether it is nothing.
    var isZero: Bool { whole.isEmpty && fraction.allSatisfy { $0 == UInt8(ascii: "0") } }

    /// How many digits stand behind the mark.
    var fractionCount: Int { fraction.count }

    /// The amount in units of which `exponent` decimal digits make one: satoshi for 8. Nil when there are more digits
    /// than that, or more than 38 in all.
    func units(exponent: Int) -> UInt128? {
        guard fraction.count <= exponent, whole.count + exponent <= 38 else { return nil }
        var value: UInt128 = 0
        for digit in whole { value = value * 10 + UInt128(digit - 0x30) }
        for digit in fraction { value = value * 10 + UInt128(digit - 0x30) }
        for _ in fraction.count..<exponent { value *= 10 }
        return value
    }

    /// The amount in `currency`; nil when it has more digits than the currency.
    func money(_ currency: Currency, exponent: UInt8? = nil) -> Money? {
        guard let exponent = exponent ?? currency.exponent, let units = units(exponent: Int(exponent)) else {
            return nil
        }
        return try? Money(minorUnits: units, currency: currency, exponent: exponent)
    }

    /// The amount in a currency of ISO 4217, or its digits where the code is unknown or has fewer decimals.
    func amount(iso code: String) -> PaymentInstruction.Amount { .init(text, iso: code) }
}
