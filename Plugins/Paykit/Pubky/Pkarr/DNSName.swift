/// A name of the DNS (RFC 1035 section 3.1): labels from the narrowest to the widest. Compared without regard to case.
package struct DNSName: Sendable, Hashable {
    package let labels: [[UInt8]]

    /// The name without labels.
    package static let root = DNSName(labels: [])

    init(labels: [[UInt8]]) { self.labels = labels }

    /// Reads a name as people write it, with or without the final dot; nil if a label is empty or longer than 63 bytes,
    /// or the whole is too long.
    package init?(_ text: some StringProtocol) {
        let text = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard !text.isEmpty else {
            self = .root
            return
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard labels.allSatisfy({ 1...63 ~= $0.count }), labels.reduce(1, { $0 + $1.count + 1 }) <= 255 else {
            return nil
        }
        self.labels = labels
    }

    package static func == (left: DNSName, right: DNSName) -> Bool { left.folded == right.folded }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: [[UInt8]] {
        labels.map { $0.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 } }
    }

    /// The name on the wire, without compression.
    var wire: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }
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

extension DNSName {
    /// Reads a name, following compression pointers (RFC 1035 section 4.1.4), and leaves the reader behind it. Pointers
    /// may lead backwards only, so that every message ends the loop.
    init(_ reader: inout ByteReader) throws(WireDefect) {
        var labels: [[UInt8]] = []
        var length = 1
        var source = reader
        var bound = reader.position
        var hasJumped = false
        while true {
            let place = source.position
            let count = Int(try source.byte())
            switch count >> 6 {
            case 0b11:
                let target = (count & 0x3F) << 8 | Int(try source.byte())
                guard target < bound else { throw WireDefect("a name points forwards", at: place) }
                if !hasJumped { reader = source }
                hasJumped = true
                bound = target
                source = source.moved(to: target)
            case 0:
                if count == 0 {
                    if !hasJumped { reader = source }
                    self.init(labels: labels)
                    return
                }
                length += count + 1
                guard length <= 255 else { throw WireDefect("a name is longer than 255 bytes", at: place) }
                labels.append(try source.bytes(count))
            default: throw WireDefect("a name has a label of unknown kind", at: place)
            }
        }
    }
}
