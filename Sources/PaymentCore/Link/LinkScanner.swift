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

// MARK: - Authority

/// The authority of a web-style URI: host and port, read strictly.
struct Authority {
    private(set) var hostStart = 0
    private(set) var hostEnd = 0
    /// One past the last byte of the authority.
    private(set) var end = 0
    /// The port as written, 0 when there is none.
    private(set) var port: UInt16 = 0
    private(set) var kind: PaymentLink.HostKind = .none
    private(set) var isLowercase = true

    /// Reads from `start`, just behind the slashes. Only web schemes promise domain names; in the other schemes any
    /// word may stand in place of the host (`upi://pay`), of any length (`monero://4…`).
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isWeb: Bool) -> LinkDefect? {
        hostStart = start
        hostEnd = start
        end = start
        guard start < bytes.count else { return nil }
        let defect =
            bytes[start] == UInt8(ascii: "[") ? readAddressLiteral(bytes) : readName(bytes, isWeb: isWeb)
        if let defect { return defect }
        return readPort(bytes)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private mutating func readName(_ bytes: UnsafeBufferPointer<UInt8>, isWeb: Bool) -> LinkDefect? {
        var index = hostStart
        var labelStart = index
        var labels = 0
        var isInternational = false
        scan: while true {
            // Runs of plain letters and digits are most of a host.
            index = ByteSearch.first(in: bytes, from: index, ByteSearch.notLetterOrDigit)
            let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "/")
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                isLowercase = false
            case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ":"):
                let length = index - labelStart
                if byte != UInt8(ascii: ".") && length == 0 && labels == 0 { break scan }
                guard length > 0, length <= 63 || !isWeb, bytes[labelStart] != UInt8(ascii: "-"),
                    bytes[index - 1] != UInt8(ascii: "-")
                else { return Self.hasUserInformation(bytes, from: index) ?? .invalidHost(offset: labelStart) }
                labels += 1
                isInternational = isInternational || Self.isInternational(bytes, labelStart, length)
                if byte != UInt8(ascii: ".") { break scan }
                labelStart = index + 1
            case UInt8(ascii: "@"):
                return .userInformation(offset: index)
            default:
                return Self.hasUserInformation(bytes, from: index) ?? .invalidHost(offset: index)
            }
            index += 1
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ":"),
            let defect = Self.hasUserInformation(bytes, from: index)
        {
            return defect
        }
        hostEnd = index
        end = index
        guard index > hostStart else { return nil }
        guard index - hostStart <= 253 || !isWeb else { return .invalidHost(offset: hostStart) }
        return classify(bytes, labels: labels, lastLabel: labelStart, isInternational: isInternational, isWeb: isWeb)
    }

    /// Determines the kind of the host. Browsers read a host whose last label is a number as an IPv4 address, in many
    /// spellings (`2130706433`, `0x7f.1`): only the plain dotted form is accepted.
    private mutating func classify(
        _ bytes: UnsafeBufferPointer<UInt8>, labels: Int, lastLabel: Int, isInternational: Bool, isWeb: Bool
    ) -> LinkDefect? {
        let last = bytes[lastLabel..<hostEnd]
        let isNumber =
            bytes[lastLabel].isASCIIDigit
            && (last.allSatisfy(\.isASCIIDigit)
                || (last.count >= 2 && last[lastLabel] == UInt8(ascii: "0")
                    && last[lastLabel + 1] | 0x20 == UInt8(ascii: "x")
                    && last.dropFirst(2).allSatisfy { Hex.value(of: $0) != nil }))
        if isNumber {
            guard AddressText.isDottedQuad(bytes[hostStart..<hostEnd]) else {
                if !isWeb {
                    kind = .singleLabel
                    return nil
                }
                return .invalidHost(offset: lastLabel)
            }
            kind = .address
        } else if isInternational {
            kind = .internationalName
        } else {
            kind = labels == 1 ? .singleLabel : .name
        }
        return nil
    }

    private static func isInternational(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ length: Int) -> Bool {
        length >= 4 && bytes[start] | 0x20 == UInt8(ascii: "x") && bytes[start + 1] | 0x20 == UInt8(ascii: "n")
            && bytes[start + 2] == UInt8(ascii: "-") && bytes[start + 3] == UInt8(ascii: "-")
    }

    /// The defect to report when an `@` follows within the authority.
    private static func hasUserInformation(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> LinkDefect? {
        var index = start
        while index < bytes.count, !endsAuthority(bytes[index]) {
            if bytes[index] == UInt8(ascii: "@") { return .userInformation(offset: index) }
            index += 1
        }
        return nil
    }

    private mutating func readAddressLiteral(_ bytes: UnsafeBufferPointer<UInt8>) -> LinkDefect? {
        var index = hostStart + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
            guard
                Hex.value(of: bytes[index]) != nil || bytes[index] == UInt8(ascii: ":")
                    || bytes[index] == UInt8(ascii: ".")
            else { return .invalidHost(offset: index) }
            if bytes[index] &- 0x41 < 26 { isLowercase = false }
            index += 1
        }
        guard index < bytes.count, AddressText.isIPv6(bytes[hostStart + 1..<index]) else {
            return .invalidHost(offset: hostStart)
        }
        hostEnd = index + 1
        end = hostEnd
        kind = .address
        if end < bytes.count, bytes[end] != UInt8(ascii: ":"), !Self.endsAuthority(bytes[end]) {
            return .invalidHost(offset: end)
        }
        return nil
    }

    private mutating func readPort(_ bytes: UnsafeBufferPointer<UInt8>) -> LinkDefect? {
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return nil }
        var index = end + 1
        let start = index
        var value = 0
        while index < bytes.count, !Self.endsAuthority(bytes[index]) {
            guard bytes[index].isASCIIDigit, value <= 6553 else { return .invalidPort(offset: start) }
            value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index > start, value >= 1, value <= 65535, bytes[start] != UInt8(ascii: "0") else {
            return .invalidPort(offset: start)
        }
        port = UInt16(value)
        end = index
        return nil
    }
}

