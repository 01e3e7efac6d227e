import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

@testable import PaykitProvider

@Suite("Signed packets")
struct SignedPacketTests {
    private static func local(_ pair: PubkyKeyPair) throws -> [DNSRecord] {
        let apex = try #require(SignedPacket.name("", under: pair.publicKey))
        return [
            DNSRecord(
                apex,
                .https(
                    DNSService(
                        priority: 1, target: .root,
                        parameters: [
                            .init(DNSService.portKey, UInt16(6287).bigEndianBytes),
                            .init(DNSService.ipv4Key, [127, 0, 0, 1]),
                        ]))),
            DNSRecord(
                apex,
                .https(
                    DNSService(
                        priority: 10, target: try #require(DNSName("localhost")),
                        parameters: [.init(DNSService.localHTTPPortKey, UInt16(6286).bigEndianBytes)]))),
            DNSRecord(apex, .a([127, 0, 0, 1])),
        ]
    }

    @Test("A user's packet is read, and signed anew it is the same")
    func userPacket() throws {
        let packet = try Packets.user.packet
        #expect(packet.timestamp == WireTests.moment)
        let record = try #require(packet.records(at: "_pubky").first)
        let server = try WireTests.pair(0x22).publicKey
        #expect(record.data.service?.priority == 0)
        #expect(record.data.service?.target.description == server.text)
        #expect(packet.ttl == 3600)
        let target = try #require(DNSName(server.text))
        let pair = try WireTests.pair(0x11)
        let made = try SignedPacket(
            signing: [
                DNSRecord(
                    try #require(SignedPacket.name("_pubky", under: pair.publicKey)),
                    .https(DNSService(priority: 0, target: target)))
            ], at: WireTests.moment, by: pair)
        #expect(made == packet)
        #expect(Hex.encode(pair.publicKey.bytes + made.payload) == Packets.user.hex)
    }

    @Test("A homeserver's packet is read, and signed anew it is the same")
    func homeserverPacket() throws {
        let packet = try Packets.homeserver.packet
        let records = packet.records(at: "")
        #expect(records.map(\.data.type) == [65, 65, 1])
        #expect(records[0].data.service?.port() == 6287)
        #expect(records[1].data.service?.port(DNSService.localHTTPPortKey) == 6286)
        #expect(records[1].data.service?.target.description == "localhost")
        let pair = try WireTests.pair(0x22)
        let made = try SignedPacket(signing: Self.local(pair), at: WireTests.moment, by: pair)
        #expect(made == packet)
    }

    @Test("Names that point back at earlier ones are followed")
    func compression() throws {
        let pair = try WireTests.pair(0x22)
        let records = try Self.local(pair)
        let plain = DNSMessage(answers: records).wire
        let name = try #require(SignedPacket.name("", under: pair.publicKey)).wire
        // The second and third record begin with the first one's name again.
        var compressed = Array(plain.prefix(12 + name.count))
        var index = compressed.count
        while index < plain.count {
            if plain[index...].starts(with: name) {
                compressed += [0xC0, 0x0C]
                index += name.count
            } else {
                compressed.append(plain[index])
                index += 1
            }
        }
        #expect(compressed.count == plain.count - 2 * (name.count - 2))
        #expect(try DNSMessage(parsing: compressed).answers == records)
    }

    @Test("Names that point forwards, at themselves or beyond the end are refused, and so are cut-off messages")
    func hostileNames() throws {
        let head: [UInt8] = [0, 0, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        for name in [[0xC0, 0x0C], [0xC0, 0x20], [0xC0], [1, 0x61, 0xC0, 0x0C], [0x80], [63], [0x40, 0]] as [[UInt8]] {
            #expect(throws: WireDefect.self, "\(name)") {
                try DNSMessage(parsing: head + name + [0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4])
            }
        }
        let message = try Packets.homeserver.packet.dns
        for count in 0..<message.count {
            #expect(throws: WireDefect.self) { try DNSMessage(parsing: Array(message.prefix(count))) }
        }
        // Long names built of many labels.
        let long = [UInt8](repeating: 1, count: 260)
        #expect(throws: WireDefect.self) { try DNSMessage(parsing: head + long) }
    }

