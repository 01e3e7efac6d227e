/// The one pass over a link's UTF-8. Never traps, whatever the bytes.
enum LinkScanner {
    /// Scans `text`, makes it canonical and returns the places of its parts.
    static func scan(_ text: inout String) throws(LinkDefect) -> LinkLayout {
        switch text.withUTF8({ scan($0) }) {
        case .defect(let defect): throw defect
        case .asIs(let layout): return layout
        case .rewrite(let layout, let changes):
            text = text.withUTF8 { rewrite($0, schemeEnd: Int(layout.schemeEnd), changes) }
            return layout
        case .encoded:
            guard var decoded = PercentCoding.decode(text) else { throw .invalidPercentEncoding }
            let layout = try scan(&decoded)
            text = decoded
            return layout
        }
    }

    private enum Verdict {
        case defect(LinkDefect)
        case asIs(LinkLayout)
        /// Accepted, but not in canonical form.
        case rewrite(LinkLayout, Changes)
        /// A whole URI in percent-encoding, `https%3A%2F%2F…`.
        case encoded
    }

    /// The differences of the canonical form besides the scheme's case.
    private struct Changes {
        /// The host, made lower-case.
        var host: Range<Int>
        /// The part that is left out: a default port with its colon, a repeated scheme, or nothing.
        var dropped: Range<Int>
    }

