/// A text as people paste it, without the parts around it that belong to no payment text: white space, line ends, the
/// word `IBAN:` before a number.
///
/// Web links and wallet connections stay as they are: what others compare and open may not differ from what is read
/// here, so the scanner refuses white space around them.
struct PastedText {
    /// The text itself.
    let text: String
    /// The number of bytes that stood before it.
    let start: Int

    /// Creates the text of `given`.
    init(_ given: String) {
        var given = given
        guard let body = given.withUTF8({ Self.body(of: $0) }) else {
            (text, start) = (given, 0)
            return
        }
        text = Self.withoutLabel(String(Substring(given.utf8.dropFirst(body.lowerBound).prefix(body.count))))
        start = body.upperBound - text.utf8.count
    }

    /// Returns the place of what stands between white space; nil for a text without any around it, and without a label.
    private static func body(of bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let first = bytes.first else { return nil }
        let mayHaveLabel = first | 0x20 == UInt8(ascii: "i")
        // Most texts begin and end with a visible character.
        guard mayHaveLabel || !isVisible(first) || !isVisible(bytes[bytes.count - 1]) else { return nil }
        var (start, end) = (0, bytes.count)
        while start < end, let width = space(in: bytes, at: start) { start += width }
        guard start < end, !isStrict(bytes[start...]) else { return nil }
        let isLineEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
        while let width = space(in: bytes, before: end) { end -= width }
        if bytes[start..<end].contains(where: isLineEnd) {
            // Lines at the end of several are data to some standards.
            end = bytes.count
            while !isLineEnd(bytes[end - 1]), let width = space(in: bytes, before: end) { end -= width }
        }
        return start == 0 && end == bytes.count && !mayHaveLabel ? nil : start..<end
    }

    private static func isVisible(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }

    /// Returns the number of bytes of the white space at `index`; nil where it is none.
    private static func space(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        guard bytes[index] >= 0x80 else { return bytes[index] == 0x20 || bytes[index] &- 0x09 < 5 ? 1 : nil }
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
        return scalar.flatMap { isSpace($0) ? UTF8.width($0) : nil }
    }

    /// Returns the number of bytes of the white space before `end`; nil where it is none.
    private static func space(in bytes: UnsafeBufferPointer<UInt8>, before end: Int) -> Int? {
        var index = end - 1
        while index > 0, bytes[index] & 0xC0 == 0x80 { index -= 1 }
        return space(in: bytes, at: index)
    }

    /// White space of any kind. U+0085 is a control character to terminals.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace && scalar.value != 0x85
    }

    /// True for a web link or a wallet connection, in any case and encoding.
    private static func isStrict(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        ["http", "wc:", "wc%"].contains { (word: StaticString) in
            let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            return text.count >= word.count && zip(text, word).allSatisfy { $0.lowercasedASCII == $1 }
        }
    }

    /// Returns the number behind `IBAN` or `IBAN:`; a text of another kind as it is.
    private static func withoutLabel(_ text: String) -> String {
        guard let first = text.utf8.first, first | 0x20 == UInt8(ascii: "i"),
            text.utf8.prefix(4).map(\.lowercasedASCII).elementsEqual("iban".utf8)
        else { return text }
        let label = text.unicodeScalars.dropFirst(4)
        let number = Substring(label.drop { $0 == ":" || $0 == "." || isSpace($0) })
        let start = Array(number.utf8.prefix(4))
        guard number.startIndex > label.startIndex, number.utf8.count >= 15,
            start[..<2].allSatisfy(\.isASCIILetter), start[2...].allSatisfy(\.isASCIIDigit),
            number.unicodeScalars.allSatisfy(isOfNumber)
        else { return text }
        return String(number)
    }

    /// True for ASCII letters and digits, and spaces within a line.
    private static func isOfNumber(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else {
            let byte = UInt8(scalar.value)
            return byte.isASCIILetter || byte.isASCIIDigit || byte == 0x20
        }
        return isSpace(scalar) && scalar != "\u{2028}" && scalar != "\u{2029}"
    }

    /// Returns `text`, a number in groups, with plain spaces for all others, as banking apps show them (U+00A0, U+202F,
    /// U+2009); nil for a text of another kind or without such spaces.
    static func withPlainSpaces(_ text: String) -> String? {
        guard text.unicodeScalars.allSatisfy(isOfNumber) else { return nil }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : " " }))
    }

    // MARK: Spaces inside

    /// Schemes whose printed codes have plain spaces in their parameters, where `%20` is meant.
    private static let spacedSchemes = ["upi", "phonepe", "paytmmp", "tez", "gpay", "bhim", "credpay"]

    /// Returns `text` with `%20` for each space of its query; nil for another scheme, or where there is none.
    static func withEncodedSpaces(_ text: String) -> String? {
        let utf8 = text.utf8
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")), let colon = utf8.firstIndex(of: UInt8(ascii: ":")),
            spacedSchemes.contains(String(decoding: utf8[..<colon].map(\.lowercasedASCII), as: UTF8.self)),
            utf8[mark...].contains(UInt8(ascii: " "))
        else { return nil }
        return text[..<mark]
            + text[mark...].split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    }
}
