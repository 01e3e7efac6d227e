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
    package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
