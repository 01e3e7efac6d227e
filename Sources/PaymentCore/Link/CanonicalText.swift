/// The one spelling of a text that can be written in several ways. ``PaymentLink`` and ``SettlementEndpoint`` hold
/// nothing else, so what is named by them has one name.
///
/// Only differences without a meaning are removed: those of RFC 3986 section 6.2.2, of the schemes that writers of
/// payment links repeat, and of the letters that bech32 and host names do not distinguish. Base58 does distinguish
/// them, and a `+`, a second escape (`%252D`) or another Unicode form of a letter is another text.
enum CanonicalText {
    // MARK: Links

    /// Schemes that some writers put twice before a payload, or with slashes behind them. Neither is a part of the
    /// payload.
    private static let payloadSchemes: [(name: StaticString, ignoresSlashes: Bool)] = [
        ("lightning", true), ("bitcoin", false), ("lnurl", true), ("cashu", true),
    ]

    /// Returns the place where the payload of a URI begins, behind its scheme and all repetitions of it.
    ///
    /// - Parameter schemeEnd: the place of the first colon.
    static func payloadStart(_ bytes: UnsafeBufferPointer<UInt8>, schemeEnd: Int) -> Int {
        var start = schemeEnd + 1
        guard let scheme = payloadSchemes.first(where: { stands($0.name, at: 0, in: bytes, until: schemeEnd) }) else {
            return start
        }
        while true {
            let end = start + schemeEnd
            if end < bytes.count, bytes[end] == UInt8(ascii: ":"),
                stands(scheme.name, at: start, in: bytes, until: end)
            {
                start += schemeEnd + 1
            } else if scheme.ignoresSlashes, start + 1 < bytes.count, bytes[start] == UInt8(ascii: "/"),
                bytes[start + 1] == UInt8(ascii: "/")
            {
                start += 2
            } else {
                return start
            }
        }
    }

    /// Returns true if `name` stands from `start` to `end`, in any case.
    private static func stands(
        _ name: StaticString, at start: Int, in bytes: UnsafeBufferPointer<UInt8>, until end: Int
    ) -> Bool {
        guard name.utf8CodeUnitCount == end - start else { return false }
        return (start..<end).allSatisfy { bytes[$0] | 0x20 == name.utf8Start[$0 - start] }
    }

    /// Returns `text` with the escapes behind `start` in the one form of RFC 3986: none for letters, digits and `-._~`,
    /// and capital digits in all others. Nil if they have it already.
    ///
    /// The result needs no second call: text that was not an escape never becomes one, so `%%34%31` becomes `%%341`.
    static func withoutNeedlessEscapes(_ text: String, from start: Int) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            var index = ByteSearch.first(in: bytes, from: start) {
                ByteSearch.equal($0, UInt8(ascii: "%")) | ByteSearch.equal($0, 0)
            }
            guard index < bytes.count else { return nil }
            var plain = Array(bytes[..<index])
            plain.reserveCapacity(bytes.count)
            // The place of the last percent sign that begins no escape.
            var stray = -3
            func completesStray(_ byte: UInt8) -> Bool {
                guard plain.count - stray <= 2, Hex.value(of: byte) != nil else { return false }
                return plain.count - stray == 1 || Hex.value(of: plain[plain.count - 1]) != nil
            }
            while index < bytes.count {
                let byte = bytes[index]
                guard byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = Hex.value(of: bytes[index + 1]),
                    let low = Hex.value(of: bytes[index + 2])
                else {
                    if byte == UInt8(ascii: "%") { stray = plain.count }
                    plain.append(byte)
                    index += 1
                    continue
                }
                let meant = high << 4 | low
                if isUnreserved(meant), !completesStray(meant) {
                    plain.append(meant)
                } else {
                    plain.append(byte)
                    plain.append(bytes[index + 1].uppercasedHex)
                    plain.append(bytes[index + 2].uppercasedHex)
                }
                index += 3
            }
            let isSame = plain.count == bytes.count && plain.indices.allSatisfy { plain[$0] == bytes[$0] }
            return isSame ? nil : String(decoding: plain, as: UTF8.self)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
    }

    // MARK: Endpoints

    /// Returns the one spelling of an endpoint's text. A text with letters of both cases, of a kind that has only one,
    /// is not sound and stays as it is.
    static func endpoint(_ text: String, _ kind: SettlementEndpoint.Kind) -> String {
        switch kind {
        case .bolt11, .lnurl: bech32(text)
        // BOLT 12 joins the parts of an offer by a plus sign and white space.
        case .bolt12Offer: bech32(String(decoding: text.utf8.filter { !"+ \t\r\n".utf8.contains($0) }, as: UTF8.self))
        case .lightningAddress:
            text.lastIndex(of: "@").map { "\(text[...$0])\(lowercased(text[$0...].dropFirst()))" } ?? text
        case .bitcoinAddress: ["BC1", "TB1", "BCRT1"].contains(where: text.hasPrefix) ? bech32(text) : text
        case .coinAddress: isHexadecimal(text) ? lowercased(text) : text
        default: text
        }
    }

    private static func bech32(_ text: String) -> String {
        text.utf8.contains { 0x61...0x7A ~= $0 } ? text : lowercased(text)
    }

    /// Returns true for an address in hexadecimal digits, whose letters' case is a checksum (EIP-55) or free.
    private static func isHexadecimal(_ text: String) -> Bool {
        text.hasPrefix("0x") && text.utf8.dropFirst(2).allSatisfy { Hex.value(of: $0) != nil }
    }

    private static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self)
    }
}

extension UInt8 {
    /// A hexadecimal digit in its capital form.
    fileprivate var uppercasedHex: UInt8 { isASCIIDigit ? self : self & 0xDF }
}

// MARK: - Pasted texts

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

    /// Returns the number of bytes of the white space at `index`; nil if there is no white space.
    private static func space(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        guard bytes[index] >= 0x80 else { return bytes[index] == 0x20 || bytes[index] &- 0x09 < 5 ? 1 : nil }
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
        return scalar.flatMap { isSpace($0) ? UTF8.width($0) : nil }
    }

    /// Returns the number of bytes of the white space before `end`; nil if there is no white space.
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

    /// Schemes whose printed codes have plain spaces in their parameters instead of `%20`.
    private static let spacedSchemes = ["upi", "phonepe", "paytmmp", "tez", "gpay", "bhim", "credpay"]

    /// Returns `text` with `%20` for each space of its query; nil for another scheme, or if there is no space.
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
