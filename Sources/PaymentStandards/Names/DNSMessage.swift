import PaymentCore

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
        var reader = DNSMessageReader(bytes: bytes)
        guard let id = reader.number(2), let flags = reader.number(2), let questionCount = reader.number(2),
            let answerCount = reader.number(2), let authorityCount = reader.number(2), let otherCount = reader.number(2)
        else { return nil }
        self.id = UInt16(id)
        isResponse = flags & 0x8000 != 0
        operation = UInt8(flags >> 11 & 0xF)
        isTruncated = flags & 0x200 != 0
        var questions: [DNSQuestion] = []
        for _ in 0..<questionCount {
            guard let question = reader.question() else { return nil }
            questions.append(question)
        }
        self.questions = questions
        var records: [DNSRecord] = []
        for _ in 0..<answerCount + authorityCount {
            guard let record = reader.record() else { return nil }
            if record.class == DNSMessageReader.internet { records.append(record.value) }
        }
        self.records = records
        var code = flags & 0xF
        for _ in 0..<otherCount {
            guard let record = reader.record() else { return nil }
            if record.value.type == DNSRecord.Kind.opt { code |= (record.value.ttl >> 24) << 4 }
        }
        self.code = UInt16(code)
        guard reader.isAtEnd else { return nil }
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

/// Reads the parts of a message, from its front.
private struct DNSMessageReader {
    static let internet: UInt32 = 1
    /// The most pointers in one name: more than a name can have labels.
    private static let maximumPointers = 127

    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    /// Takes a number of `count` bytes.
    mutating func number(_ count: Int) -> UInt32? {
        guard bytes.count - place >= count else { return nil }
        defer { place += count }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func question() -> DNSQuestion? {
        guard let name = name(), let type = number(2), number(2) == Self.internet else { return nil }
        return DNSQuestion(name: name, type: UInt16(type))
    }

    /// Takes a record. A name in the data of an alias is written out, since it may be compressed there.
    mutating func record() -> (value: DNSRecord, class: UInt32)? {
        guard let owner = name(), let type = number(2), let kind = number(2), let ttl = number(4),
            let length = number(2).map(Int.init), bytes.count - place >= length
        else { return nil }
        let end = place + length
        var data = Array(bytes[place..<end])
        if [DNSRecord.Kind.cname, DNSRecord.Kind.dname].contains(UInt16(type)) {
            guard let target = name(), place == end else { return nil }
            data = target.wire
        }
        place = end
        return (DNSRecord(owner: owner, type: UInt16(type), ttl: ttl, data: data), kind)
    }

    /// Takes a name, which may end with a pointer to an earlier one (section 4.1.4).
    private mutating func name() -> DNSName? {
        var labels: [[UInt8]] = []
        var total = 1
        var pointers = 0
        var position = place
        var end: Int?
        // A pointer leads before the part of the name that it stands in, so that no way leads around.
        var start = place
        while position < bytes.count {
            let length = Int(bytes[position])
            switch length {
            case 0:
                place = end ?? position + 1
                return DNSName(labels: labels)
            case 1...63:
                total += length + 1
                guard total <= 255, bytes.count - position > length else { return nil }
                labels.append(bytes[position + 1...position + length].map(\.lowercasedASCII))
                position += length + 1
            case 0xC0...:
                guard position + 1 < bytes.count, pointers < Self.maximumPointers else { return nil }
                let target = (length & 0x3F) << 8 | Int(bytes[position + 1])
                guard target < start else { return nil }
                end = end ?? position + 2
                pointers += 1
                (start, position) = (target, target)
            default: return nil
            }
        }
        return nil
    }
}
