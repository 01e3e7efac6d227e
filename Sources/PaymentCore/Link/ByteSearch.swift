/// Finds the first byte of some kind, or the first occurrence of a text, eight bytes at a time.
///
/// A test sets the high bit of each matching byte of a word. Carries and borrows may also set it above a match, but
/// never below one, so the lowest mark is always true.
enum ByteSearch {
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

    /// The place of the first occurrence of `text` at or after `start`; nil for an empty text.
    static func range(of text: [UInt8], in bytes: [UInt8], from start: Int) -> Range<Int>? {
        guard let byte = text.first else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            var index = start
            while index + text.count <= bytes.count {
                index = first(in: bytes, from: index) { equal($0, byte) | equal($0, 0) }
                guard index + text.count <= bytes.count else { return nil }
                if bytes[index..<index + text.count].elementsEqual(text) { return index..<index + text.count }
                index += 1
            }
            return nil
        }
    }
}
