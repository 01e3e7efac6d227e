/// The answers of a DNS message (RFC 1035 section 4.1): all that a signed packet carries.
package struct DNSMessage: Sendable, Hashable {
    package let answers: [DNSRecord]

    package init(answers: [DNSRecord]) { self.answers = answers }

    /// Reads a message. Questions are skipped; nothing after the answers is read.
    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        guard bytes.count >= 12 else { throw WireDefect("a DNS message has a head of 12 bytes") }
        func count(_ position: Int) -> Int { Int(bytes[position]) << 8 | Int(bytes[position + 1]) }
        var position = 12
        for _ in 0..<count(4) {
            _ = try DNSName.read(from: bytes, at: &position)
            position += 4
        }
        var answers: [DNSRecord] = []
        for _ in 0..<count(6) {
            if let record = try DNSRecord.read(from: bytes, at: &position) { answers.append(record) }
        }
        self.answers = answers
    }

    /// The message on the wire: a reply without an id, with uncompressed names.
    package var wire: [UInt8] {
        let head: [UInt16] = [0, 0x8000, 0, UInt16(answers.count), 0, 0]
        return head.flatMap(\.bigEndianBytes) + answers.flatMap(\.wire)
    }
}
