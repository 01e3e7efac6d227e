import PaymentCrypto

/// Names in lower case, since case has no meaning in DNS.
extension DNSName {
    /// Takes a name off `bytes`; nil for compressed names, which proofs do not have, and for truncated ones.
    init?(taking bytes: inout ArraySlice<UInt8>) {
        var reader = ByteReader(Array(bytes))
        guard let name = try? DNSName(&reader, mayPoint: false) else { return nil }
        bytes = bytes.dropFirst(reader.position)
        self = name.folded
    }

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
        var reader = ByteReader(Array(bytes))
        var records: [DNSRecord] = []
        while !reader.isAtEnd {
            guard let one = try? DNSResource(&reader, mayPoint: false), one.family == DNSResource.internet else {
                return nil
            }
            records.append(DNSRecord(owner: one.owner.folded, type: one.type, ttl: one.ttl, data: one.data))
        }
        return records
    }

    /// The wire form, without any compression: as in proofs.
    package var wire: [UInt8] { DNSResource.wire(owner, type: type, ttl: ttl, data) }

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
