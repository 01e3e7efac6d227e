extension UInt8 {
    /// The lower-case form of an ASCII letter; every other byte unchanged.
    @inlinable
    package var lowercasedASCII: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }

    /// True if the byte is an ASCII letter.
    @inlinable
    package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// True if the byte is an ASCII digit.
    @inlinable
    package var isASCIIDigit: Bool { self &- 0x30 < 10 }
}

extension StringProtocol {
    /// Returns true if both texts are equal when ASCII letters compare without regard to case.
    @inlinable
    package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension Unicode.Scalar {
    /// True for an invisible character beyond ASCII: of no width, turning the direction of the text, or a space. Signs
    /// that only choose the look of the character before them do not count.
    package var isInvisible: Bool {
        guard value >= 0x80, !(0xFE00...0xFE0F ~= value) else { return false }
        return properties.isDefaultIgnorableCodePoint || properties.isWhitespace && value != 0x85
    }

    /// The code point and its name for people: `U+200B (zero width space)`.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        return "U+\(padded)" + (properties.name.map { " (\($0.lowercased()))" } ?? "")
    }
}

/// Hexadecimal text.
package enum Hex {
    package static let digits = Array("0123456789abcdef".utf8)

    /// Returns lower-case digits, two per byte, without a prefix.
    ///
    /// - Parameter bytes: the bytes to write.
    @inlinable
    package static func encode(_ bytes: some Sequence<UInt8>) -> String { digits(of: Array(bytes)) }

    @usableFromInline
    static func digits(of bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text.initializeElement(at: 2 * index, to: digit(byte >> 4))
                text.initializeElement(at: 2 * index + 1, to: digit(byte & 15))
            }
            return bytes.count * 2
        }
    }

    /// The lower-case digit of a value below 16.
    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x57 }

    /// Returns the bytes that `text` spells, with or without the prefix `0x`; nil when a digit is wrong or one is
    /// missing.
    ///
    /// - Parameter text: digits, in any case.
    @inlinable
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { bytes(of: Array(text.utf8)[...]) }

    /// Returns the bytes that a text's bytes spell; see ``decode(_:)``.
    @usableFromInline
    package static func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits = text
        if digits.count >= 2, digits[digits.startIndex] == UInt8(ascii: "0"),
            digits[digits.startIndex + 1] | 0x20 == UInt8(ascii: "x")
        {
            digits = digits.dropFirst(2)
        }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the value of one hexadecimal digit.
    ///
    /// - Parameter digit: an ASCII character.
    /// - Returns: 0 to 15; nil for anything else.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
