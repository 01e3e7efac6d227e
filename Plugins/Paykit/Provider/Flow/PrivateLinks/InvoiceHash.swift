import PaymentCore

/// The payment hash in a Lightning invoice (BOLT 11, "Tagged Fields"), which the preimage of its payment has to match.
///
/// It is read without checking signature and checksum: an invoice is checked before it is paid, and a corrupted one
/// cannot be paid.
package enum InvoiceHash {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    /// The length of the time, in groups of five bits.
    private static let timeLength = 7
    /// The length of signature and checksum, likewise.
    private static let endLength = 104 + 6

    /// Returns the hash in hexadecimal; nil where the text is no invoice, or has none.
    package static func read(_ text: String) -> String? {
        let text = text.lowercased()
        guard text.hasPrefix("ln"), let separator = text.utf8.lastIndex(of: UInt8(ascii: "1")) else { return nil }
        var groups: [UInt8] = []
        for byte in text.utf8[text.utf8.index(after: separator)...] {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            groups.append(UInt8(value))
        }
        guard groups.count >= timeLength + endLength else { return nil }
        var fields = groups[timeLength..<groups.count - endLength]
        while let tag = fields.popFirst() {
            guard let high = fields.popFirst(), let low = fields.popFirst() else { return nil }
            let length = Int(high) * 32 + Int(low)
            guard fields.count >= length else { return nil }
            let field = fields.prefix(length)
            fields = fields.dropFirst(length)
            // A hash of another length is skipped; of several the first counts.
            if tag == 1, length == 52 { return Hex.encode(bytes(field)) }
        }
        return nil
    }

    /// Returns the 32 bytes in 52 groups of five bits, without the four spare bits.
    private static func bytes(_ groups: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var (rest, count) = (0, 0)
        for group in groups {
            rest = (rest << 5 | Int(group)) & 0xFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(rest >> count & 0xFF))
            }
        }
        return bytes
    }
}
