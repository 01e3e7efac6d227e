/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5), as JOSE writes it.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns the text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for (position, byte) in group.enumerated() { word |= UInt32(byte) << UInt32(16 - 8 * position) }
            for digit in 0...group.count { text.append(alphabet[Int(word >> UInt32(18 - 6 * digit) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of `text`, or nil when it is not strictly of this form: another alphabet, padding, an
    /// impossible length or stray bits at the end.
    @inlinable
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { bytes(of: Array(text.utf8)[...]) }

    /// Returns the same for a text's bytes.
    @usableFromInline
    package static func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            guard let digit = value(of: character) else { return nil }
            word = word << 6 | UInt32(digit)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
                word &= (1 << bits) - 1
            }
        }
        return bits < 6 && word == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
