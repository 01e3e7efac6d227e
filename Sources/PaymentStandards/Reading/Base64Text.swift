import PaymentCore
import PaymentCrypto

/// Base64 as payment texts have it: of either alphabet, with or without padding. Which, no standard's readers agree on.
enum Base64Text {
    /// The bytes of `part`; nil where it mixes the alphabets, has misplaced padding, an impossible length or stray bits.
    static func decode(_ part: TextPart) -> [UInt8]? {
        var bytes = part.bytes
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, padding == 0 || bytes.count % 4 == 0 else { return nil }
        bytes = bytes.dropLast(padding)
        let isStandard = bytes.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        let isURL = bytes.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard !(isStandard && isURL) else { return nil }
        let digits = bytes.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.decode(String(decoding: digits, as: UTF8.self))
    }
}
