import PaymentCrypto

/// The answers of a DNS message (RFC 1035 section 4.1): all that a signed packet carries.
package struct DNSMessage: Sendable, Hashable {
    package let answers: [DNSRecord]

    package init(answers: [DNSRecord]) { self.answers = answers }

    /// Reads a message. Questions are skipped; nothing after the answers is read.
    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        _ = try reader.uint32()
        let (questions, count) = (try reader.uint16(), try reader.uint16())
        _ = try reader.uint32()
        for _ in 0..<questions {
            _ = try DNSName(&reader)
            _ = try reader.uint32()
        }
        var answers: [DNSRecord] = []
        for _ in 0..<count { if let record = try DNSRecord.read(&reader) { answers.append(record) } }
        self.answers = answers
    }

    /// The message on the wire: a reply without an id, with uncompressed names.
    package var wire: [UInt8] {
        let head: [UInt16] = [0, 0x8000, 0, UInt16(answers.count), 0, 0]
        return head.flatMap(\.bigEndianBytes) + answers.flatMap(\.wire)
    }
}