    private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
        guard let first = bytes.first else { return .defect(.empty) }
        guard bytes.count <= PaymentLink.maximumLength else { return .defect(.tooLong(bytes: bytes.count)) }
        if first == 0x20 || first &- 0x09 < 5 { return .defect(.leadingWhitespace) }
        var isLowercase = true
        let schemeEnd = startsSecureWebLink(bytes) ? 5 : schemeLength(bytes, &isLowercase)
        guard schemeEnd >= 2 else { return text(bytes) }
        if bytes[schemeEnd] == UInt8(ascii: "%") {
            guard isEncodedColon(bytes, at: schemeEnd) else { return text(bytes) }
            return isEncodedThroughout(bytes) ? .encoded : .defect(.invalidPercentEncoding)
        }
        guard bytes[schemeEnd] == UInt8(ascii: ":") else { return text(bytes) }
        return uri(bytes, schemeEnd: schemeEnd, isLowercase: isLowercase)
    }

    // MARK: Scheme and text

    /// True if the text begins with `https://`, the most frequent case, in one comparison.
    private static func startsSecureWebLink(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return false }
        let start = UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self)
        return UInt64(littleEndian: start) == 0x2F2F_3A73_7074_7468
    }

    /// The length of the scheme-like start: letters, digits, `+-.` after a letter; 0 when the text ends with it.
    private static func schemeLength(_ bytes: UnsafeBufferPointer<UInt8>, _ isLowercase: inout Bool) -> Int {
        guard bytes[0].isASCIILetter else { return 0 }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte &- 0x41 < 26 {
                isLowercase = false
            } else if !(byte &- 0x61 < 26 || byte.isASCIIDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E) {
                return index
            }
            index += 1
        }
        return 0
    }

    private static func isEncodedColon(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        bytes.count > index + 2 && bytes[index + 1] == UInt8(ascii: "3") && bytes[index + 2] | 0x20 == UInt8(ascii: "a")
    }

    /// True if only the characters stand bare that an encoder of URI components leaves bare. A link that is encoded in
    /// part would change its meaning by decoding: `…%26pid=…` hides an item that other parsers do not see.
    private static func isEncodedThroughout(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "%-_.~!*'()".utf8.contains($0) }
    }

    /// A text may hold any character but controls; line breaks and tabs structure some QR codes.
    private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
        var (previous, all): (UInt8, UInt8) = (0, 0)
        for offset in ByteSearch.first(in: bytes, from: 0, ByteSearch.notPlain)..<bytes.count {
            let byte = bytes[offset]
            if 0x20...0x7E ~= byte {
                previous = byte
                continue
            }
            // U+0080 to U+009F are control characters too (ECMA-48 C1): terminals obey them.
            let isC1 = previous == 0xC2 && byte < 0xA0
            if isC1 || byte < 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 || byte == 0x7F {
                return .defect(.forbiddenByte(byte, offset: offset))
            }
            previous = byte
            all |= byte
        }
        let end = UInt16(bytes.count)
        return .asIs(LinkLayout(form: .text, isASCII: all < 0x80, pathEnd: end, queryEnd: end))
    }

    // MARK: URI

    private static func uri(
        _ bytes: UnsafeBufferPointer<UInt8>, schemeEnd: Int, isLowercase: Bool
    ) -> Verdict {
        // The ends of path and query; every byte is looked at on the way.
        let pathEnd = ByteSearch.first(in: bytes, from: schemeEnd) {
            ByteSearch.unfit($0) | ByteSearch.equal($0, UInt8(ascii: "?")) | ByteSearch.equal($0, UInt8(ascii: "#"))
        }
        var queryEnd = pathEnd
        if pathEnd < bytes.count, bytes[pathEnd] == UInt8(ascii: "?") {
            queryEnd = ByteSearch.first(in: bytes, from: pathEnd) {
                ByteSearch.unfit($0) | ByteSearch.equal($0, UInt8(ascii: "#"))
            }
        }
        let unfit = queryEnd < bytes.count ? ByteSearch.first(in: bytes, from: queryEnd, ByteSearch.unfit) : queryEnd
        guard unfit == bytes.count else {
            let byte = bytes[unfit]
            guard byte >= 0x80 else { return .defect(.forbiddenByte(byte, offset: unfit)) }
            let scalar = String(decoding: bytes[unfit...].prefix(4), as: UTF8.self).unicodeScalars.first
            if let scalar, scalar.isInvisible { return .defect(.invisible(scalar, offset: unfit)) }
            return .defect(.nonASCII(offset: unfit))
        }

        var layout = LinkLayout(form: .opaque, schemeEnd: UInt16(schemeEnd))
        layout.webScheme = webScheme(bytes, schemeEnd)
        let isWeb = layout.webScheme != .none
        var needsRewrite = !isLowercase
        var pathStart = CanonicalText.payloadStart(bytes, schemeEnd: schemeEnd)
        let repeated = schemeEnd + 1..<pathStart
        var authority = Authority()
        if repeated.isEmpty, bytes.count > pathStart + 1, bytes[pathStart] == UInt8(ascii: "/"),
            bytes[pathStart + 1] == UInt8(ascii: "/")
        {
            if let defect = authority.read(bytes, from: pathStart + 2, isWeb: isWeb) { return .defect(defect) }
            layout.form = .web
            pathStart = authority.end
            needsRewrite = needsRewrite || !authority.isLowercase
        }
        if isWeb && authority.kind == .none { return .defect(.missingHost) }
        layout.hostKind = authority.kind
        layout.hostStart = UInt16(authority.hostStart)
        layout.hostEnd = UInt16(authority.hostEnd)
        let isDefaultPort = isWeb && authority.port == (layout.webScheme == .https ? 443 : 80)
        layout.port = isDefaultPort ? 0 : authority.port

        // What is dropped shortens everything behind it. Links with a port repeat no scheme.
        let dropped = isDefaultPort ? authority.hostEnd..<authority.end : repeated
        layout.pathStart = UInt16(pathStart - dropped.count)
        layout.pathEnd = UInt16(pathEnd - dropped.count)
        layout.queryEnd = UInt16(queryEnd - dropped.count)
        guard needsRewrite || !dropped.isEmpty else { return .asIs(layout) }
        return .rewrite(layout, Changes(host: authority.hostStart..<authority.hostEnd, dropped: dropped))
    }

    private static func webScheme(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) -> LinkLayout.WebScheme {
        if end == 5, scheme(bytes, equals: "https") { return .https }
        return end == 4 && scheme(bytes, equals: "http") ? .http : .none
    }

    private static func scheme(_ bytes: UnsafeBufferPointer<UInt8>, equals name: StaticString) -> Bool {
        for index in 0..<name.utf8CodeUnitCount where bytes[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }

    private static func rewrite(
        _ bytes: UnsafeBufferPointer<UInt8>, schemeEnd: Int, _ changes: Changes
    ) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { output in
            let kept = output.initialize(fromContentsOf: bytes[..<changes.dropped.lowerBound])
            let end = output[kept...].initialize(fromContentsOf: bytes[changes.dropped.upperBound...])
            for index in 0..<schemeEnd { output[index] = output[index].lowercasedASCII }
            for index in changes.host { output[index] = output[index].lowercasedASCII }
            return end
        }
    }
}
