import PaymentCrypto

/// A map of CBOR (RFC 8949) with small numbers as keys, ascending, and numbers, bytes and texts as values: all that
/// headers of sealed blobs require. Only the shortest forms are written and read (section 4.2.1).
package struct CBORMap: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case number(UInt64)
        case bytes([UInt8])
        case text(String)

        package var number: UInt64? { if case .number(let value) = self { value } else { nil } }
        package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
        package var text: String? { if case .text(let value) = self { value } else { nil } }
    }

    package var entries: [UInt64: Value]

    private static let most = 16

    package init(_ entries: [UInt64: Value]) { self.entries = entries }

    package subscript(_ key: UInt64) -> Value? { entries[key] }

    package var wire: [UInt8] {
        Self.head(5, UInt64(entries.count))
            + entries.sorted { $0.key < $1.key }.flatMap { key, value in
                Self.head(0, key)
                    + {
                        switch value {
                        case .number(let number): Self.head(0, number)
                        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
                        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
                        }
                    }()
            }
    }

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        let (kind, count) = try Self.head(&reader)
        guard kind == 5, count <= UInt64(Self.most) else { throw WireDefect("a header is no small map") }
        var entries: [UInt64: Value] = [:]
        var last: UInt64?
        for _ in 0..<count {
            let place = reader.position
            let (kind, key) = try Self.head(&reader)
            guard kind == 0, last.map({ $0 < key }) ?? true else {
                throw WireDefect("a header's keys are not ascending numbers", at: place)
            }
            last = key
            let (type, size) = try Self.head(&reader)
            switch type {
            case 0: entries[key] = .number(size)
            case 2, 3:
                guard size <= UInt64(reader.remaining) else { throw WireDefect("a header is cut off", at: place) }
                let content = try reader.bytes(Int(size))
                guard type == 3 else {
                    entries[key] = .bytes(content)
                    continue
                }
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw WireDefect("a header's text is not UTF-8", at: place)
                }
                entries[key] = .text(text)
            default: throw WireDefect("a header has a value that no header has", at: place)
            }
        }
        try reader.end()
        self.entries = entries
    }

    private static func head(_ kind: UInt8, _ value: UInt64) -> [UInt8] {
        let kind = kind << 5
        switch value {
        case 0..<24: return [kind | UInt8(value)]
        case 24...0xFF: return [kind | 24, UInt8(value)]
        case 0x100...0xFFFF: return [kind | 25] + UInt16(value).bigEndianBytes
        case 0x1_0000...0xFFFF_FFFF: return [kind | 26] + UInt32(value).bigEndianBytes
        default: return [kind | 27] + value.bigEndianBytes
        }
    }

    private static func head(_ reader: inout ByteReader) throws(WireDefect) -> (kind: UInt8, value: UInt64) {
        let place = reader.position
        let first = try reader.byte()
        let value: UInt64
        let least: UInt64
        switch first & 31 {
        case 24: (value, least) = (UInt64(try reader.byte()), 24)
        case 25: (value, least) = (UInt64(try reader.uint16()), 0x100)
        case 26: (value, least) = (UInt64(try reader.uint32()), 0x1_0000)
        case 27: (value, least) = (try reader.uint64(), 0x1_0000_0000)
        case let small where small < 24: (value, least) = (UInt64(small), 0)
        default: throw WireDefect("a header has a part without a length", at: place)
        }
        guard value >= least else {
            throw WireDefect("a header has a number that is not in its shortest form", at: place)
        }
        return (first >> 5, value)
    }
}
