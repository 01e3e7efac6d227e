import PaymentCore

/// A part of a payment text that knows its place in the text. Every defect can state the place.
///
/// The indices of ``bytes`` are offsets in the link's text. A decoded part has no such indices. Its place is the
/// beginning of the encoded part.
struct TextPart: Sendable, Hashable {
    let bytes: ArraySlice<UInt8>
    /// The place of a decoded part; nil for one whose indices are its place.
    private let origin: Int?

    /// The whole text of `link`.
    init(_ link: borrowing PaymentLink) { self.init(bytes: Array(link.text.utf8)[...]) }

    /// Creates a part whose indices are its place.
    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        origin = nil
    }

    /// Creates the decoded form of a part at `offset`.
    init(decoded text: String, at offset: Int) {
        bytes = Array(text.utf8)[...]
        origin = offset
    }

    private init(_ bytes: ArraySlice<UInt8>, _ origin: Int?) {
        self.bytes = bytes
        self.origin = origin
    }

    /// The place of its beginning.
    var offset: Int { origin ?? bytes.startIndex }
    /// The place of its end.
    var end: Int { origin ?? bytes.endIndex }
    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The number of characters (Unicode scalars). Payment standards count those, not grapheme clusters.
    var scalarCount: Int { bytes.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 } }

    /// Returns the place of the byte at `index` of ``bytes``.
    func place(_ index: Int) -> Int { origin ?? index }

    /// Returns the bytes in `range` of ``bytes``' indices.
    subscript(_ range: Range<Int>) -> TextPart { TextPart(bytes[range], origin) }

    /// Returns the part without its first `count` bytes.
    func dropFirst(_ count: Int) -> TextPart { TextPart(bytes.dropFirst(count), origin) }
    /// Returns the part without its last `count` bytes.
    func dropLast(_ count: Int) -> TextPart { TextPart(bytes.dropLast(count), origin) }
    /// Returns the first `count` bytes.
    func prefix(_ count: Int) -> TextPart { TextPart(bytes.prefix(count), origin) }
    /// Returns the last `count` bytes.
    func suffix(_ count: Int) -> TextPart { TextPart(bytes.suffix(count), origin) }

    /// The part without spaces and line ends at its end. Pasted codes often have them.
    var trimmed: TextPart {
        var end = bytes.endIndex
        while end > bytes.startIndex, bytes[end - 1].isSpaceOrLineEnd { end -= 1 }
        return end == bytes.endIndex ? self : self[bytes.startIndex..<end]
    }

    /// Returns the index in ``bytes`` of the first `mark`, an ASCII character, at or after `start`.
    func firstIndex(of mark: Unicode.Scalar, from start: Int? = nil) -> Int? {
        let skipped = (start ?? bytes.startIndex) - bytes.startIndex
        return bytes.withUnsafeBufferPointer { bytes in
            ByteSearch.first(UInt8(ascii: mark), in: UnsafeBufferPointer(rebasing: bytes[skipped...]))
        }.map { bytes.startIndex + skipped + $0 }
    }

    /// Returns the text before the first `mark`, and the text after it; nil for the latter if there is no mark.
    func cut(at mark: Unicode.Scalar) -> (head: TextPart, tail: TextPart?) {
        guard let index = firstIndex(of: mark) else { return (self, nil) }
        return (self[bytes.startIndex..<index], self[index + 1..<bytes.endIndex])
    }

    /// The text before the first line end.
    var firstLine: TextPart {
        bytes.firstIndex { $0 == 0x0A || $0 == 0x0D }.map { self[bytes.startIndex..<$0] } ?? self
    }

    /// Returns all parts between `mark`s, empty ones too.
    func split(at mark: Unicode.Scalar) -> [TextPart] {
        var parts: [TextPart] = []
        parts.reserveCapacity(4)
        var rest: TextPart? = self
        while let part = rest {
            let (head, tail) = part.cut(at: mark)
            parts.append(head)
            rest = tail
        }
        return parts
    }

    /// Returns true if it is exactly `text`.
    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

    /// Returns true if it begins with `text`, in the same case.
    func starts(with text: StaticString) -> Bool { starts(with: text) { $0 } }

    /// Returns true if it begins with `text`, which is in lower case, in any ASCII case.
    func startsIgnoringCase(_ text: StaticString) -> Bool { starts(with: text) { $0.lowercasedASCII } }

    @inline(__always)
    private func starts(with text: StaticString, _ folded: (UInt8) -> UInt8) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes.count >= wanted.count else { return false }
        return bytes.withUnsafeBufferPointer { own in
            for index in wanted.indices where folded(own[index]) != wanted[index] { return false }
            return true
        }
    }

    /// The text with ASCII letters in lower case.
    var lowercased: String {
        guard bytes.contains(where: { $0 &- 0x41 < 26 }) else { return text }
        return String(unsafeUninitializedCapacity: bytes.count) { text in
            for (index, byte) in bytes.enumerated() { text.initializeElement(at: index, to: byte.lowercasedASCII) }
            return bytes.count
        }
    }

    /// True if it has a byte, and only digits.
    var isDigits: Bool { !bytes.isEmpty && bytes.allSatisfy(\.isASCIIDigit) }
}