// MARK: - Search in bytes

/// Finds the first byte of some kind, or the first occurrence of a text, eight bytes at a time.
///
/// A test sets the high bit of each matching byte of a word. Carries and borrows may also set it above a match, but
/// never below one, so the lowest mark is always true.
package enum ByteSearch {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Marks bytes that no URI may hold: everything but printable ASCII, and spaces and backslashes.
    @inline(__always)
    static func unfit(_ word: UInt64) -> UInt64 {
        // From 0x80 up; 0x7F; below 0x21; the backslash.
        word | (word &+ ones) | (word &- ones &* 0x21) | equal(word, UInt8(ascii: "\\"))
    }

    /// Marks bytes that are neither printable ASCII nor a space.
    @inline(__always)
    static func notPlain(_ word: UInt64) -> UInt64 {
        word | (word &+ ones) | (word &- ones &* 0x20)
    }

    /// Marks bytes that are neither lower-case ASCII letters nor digits.
    @inline(__always)
    static func notLetterOrDigit(_ word: UInt64) -> UInt64 {
        // The high bit set in every byte keeps borrows from crossing.
        let high = word | highs
        let letters = (high &- ones &* 0x61) & ~(high &- ones &* 0x7B)
        let digits = (high &- ones &* 0x30) & ~(high &- ones &* 0x3A)
        return word | ~(letters | digits)
    }

    /// Marks bytes that equal `byte`, an ASCII character, and perhaps bytes that are not ASCII.
    @inline(__always)
    static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        (word ^ (ones &* UInt64(byte))) &- ones
    }

    /// The offset of the first byte at or after `start` that `marks` marks, or the number of bytes. `marks` must mark
    /// zeros, among others.
    @inline(__always)
    static func first(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ marks: (UInt64) -> UInt64
    ) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index <= raw.count - 8 {
            let found = marks(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))) & highs
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        guard index < raw.count else { return raw.count }
        // The rest, followed by zeros, which end the search just behind the last byte.
        var rest: UInt64 = 0
        if raw.count >= 8 {
            let last = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self))
            rest = last >> UInt64(8 * (index + 8 - raw.count))
        } else {
            for offset in (index..<raw.count).reversed() { rest = rest << 8 | UInt64(raw[offset]) }
        }
        return index + (marks(rest) & highs).trailingZeroBitCount / 8
    }

    /// The offset of the first `byte`, an ASCII character; nil without one.
    package static func first(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while true {
            // Bytes that are not ASCII, which may be marked too, equal neither.
            index = first(in: bytes, from: index) { (equal($0, byte) | equal($0, 0)) & ~$0 }
            guard index < bytes.count else { return nil }
            if bytes[index] == byte { return index }
            index += 1
        }
    }

    /// The place of the first occurrence of `text` at or after `start`; nil for an empty text.
    ///
    /// - Parameter orEscaped: true to find it also with characters that are escaped as JSON does it (RFC 8259, section 7).
    static func range(of text: [UInt8], in bytes: [UInt8], from start: Int, orEscaped: Bool = false) -> Range<Int>? {
        guard let byte = text.first else { return nil }
        let other = orEscaped ? UInt8(ascii: "\\") : byte
        return bytes.withUnsafeBufferPointer { bytes in
            var index = start
            while index + text.count <= bytes.count {
                index = first(in: bytes, from: index) { equal($0, byte) | equal($0, other) | equal($0, 0) }
                guard index + text.count <= bytes.count else { return nil }
                if bytes[index..<index + text.count].elementsEqual(text) { return index..<index + text.count }
                if orEscaped, let end = end(ofEscaped: text, in: bytes, from: index) { return index..<end }
                index += 1
            }
            return nil
        }
    }

    /// The end of `text` at `start`, where any of its characters may be escaped; nil if it is not there.
    private static func end(ofEscaped text: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var index = start
        for byte in text {
            // The longest that stands for one character is a backslash, `u` and four digits.
            let next = bytes[index...].prefix(6)
            let (value, length) =
                switch (next.first, next.dropFirst().first) {
                case (UInt8(ascii: "\\"), UInt8(ascii: "u")):
                    (UInt8(String(decoding: next.dropFirst(2), as: UTF8.self), radix: 16), next.count)
                case (UInt8(ascii: "\\"), let escaped): (escaped, 2)
                case (let plain, _): (plain, 1)
                }
            guard value == byte else { return nil }
            index += length
        }
        return index
    }
}
