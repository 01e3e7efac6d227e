import PaymentCore

extension StringProtocol {
    /// The text without blanks and line breaks around it.
    package var trimmingWhitespace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// Returns true for so many bytes of ASCII letters, digits and `others`.
    package func isWord(_ length: ClosedRange<Int>, _ others: String = "", lowerCase: Bool = false) -> Bool {
        length ~= utf8.count
            && utf8.allSatisfy { byte in
                let isLetter = lowerCase ? UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte : byte.isASCIILetter
                return isLetter || byte.isASCIIDigit || others.utf8.contains(byte)
            }
    }
}
