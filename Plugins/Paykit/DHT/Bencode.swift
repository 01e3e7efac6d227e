/// A value of bencoding (BEP 3), the encoding of all DHT messages.
package enum Bencode: Sendable, Hashable {
    /// A whole number.
    case integer(Int64)
    /// Bytes, text among them.
    case bytes([UInt8])
    /// Values in order.
    case list([Bencode])
    /// Values by name.
    case dictionary([[UInt8]: Bencode])

    /// The limits on foreign values.
    package struct Limits: Sendable {
        /// The most bytes in total.
        package var bytes = 2048
        /// The greatest nesting depth.
        package var depth = 8
        /// The most values in total.
        package var values = 1024

        package init() {}
    }

    /// Reads exactly one value. Numbers, lengths and order have one spelling each, except that names may come in any
    /// order; no name may come twice.
    ///
    /// - Throws: ``BencodeError``, with the place of the defect.
    package init(_ bytes: some Sequence<UInt8>, limits: Limits = Limits()) throws(BencodeError) {
        var reader = BencodeReader(Array(bytes), limits)
        self = try reader.whole()
    }

    /// The value's bytes; names in their order.
    package var encoded: [UInt8] {
        var out: [UInt8] = []
        write(to: &out)
        return out
    }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .integer(let number):
            out.append(UInt8(ascii: "i"))
            out += Array(String(number).utf8)
            out.append(UInt8(ascii: "e"))
        case .bytes(let bytes):
            Self.write(bytes, to: &out)
        case .list(let values):
            out.append(UInt8(ascii: "l"))
            for value in values { value.write(to: &out) }
            out.append(UInt8(ascii: "e"))
        case .dictionary(let values):
            out.append(UInt8(ascii: "d"))
            for (name, value) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                Self.write(name, to: &out)
                value.write(to: &out)
            }
            out.append(UInt8(ascii: "e"))
        }
    }

    private static func write(_ bytes: [UInt8], to out: inout [UInt8]) {
        out += Array(String(bytes.count).utf8)
        out.append(UInt8(ascii: ":"))
        out += bytes
    }

    /// Creates a dictionary from named values; those that are nil are left out.
    package static func dictionary(_ entries: KeyValuePairs<String, Bencode?>) -> Bencode {
        var values: [[UInt8]: Bencode] = [:]
        for (name, value) in entries { values[Array(name.utf8)] = value }
        return .dictionary(values)
    }

    /// Creates bytes from a text.
    package static func text(_ text: String) -> Bencode { .bytes(Array(text.utf8)) }

    /// The value called `name` in a dictionary.
    package subscript(_ name: String) -> Bencode? {
        guard case .dictionary(let values) = self else { return nil }
        return values[Array(name.utf8)]
    }

    /// The bytes, if the value is bytes.
    package var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// The number, if the value is one.
    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The values, if the value is a list.
    package var list: [Bencode]? {
        guard case .list(let values) = self else { return nil }
        return values
    }
}

/// A defect of foreign bytes that should be bencoding within the limits.
package struct BencodeError: Error, Sendable, Hashable {
    /// A kind of defect.
    package enum Reason: Sendable, Hashable {
        /// The bytes end in the middle of a value.
        case incomplete
        /// No value begins with this byte.
        case unknownValue
        /// A number or a length is not in its only spelling, or is too large.
        case number
        /// A name is not bytes.
        case name
        /// A name comes twice.
        case repeatedName
        /// Something follows the value.
        case trailingBytes
        /// The value is longer, deeper or made of more values than the limits allow.
        case tooLarge
    }

    /// The kind of defect.
    package let reason: Reason
    /// The number of bytes before the defect.
    package let offset: Int
}

/// A reader of foreign bencoding: never beyond its end, never deeper than allowed.
private struct BencodeReader {
    private let bytes: [UInt8]
    private let limits: Bencode.Limits
    private var place = 0
    private var values = 0

    init(_ bytes: [UInt8], _ limits: Bencode.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func whole() throws(BencodeError) -> Bencode {
        guard bytes.count <= limits.bytes else { throw fault(.tooLarge) }
        let value = try value(depth: 0)
        guard place == bytes.count else { throw fault(.trailingBytes) }
        return value
    }

    private func fault(_ reason: BencodeError.Reason) -> BencodeError { BencodeError(reason: reason, offset: place) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func value(depth: Int) throws(BencodeError) -> Bencode {
        values += 1
        guard depth < limits.depth, values <= limits.values else { throw fault(.tooLarge) }
        guard let next else { throw fault(.incomplete) }
        switch next {
        case UInt8(ascii: "i"):
            place += 1
            return .integer(try number(until: UInt8(ascii: "e"), isSigned: true))
        case UInt8(ascii: "l"):
            place += 1
            var list: [Bencode] = []
            while try !isEnd() { list.append(try value(depth: depth + 1)) }
            return .list(list)
        case UInt8(ascii: "d"):
            place += 1
            var dictionary: [[UInt8]: Bencode] = [:]
            while try !isEnd() {
                guard let first = self.next, 0x30...0x39 ~= first else { throw fault(.name) }
                let before = place
                let name = try string()
                let value = try value(depth: depth + 1)
                guard dictionary.updateValue(value, forKey: name) == nil else {
                    place = before
                    throw fault(.repeatedName)
                }
            }
            return .dictionary(dictionary)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .bytes(try string())
        default: throw fault(.unknownValue)
        }
    }

    /// Returns true, and reads the end, if a list or a dictionary ends here.
    private mutating func isEnd() throws(BencodeError) -> Bool {
        guard let next else { throw fault(.incomplete) }
        guard next == UInt8(ascii: "e") else { return false }
        place += 1
        return true
    }

    private mutating func string() throws(BencodeError) -> [UInt8] {
        let length = try number(until: UInt8(ascii: ":"), isSigned: false)
        guard length <= bytes.count - place else { throw fault(.incomplete) }
        defer { place += Int(length) }
        return Array(bytes[place..<place + Int(length)])
    }

    private mutating func number(until end: UInt8, isSigned: Bool) throws(BencodeError) -> Int64 {
        var isNegative = false
        if isSigned, next == UInt8(ascii: "-") {
            isNegative = true
            place += 1
        }
        let start = place
        var value: Int64 = 0
        while let digit = next, 0x30...0x39 ~= digit {
            // Counted on the side of its sign; the range below zero is the larger one.
            let (product, one) = value.multipliedReportingOverflow(by: 10)
            let step = Int64(digit - 0x30)
            let (sum, two) =
                isNegative ? product.subtractingReportingOverflow(step) : product.addingReportingOverflow(step)
            guard !one, !two else { throw fault(.number) }
            value = sum
            place += 1
        }
        guard let next else { throw fault(.incomplete) }
        let digits = place - start
        guard next == end, digits > 0, digits == 1 || bytes[start] != 0x30, !(isNegative && value == 0) else {
            throw fault(.number)
        }
        place += 1
        return value
    }
}
