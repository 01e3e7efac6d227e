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
        // Most texts begin and end with a visible character, and with no label.
        var text = given
        let isBare = text.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return true }
            return Self.isVisible(first) && Self.isVisible(last) && first | 0x20 != UInt8(ascii: "i")
        }
        guard !isBare else {
            self.init(unchanged: given)
            return
        }
        let scalars = given.unicodeScalars
        let rest = Substring(scalars.drop(while: Self.isSpace))
        guard !rest.isEmpty, !Self.isStrict(rest) else {
            self.init(unchanged: given)
            return
        }
        let isLineEnd = { (scalar: Unicode.Scalar) in scalar == "\n" || scalar == "\r" }
        var body = rest.unicodeScalars
        while let scalar = body.last, Self.isSpace(scalar) { body.removeLast() }
        if body.contains(where: isLineEnd) {
            // Lines at the end of several are data to some standards.
            body = rest.unicodeScalars
            while let scalar = body.last, Self.isSpace(scalar), !isLineEnd(scalar) { body.removeLast() }
        }
        self.init(String(Substring(body)), given.utf8.count - rest.utf8.count)
    }

    private init(_ trimmed: String, _ start: Int) {
        let number = Self.withoutLabel(trimmed)
        text = number
        self.start = start + trimmed.utf8.count - number.utf8.count
    }

    private init(unchanged text: String) {
        self.text = text
        start = 0
    }

    private static func isVisible(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }

    /// White space of any kind. U+0085 is a control character to terminals.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace && scalar.value != 0x85
    }

    /// True for a web link or a wallet connection, in any case and encoding.
    private static func isStrict(_ text: Substring) -> Bool {
        ["http", "wc:", "wc%"].contains {
            text.utf8.prefix($0.utf8.count).map(\.lowercasedASCII).elementsEqual($0.utf8)
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
