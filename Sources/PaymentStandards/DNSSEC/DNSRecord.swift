import PaymentCore

/// A domain name in DNS's wire form: labels, in lower case, since case has no meaning.
struct DNSName: Sendable, Hashable {
    /// The labels from the left, without the root's empty one.
    let labels: [[UInt8]]

    static let root = DNSName(labels: [])

    init(labels: [[UInt8]]) { self.labels = labels }

    /// Reads `example.com` or `example.com.`; nil for labels of no or more than 63 bytes.
    init?(_ text: String) {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false).map { $0.utf8.map(\.lowercasedASCII) }
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.allSatisfy({ 1...63 ~= $0.count }) else { return nil }
        labels = parts
    }

    /// Takes a name off `bytes`; nil for compressed names, which proofs do not have, and for truncated ones.
    init?(taking bytes: inout ArraySlice<UInt8>) {
        var labels: [[UInt8]] = []
        var total = 1
        while let length = bytes.popFirst() {
            guard length > 0 else {
                self.labels = labels
                return
            }
            total += Int(length) + 1
            guard length < 64, bytes.count >= Int(length), total <= 255 else { return nil }
            labels.append(bytes.prefix(Int(length)).map(\.lowercasedASCII))
            bytes = bytes.dropFirst(Int(length))
        }
        return nil
    }

    /// The wire form.
    var wire: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }

    /// Returns the last `count` labels.
    func suffix(_ count: Int) -> DNSName { DNSName(labels: Array(labels.suffix(count))) }

    /// Returns the name below `target` with the labels that this name has below `ancestor`; nil for a name that is too
    /// long for DNS (RFC 6672 section 2.2).
    func moved(from ancestor: DNSName, to target: DNSName) -> DNSName? {
        let name = DNSName(labels: labels.dropLast(ancestor.labels.count) + target.labels)
        return name.wire.count <= 255 ? name : nil
    }

    /// Returns true if it comes before `other` in the order of DNSSEC (RFC 4034 section 6.1): by labels from the right,
    /// a name before all names below it.
    func precedes(_ other: DNSName) -> Bool {
        for (own, others) in zip(labels.reversed(), other.labels.reversed()) where own != others {
            return own.lexicographicallyPrecedes(others)
        }
        return labels.count < other.labels.count
    }

    /// Returns true if it is `other` or below it.
    func isWithin(_ other: DNSName) -> Bool { labels.suffix(other.labels.count).elementsEqual(other.labels) }
}

/// A resource record.
package struct DNSRecord: Sendable, Hashable {
    /// The types that proofs need.
    enum Kind {
        static let ns: UInt16 = 2
        static let cname: UInt16 = 5
        static let soa: UInt16 = 6
        static let txt: UInt16 = 16
        static let dname: UInt16 = 39
        static let opt: UInt16 = 41
        static let ds: UInt16 = 43
        static let rrsig: UInt16 = 46
        static let nsec: UInt16 = 47
        static let dnskey: UInt16 = 48
        static let nsec3: UInt16 = 50
    }

    let owner: DNSName
    let type: UInt16
    let ttl: UInt32
    /// The data; names in it are as sent.
    let data: [UInt8]

    /// Returns all records of `bytes`; nil where one is truncated or not of the class of the Internet.
    package static func all(in bytes: ArraySlice<UInt8>) -> [DNSRecord]? {
        var rest = bytes
        var records: [DNSRecord] = []
        while !rest.isEmpty {
            guard let owner = DNSName(taking: &rest), rest.count >= 10 else { return nil }
            let head = Array(rest.prefix(10))
            let length = Int(head[8]) << 8 | Int(head[9])
            rest = rest.dropFirst(10)
            guard head[2] == 0, head[3] == 1, rest.count >= length else { return nil }
            records.append(
                DNSRecord(
                    owner: owner, type: UInt16(head[0]) << 8 | UInt16(head[1]),
                    ttl: head[4..<8].reduce(0) { $0 << 8 | UInt32($1) }, data: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return records
    }

    /// The wire form, without any compression: as in proofs.
    package var wire: [UInt8] {
        owner.wire + [UInt8(type >> 8), UInt8(type & 0xFF), 0, 1]
            + (0..<4).map { UInt8(truncatingIfNeeded: ttl >> UInt32(24 - 8 * $0)) }
            + [UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    }

    /// The data in canonical form (RFC 4034 section 6.2): a name in it is in lower case.
    var canonicalData: [UInt8] {
        guard type == Kind.cname || type == Kind.dname, let name = target else { return data }
        return name.wire
    }

    /// The name that a CNAME or DNAME leads to.
    var target: DNSName? {
        var rest = data[...]
        guard let name = DNSName(taking: &rest), rest.isEmpty else { return nil }
        return name
    }

    /// The character-strings of a TXT; nil where one is truncated.
    var strings: [[UInt8]]? {
        var strings: [[UInt8]] = []
        var rest = data[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length) else { return nil }
            strings.append(Array(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return strings
    }
}
