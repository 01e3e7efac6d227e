package import PaymentCrypto

/// The binary encoding of Pubky's tokens and sessions: Rust's `postcard` 1.x. Lengths and numbers of more than a byte
/// are varints, seven bits a byte, the lowest first.
package enum Postcard {
    package static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// Returns a signed number as a varint: small ones of either sign stay short.
    package static func varint(signed value: Int64) -> [UInt8] {
        varint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    package static func string(_ text: String) -> [UInt8] { varint(UInt64(text.utf8.count)) + text.utf8 }
}

extension ByteReader {
    package mutating func varint() throws(WireDefect) -> UInt64 {
        let start = position
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            // The tenth byte has room for one bit.
            guard shift < 63 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw WireDefect("a number is longer than 64 bits", at: start)
    }

    package mutating func string() throws(WireDefect) -> String {
        let start = position
        let count = try varint()
        guard count <= UInt64(remaining), let text = String(validating: try bytes(Int(count)), as: UTF8.self) else {
            throw WireDefect("a text is cut off or not UTF-8", at: start)
        }
        return text
    }

    package mutating func strings() throws(WireDefect) -> [String] {
        let start = position
        let count = try varint()
        // Each text has at least one byte: no false count reserves memory.
        guard count <= UInt64(remaining) else { throw WireDefect("a list is cut off", at: start) }
        var texts: [String] = []
        for _ in 0..<count { texts.append(try string()) }
        return texts
    }
}
