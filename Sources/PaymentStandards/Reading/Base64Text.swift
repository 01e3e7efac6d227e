import PaymentCore
import PaymentCrypto

/// Base64 in payment texts: of either alphabet, with or without padding. No standard's readers agree on one form.
enum Base64Text {
    /// Returns the bytes of `part`; nil where it mixes the alphabets, has misplaced padding, an impossible length or
    /// stray bits.
    static func decode(_ part: TextPart) -> [UInt8]? {
        var bytes = part.bytes
        var padding = 0
        while let last = bytes.last, last == UInt8(ascii: "=") {
            bytes = bytes.dropLast()
            padding += 1
        }
        guard padding <= 2, padding == 0 || part.count % 4 == 0 else { return nil }
        var isStandard = false
        var isURL = false
        for byte in bytes {
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") { isStandard = true }
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") { isURL = true }
        }
        guard !(isStandard && isURL) else { return nil }
        guard isStandard else { return Base64URL.bytes(of: bytes) }
        let digits = bytes.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.bytes(of: digits[...])
    }
}
