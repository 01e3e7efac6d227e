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
    /// and capital digits in all others. Nil where they are so already.
    ///
    /// What it returns needs no second call: no escape comes of what was none, so `%%34%31` becomes `%%341`.
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
                    plain += [byte, bytes[index + 1].uppercasedHex, bytes[index + 2].uppercasedHex]
                }
                index += 3
            }
            return plain.elementsEqual(bytes) ? nil : String(decoding: plain, as: UTF8.self)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
    }

    // MARK: Endpoints

    /// Returns the one spelling of an endpoint's text. A text in letters of both cases where its kind has only one is
    /// not sound, and stays as it is.
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
