import PaymentCore

/// One object of EMVCo's merchant-presented codes: two digits of id, two of length, a value.
struct TagLengthValue: Sendable, Hashable {
    /// The two digits.
    let tag: String
    /// The value.
    let value: TextPart
    /// The place where the object begins.
    let offset: Int

    /// Reads all objects of `text`. Lengths count characters (Unicode scalars), as in the vectors.
    ///
    /// - Parameter countsBytes: True if lengths count bytes, as some generators do, against the specification.
    /// - Throws: ``StandardDefect`` where a tag or length is not two digits, a value is truncated or a tag occurs
    ///   twice.
    static func all(
        in text: TextPart, _ name: String, countsBytes: Bool = false
    ) throws(StandardDefect) -> [TagLengthValue] {
        var objects: [TagLengthValue] = []
        var seen: UInt128 = 0
        let bytes = text.bytes
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard let tag = number(bytes, at: index) else {
                throw StandardDefect(.malformed, name, at: text.place(index), "a tag of two digits must stand here")
            }
            guard let length = number(bytes, at: index + 2) else {
                throw StandardDefect(
                    .malformed, "\(name) \(two(tag))", at: text.place(index + 2),
                    "a length of two digits must stand here")
            }
            guard seen & 1 << UInt128(tag) == 0 else {
                throw StandardDefect(
                    .duplicate, "\(name) \(two(tag))", at: text.place(index), "stands twice; one counts")
            }
            seen |= 1 << UInt128(tag)
            var end = index + 4
            for _ in 0..<length {
                guard end < bytes.endIndex else {
                    throw StandardDefect(
                        .length, "\(name) \(two(tag))", at: text.place(index),
                        "says \(length) characters, but the text ends before; scan it again")
                }
                end += 1
                while !countsBytes, end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end += 1 }
            }
            objects.append(
                TagLengthValue(tag: two(tag), value: text[index + 4..<end], offset: text.place(index)))
            index = end
        }
        return objects
    }

    private static func number(_ bytes: ArraySlice<UInt8>, at index: Int) -> Int? {
        guard index + 1 < bytes.endIndex, bytes[index].isASCIIDigit, bytes[index + 1].isASCIIDigit else { return nil }
        return Int(bytes[index] - 0x30) * 10 + Int(bytes[index + 1] - 0x30)
    }

    private static func two(_ number: Int) -> String { twos[number] }

    /// The tags, 00 to 99.
    private static let twos = (0..<100).map { $0 < 10 ? "0\($0)" : String($0) }
}