extension TextPart {
    /// Returns a defect of this part.
    func defect(_ kind: StandardDefect.Kind, _ name: String, _ advice: String) -> StandardDefect {
        StandardDefect(kind, name, at: offset, advice)
    }

    /// Percent-decodes it.
    ///
    /// - Throws: ``StandardDefect`` of kind `encoding`, at the broken escape if there is one.
    func decoded(_ name: String, plusIsSpace: Bool = false) throws(StandardDefect) -> TextPart {
        guard firstIndex(of: "%") != nil || plusIsSpace && firstIndex(of: "+") != nil else { return self }
        let decoded = PercentCoding.bytes(of: bytes, plusIsSpace: plusIsSpace)
        guard let decoded, Self.isUTF8(decoded) else {
            let isEscape = { (index: Int) in
                index + 2 < bytes.endIndex && Hex.value(of: bytes[index + 1]) != nil
                    && Hex.value(of: bytes[index + 2]) != nil
            }
            let broken = bytes.indices.first { bytes[$0] == UInt8(ascii: "%") && !isEscape($0) }
            throw StandardDefect(
                .encoding, name, at: place(broken ?? bytes.startIndex),
                broken == nil
                    ? "its percent-encoding is not UTF-8 text; encode the text as UTF-8"
                    : "has a % that two hexadecimal digits must follow; write a plain % as %25")
        }
        return TextPart(decoded[...], offset)
    }

    /// The text, decoded if possible.
    var leniently: String { firstIndex(of: "%") != nil ? PercentCoding.decodeLeniently(text) : text }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }

    /// Throws if a `&` begins parameters after an address, in place of the `?`.
    func checkQueryMark() throws(StandardDefect) {
        let (head, tail) = cut(at: "&")
        guard let tail, !head.isEmpty, !head.bytes.contains(UInt8(ascii: "?")), tail.bytes.contains(UInt8(ascii: "="))
        else { return }
        throw StandardDefect(
            .malformed, "parameters", at: place(head.bytes.endIndex),
            "must begin with ? behind the address, not with &; ask for the link again, or write ? there")
    }

    /// Returns the part, which must have at most `maximum` characters.
    func limited(to maximum: Int, _ name: @autoclosure () -> String) throws(StandardDefect) -> TextPart {
        // A text has at least as many bytes as characters.
        guard count <= maximum || scalarCount <= maximum else {
            throw defect(.length, name(), "has more than \(maximum) characters; shorten it")
        }
        return self
    }
}

extension UInt8 {
    /// True if it is a space, a tab or a line end. Pasted codes often end with them.
    var isSpaceOrLineEnd: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
