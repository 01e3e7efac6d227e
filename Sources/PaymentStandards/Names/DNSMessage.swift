import PaymentCrypto

/// A DNS message from a resolver. Source: RFC 1035 section 4, RFC 6891 section 6.1.
///
/// Whatever the bytes are, reading them ends soon and without harm: names are followed backwards only, and each record
/// takes bytes of the message.
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
    /// The questions that are answered.
    let questions: [DNSQuestion]
    /// The records of the Internet that answer, and those of the authority section beside them, which prove what does
    /// not exist.
    package let records: [DNSRecord]

    /// Reads a message; nil where it is malformed, cut off or longer than it says.
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

    /// The message that asks it: with recursion, and for signatures, too (RFC 3225). Its number is 0, as RFC 8484
    /// section 4.1 wants it.
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

extension DNSRecord {
    /// Creates a record of a message. A name in the data of an alias is written out, since it may be compressed there.
    fileprivate init(_ resource: DNSResource) throws(WireDefect) {
        let isAlias = [Kind.cname, Kind.dname].contains(resource.type)
        self.init(
            owner: resource.owner.folded, type: resource.type, ttl: resource.ttl,
            data: isAlias ? try resource.name().folded.wire : resource.data)
    }
}
