package import PaymentCore

/// A name of the DNS (RFC 1035 section 3.1): labels from the narrowest to the widest, without the root's empty one.
/// Compared without regard to case.
package struct DNSName: Sendable, Hashable {
    package let labels: [[UInt8]]

    /// The name without labels.
    package static let root = DNSName(labels: [])
    /// The most bytes on the wire, and the most pointers: more than a name can have labels.
    private static let most = (bytes: 255, pointers: 127)

    package init(labels: [[UInt8]]) { self.labels = labels }

    /// Reads a name as people write it, with or without the final dot; nil if a label is empty or longer than 63 bytes,
    /// or the whole is too long.
    package init?(_ text: some StringProtocol) {
        let text = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels =
            text.isEmpty ? [] : text.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard labels.allSatisfy({ 1...63 ~= $0.count }), labels.reduce(1, { $0 + $1.count + 1 }) <= Self.most.bytes
        else { return nil }
        self.labels = labels
    }

    /// Reads a name and leaves the reader behind it. Compression pointers (RFC 1035 section 4.1.4) are followed if
    /// `mayPoint` is true. A pointer may only lead before the part of the name that has it, so no loop is possible.
    package init(_ reader: inout ByteReader, mayPoint: Bool = true) throws(WireDefect) {
        var labels: [[UInt8]] = []
        var (length, pointers) = (1, 0)
        var source = reader
        var start = reader.position
        while true {
            let place = source.position
            let count = Int(try source.byte())
            switch count {
            case 0:
                if pointers == 0 { reader = source }
                self.init(labels: labels)
                return
            case 1...63:
                length += count + 1
                guard length <= Self.most.bytes else { throw WireDefect("a name is longer than 255 bytes", at: place) }
                labels.append(try source.bytes(count))
            case 0xC0... where mayPoint:
                let target = (count & 0x3F) << 8 | Int(try source.byte())
                guard target < start, pointers < Self.most.pointers else {
                    throw WireDefect("a name points forwards, or too often", at: place)
                }
                if pointers == 0 { reader = source }
                pointers += 1
                (start, source) = (target, source.moved(to: target))
            default: throw WireDefect("a name has a label of unknown kind", at: place)
            }
        }
    }

    package static func == (left: DNSName, right: DNSName) -> Bool { left.folded.labels == right.folded.labels }
    package func hash(into hasher: inout Hasher) { hasher.combine(folded.labels) }

    /// The same name in lower case.
    package var folded: DNSName { DNSName(labels: labels.map { $0.map(\.lowercasedASCII) }) }

    /// The name on the wire, without compression.
    package var wire: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }
}

extension DNSName: CustomStringConvertible {
    /// The name without a final dot; bytes that do not print are escaped as in zone files.
    package var description: String {
        labels.map { label in
            label.map { byte in
                0x21...0x7E ~= byte && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "\\")
                    ? String(UnicodeScalar(byte))
                    : "\\" + String(repeating: "0", count: byte < 10 ? 2 : byte < 100 ? 1 : 0) + "\(byte)"
            }.joined()
        }.joined(separator: ".")
    }
}

// MARK: - Records

/// A resource record (RFC 1035 section 4.1.3), with its data as they stand in a message.
package struct DNSResource: Sendable {
    package let owner: DNSName
    package let type: UInt16
    /// The class; 1 is the Internet's.
    package let family: UInt16
    /// The longest time to keep it, in seconds.
    package let ttl: UInt32
    package let data: [UInt8]
    /// The message, from the data on: names in them may point before them.
    package let start: ByteReader

    package static let internet: UInt16 = 1

    /// Reads a record; without compression if `mayPoint` is false.
    package init(_ reader: inout ByteReader, mayPoint: Bool = true) throws(WireDefect) {
        owner = try DNSName(&reader, mayPoint: mayPoint)
        (type, family, ttl) = (try reader.uint16(), try reader.uint16(), try reader.uint32())
        let count = Int(try reader.uint16())
        start = reader
        data = try reader.bytes(count)
    }

    /// Reads the one name that the data are, which may be compressed.
    package func name() throws(WireDefect) -> DNSName {
        var reader = start
        let name = try DNSName(&reader)
        guard reader.position == start.position + data.count else {
            throw WireDefect("a record has another length than its name", at: start.position)
        }
        return name
    }

    /// Returns the wire form of a record of the Internet, without compression.
    package static func wire(_ owner: DNSName, type: UInt16, ttl: UInt32, _ data: [UInt8]) -> [UInt8] {
        let numbers = [type, internet, UInt16(ttl >> 16), UInt16(truncatingIfNeeded: ttl), UInt16(data.count)]
        return owner.wire + numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + data
    }
}

extension IPv6Text {
    /// Returns the canonical spelling of an address (RFC 5952 section 4).
    package static func write(_ bits: UInt128) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
        // The longest run of zeros, the first of equals; a single zero is written.
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(1, longest.count) { longest = start..<index }
            start = index + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
