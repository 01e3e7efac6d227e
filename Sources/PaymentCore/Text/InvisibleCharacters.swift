extension Unicode.Scalar {
    /// True for an invisible character beyond ASCII: of no width, turning the direction of the text, or a space.
    /// Signs that only choose the look of the character before them are none.
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