    @Test("Whatever is changed, a packet is refused: its signature covers time and records")
    func changed() throws {
        let payload = try Packets.user.packet.payload
        let key = try WireTests.pair(0x11).publicKey
        for index in payload.indices {
            var changed = payload
            changed[index] ^= 0x20
            #expect(throws: WireDefect.self) { try SignedPacket(payload: changed, of: key) }
        }
        let other = try WireTests.pair(0x22).publicKey
        #expect(throws: WireDefect.self) { try SignedPacket(payload: payload, of: other) }
        #expect(throws: WireDefect.self) { try SignedPacket(payload: [], of: key) }
    }

    @Test("The later packet counts, and of two with one time the greater bytes")
    func order() throws {
        let packet = WireTests.packet
        #expect(try packet(2, 1).isNewer(than: packet(1, 9)))
        #expect(try !packet(1, 9).isNewer(than: packet(2, 1)))
        #expect(try packet(1, 9).isNewer(than: packet(1, 1)))
        #expect(try !packet(1, 1).isNewer(than: packet(1, 1)))
    }

    @Test("What is signed is the text of BEP 44")
    func signable() {
        #expect(SignedPacket.signable(4, Array("Hello world!".utf8)) == Array("3:seqi4e1:v12:Hello world!".utf8))
    }

    @Test("How long a packet is kept has bounds, whatever its records say")
    func ttl() throws {
        let pair = try WireTests.pair(0x11)
        let name = try #require(SignedPacket.name("", under: pair.publicKey))
        for (ttls, expected) in [([], 300), ([10], 300), ([4000, 500], 500), ([.max], 86_400)] as [([UInt32], UInt32)] {
            let records = ttls.map { DNSRecord(name, ttl: $0, .a([1, 2, 3, 4])) }
            #expect(try SignedPacket(signing: records, at: 1, by: pair).ttl == expected)
        }
        #expect(throws: WireDefect.self) {
            let text = DNSRecord(name, .txt([[UInt8]](repeating: [UInt8](repeating: 65, count: 255), count: 4)))
            return try SignedPacket(signing: [text], at: 1, by: pair)
        }
    }
}

/// Against another implementation: `pubky-dns.json` names it.
@Suite("DNS messages")
struct DNSMessageTests {
    @Test("Records are read as another parser reads them, compressed names and unknown types too")
    func records() throws {
        let json = try JSONValue(parsing: Array(try Vectors.data("pubky-dns")))
        for message in try #require(json["messages"]?.array) {
            let read = try DNSMessage(parsing: WireTests.bytes(try #require(message["wire"]?.string)))
            let expected = try #require(message["records"]?.array)
            #expect(read.answers.count == expected.count)
            for (record, other) in zip(read.answers, expected) {
                #expect(record.name.description == other["name"]?.string)
                #expect(Int64(record.ttl) == other["ttl"]?.int64)
                #expect(Int64(record.data.type) == other["type"]?.int64)
                #expect(try Self.text(record.data) == Self.comparable(#require(other["text"]?.string)))
            }
            #expect(try DNSMessage(parsing: read.wire) == read)
        }
    }

    /// The text of a record's content in the form that both parsers can give.
    private static func text(_ content: DNSRecord.Content) -> String {
        switch content {
        case .a(let bytes): bytes.map(String.init).joined(separator: ".")
        case .cname(let name): "\(name)."
        case .svcb(let service), .https(let service): "\(service.priority) \(service.target)."
        case .aaaa(let bytes): bytes.count == 16 ? "2001:db8::1" : ""
        case .txt(let texts): "\(texts.count) texts"
        case .other(_, let bytes): "\(bytes.count) bytes"
        }
    }

    private static func comparable(_ text: String) -> String {
        if text.hasPrefix("\"") { return "2 texts" }
        let words = text.split(separator: " ").prefix(2)
        // An exchange's name is compressed: two bytes of number, five of label, two of pointer.
        return words[0] == "10" && text.contains("mail") ? "9 bytes" : words.joined(separator: " ")
    }
}
