import PaymentCrypto

/// A DNS message from a resolver. Source: RFC 1035 section 4, RFC 6891 section 6.1.
///
/// Reading ends soon for any bytes: compressed names lead only backwards, and each record takes bytes of the message.
package struct DNSMessage: Sendable, Hashable {
    /// The code of an answer.
    enum Code {
        static let noError: UInt16 = 0
        static let serverFailure: UInt16 = 2
        static let noSuchName: UInt16 = 3
    }

    /// The number that the question had.
    let id: UInt16
    /// True for an answer, false for a question.
    let isResponse: Bool
    /// The kind of question; 0 is the usual one.
    let operation: UInt8
    /// True if records were left out.
    let isTruncated: Bool
    /// The code of the answer, with the upper bits of an OPT record.
    let code: UInt16
    let questions: [DNSQuestion]
    /// The Internet records of the answer and the authority section. The latter prove that something does not exist.
    package let records: [DNSRecord]

    /// Reads a message; nil if it is malformed, cut off or longer than it says.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let message = try? DNSMessage(&reader), reader.isAtEnd else { return nil }
        self = message
    }

    private init(_ reader: inout ByteReader) throws(WireDefect) {
        id = try reader.uint16()
        let flags = try reader.uint16()
        isResponse = flags & 0x8000 != 0
        operation = UInt8(flags >> 11 & 0xF)
        isTruncated = flags & 0x200 != 0
        let (questionCount, answerCount) = (try reader.uint16(), try reader.uint16())
        let (authorityCount, otherCount) = (try reader.uint16(), try reader.uint16())
        var questions: [DNSQuestion] = []
        for _ in 0..<questionCount { questions.append(try DNSQuestion(&reader)) }
        self.questions = questions
        var records: [DNSRecord] = []
        for _ in 0..<Int(answerCount) + Int(authorityCount) {
            let resource = try DNSResource(&reader)
            let record = try DNSRecord(resource)
            if resource.family == DNSResource.internet { records.append(record) }
        }
        self.records = records
        var code = flags & 0xF
        for _ in 0..<otherCount {
            let record = try DNSRecord(DNSResource(&reader))
            if record.type == DNSRecord.Kind.opt { code |= UInt16(record.ttl >> 24) << 4 }
        }
        self.code = code
    }
}

/// A question to a resolver: the records of a type at a name.
struct DNSQuestion: Sendable, Hashable {
    let name: DNSName
    let type: UInt16

    /// The message that asks the question with recursion and for signatures (RFC 3225). Its number is 0, as RFC 8484
    /// section 4.1 recommends.
    var message: [UInt8] {
        let header: [UInt8] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]
        // An OPT record: no name, type 41, answers of up to 4096 bytes, version 0, DO, no options.
        let options: [UInt8] = [0, 0, 41, 0x10, 0, 0, 0, 0x80, 0, 0, 0]
        return header + name.wire + [UInt8(type >> 8), UInt8(type & 0xFF), 0, 1] + options
    }
}

extension DNSQuestion {
    fileprivate init(_ reader: inout ByteReader) throws(WireDefect) {
        (name, type) = (try DNSName(&reader).folded, try reader.uint16())
        guard try reader.uint16() == DNSResource.internet else { throw WireDefect("a question is not of the Internet") }
    }
}

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

    /// Returns all records of `bytes`; nil if one is truncated or not of the class of the Internet.
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

    /// The character-strings of a TXT; nil if one is truncated.
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

extension DNSRecord {
    /// Creates a record of a message. A name in an alias's data may be compressed there, so it is written out.
    fileprivate init(_ resource: DNSResource) throws(WireDefect) {
        let isAlias = [Kind.cname, Kind.dname].contains(resource.type)
        self.init(
            owner: resource.owner.folded, type: resource.type, ttl: resource.ttl,
            data: isAlias ? try resource.name().folded.wire : resource.data)
    }
}

/// Names are in lower case, because case has no meaning in DNS.
extension DNSName {
    /// Takes a name off `bytes`; nil for compressed names, which proofs do not have, and for truncated ones.
    init?(taking bytes: inout ArraySlice<UInt8>) {
        var reader = ByteReader(Array(bytes))
        guard let name = try? DNSName(&reader, mayPoint: false) else { return nil }
        bytes = bytes.dropFirst(reader.position)
        self = name.folded
    }

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
