import PaymentCrypto

/// A value of bencoding (BEP 3), the encoding of all DHT messages.
package enum Bencode: Sendable, Hashable {
    case integer(Int64)
    case bytes([UInt8])
    case list([Bencode])
    case dictionary([[UInt8]: Bencode])

    /// Reads exactly one value. Numbers and lengths have one spelling each. Names may come in any order, but no name
    /// twice. `limit` is the most bytes in total. Throws `WireDefect`, with the place of the defect.
    package init(_ bytes: some Sequence<UInt8>, atMost limit: Int = 2048) throws(WireDefect) {
        var reader = BencodeReader(Array(bytes))
        self = try reader.whole(atMost: limit)
    }

    /// The value's bytes; names in their order.
    package var encoded: [UInt8] {
        switch self {
        case .integer(let number): Array("i\(number)e".utf8)
        case .bytes(let bytes): Array("\(bytes.count):".utf8) + bytes
        case .list(let values): [UInt8(ascii: "l")] + values.flatMap(\.encoded) + [UInt8(ascii: "e")]
        case .dictionary(let values):
            [UInt8(ascii: "d")]
                + values.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { name, value in
                    Bencode.bytes(name).encoded + value.encoded
                } + [UInt8(ascii: "e")]
        }
    }

    /// Creates a dictionary from named values. Values that are nil are left out.
    package static func dictionary(_ entries: KeyValuePairs<String, Bencode?>) -> Bencode {
        var values: [[UInt8]: Bencode] = [:]
        for (name, value) in entries { values[Array(name.utf8)] = value }
        return .dictionary(values)
    }

    package static func text(_ text: String) -> Bencode { .bytes(Array(text.utf8)) }

    package subscript(_ name: String) -> Bencode? {
        guard case .dictionary(let values) = self else { return nil }
        return values[Array(name.utf8)]
    }

    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    package var list: [Bencode]? { if case .list(let values) = self { values } else { nil } }
}

/// A reader of foreign bencoding: never beyond its end, never deeper than allowed.
private struct BencodeReader {
    private var bytes: ByteReader
    private var values = 0

    /// The greatest nesting depth, and the most values in total.
    private static let most = (depth: 8, values: 1024)

    init(_ bytes: [UInt8]) { self.bytes = ByteReader(bytes) }

    mutating func whole(atMost limit: Int) throws(WireDefect) -> Bencode {
        guard bytes.remaining <= limit else { throw defect("it is too large") }
        let value = try value(depth: 0)
        try bytes.end()
        return value
    }

    private func defect(_ reason: String) -> WireDefect { WireDefect(reason, at: bytes.position) }

    private mutating func value(depth: Int) throws(WireDefect) -> Bencode {
        values += 1
        guard depth < Self.most.depth, values <= Self.most.values else { throw defect("it is too large") }
        switch try bytes.peek() {
        case UInt8(ascii: "i"):
            _ = try bytes.byte()
            return .integer(try number(until: UInt8(ascii: "e"), isSigned: true))
        case UInt8(ascii: "l"):
            _ = try bytes.byte()
            var list: [Bencode] = []
            while try !isEnd() { list.append(try value(depth: depth + 1)) }
            return .list(list)
        case UInt8(ascii: "d"):
            _ = try bytes.byte()
            var dictionary: [[UInt8]: Bencode] = [:]
            while try !isEnd() {
                guard 0x30...0x39 ~= (try bytes.peek()) else { throw defect("a name is not bytes") }
                let place = bytes.position
                let name = try string()
                let value = try value(depth: depth + 1)
                guard dictionary.updateValue(value, forKey: name) == nil else {
                    throw WireDefect("a name comes twice", at: place)
                }
            }
            return .dictionary(dictionary)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .bytes(try string())
        default: throw defect("no value begins with this byte")
        }
    }

    /// Returns true, and reads the end, if a list or a dictionary ends here.
    private mutating func isEnd() throws(WireDefect) -> Bool {
        guard try bytes.peek() == UInt8(ascii: "e") else { return false }
        _ = try bytes.byte()
        return true
    }

    private mutating func string() throws(WireDefect) -> [UInt8] {
        try bytes.bytes(Int(try number(until: UInt8(ascii: ":"), isSigned: false)))
    }

    private static let spelling = "a number is not in its only spelling, or too large"

    private mutating func number(until end: UInt8, isSigned: Bool) throws(WireDefect) -> Int64 {
        let isNegative = isSigned ? try bytes.peek() == UInt8(ascii: "-") : false
        if isNegative { _ = try bytes.byte() }
        let (start, first) = (bytes.position, try bytes.peek())
        var value: Int64 = 0
        while case let digit = try bytes.peek(), 0x30...0x39 ~= digit {
            // Counted on the side of its sign: the range below zero is the larger one.
            let (product, one) = value.multipliedReportingOverflow(by: 10)
            let step = Int64(digit - 0x30)
            let (sum, two) =
                isNegative ? product.subtractingReportingOverflow(step) : product.addingReportingOverflow(step)
            guard !one, !two else { throw defect(Self.spelling) }
            value = sum
            _ = try bytes.byte()
        }
        let digits = bytes.position - start
        guard try bytes.peek() == end, digits > 0, digits == 1 || first != 0x30, !(isNegative && value == 0) else {
            throw defect(Self.spelling)
        }
        _ = try bytes.byte()
        return value
    }
}
