package import PaymentCrypto

/// JSON whose members keep their order, for what was signed or recorded in it.
package struct OrderedJSON: Sendable {
    package typealias Members = [(name: String, value: OrderedJSON?)]

    package let text: String
    package var bytes: [UInt8] { Array(text.utf8) }

    package static let null = OrderedJSON(text: "null")

    package static func object(_ members: Members) -> OrderedJSON {
        let written = members.compactMap { name, value in value.map { "\(string(name).text):\($0.text)" } }
        return OrderedJSON(text: "{\(written.joined(separator: ","))}")
    }

    package static func value(_ value: JSONValue) -> OrderedJSON { OrderedJSON(text: value.text) }

    package static func string(_ text: String) -> OrderedJSON { value(.string(text)) }

    package static func base64(_ bytes: [UInt8]) -> OrderedJSON { string(Base64URL.encode(bytes)) }

    package static func number(_ number: some BinaryInteger) -> OrderedJSON { OrderedJSON(text: "\(number)") }

    package static func array(_ values: [OrderedJSON]) -> OrderedJSON {
        OrderedJSON(text: "[\(values.map(\.text).joined(separator: ","))]")
    }

    /// Writes bytes as a list of numbers, as Rust's serializer writes keys.
    package static func numbers(_ bytes: [UInt8]) -> OrderedJSON { array(bytes.map { number($0) }) }
}

extension JSONValue {
    package func numbers(_ count: Int) -> [UInt8]? {
        guard let array, array.count == count else { return nil }
        let bytes = array.compactMap { $0.uint64.flatMap { UInt8(exactly: $0) } }
        return bytes.count == count ? bytes : nil
    }
}

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

extension StringProtocol {
    /// The text without blanks and line breaks around it.
    package var trimmingWhitespace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// Returns true for so many bytes of ASCII letters, digits and `others`.
    package func isWord(_ length: ClosedRange<Int>, _ others: String = "", lowerCase: Bool = false) -> Bool {
        length ~= utf8.count
            && utf8.allSatisfy { byte in
                let isLetter = lowerCase ? UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte : byte.isASCIILetter
                return isLetter || byte.isASCIIDigit || others.utf8.contains(byte)
            }
    }
}

package typealias ByteReader = PaymentCrypto.ByteReader
package typealias WireDefect = PaymentCrypto.WireDefect

extension RandomSource {
    package func bytes(_ count: Int) -> [UInt8] {
        Array((0..<(count + 7) / 8).flatMap { _ in next().bigEndianBytes }.prefix(count))
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The bytes of the number, most significant first.
    package var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}
