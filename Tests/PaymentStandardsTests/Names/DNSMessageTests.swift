import Foundation
import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStandards

/// Messages of DNS, as another library writes them, and as an attacker would.
@Suite("DNS messages")
struct DNSMessageTests {
    private func rows(_ list: String) throws -> [JSONValue] {
        try JSONValue(parsing: Array(Vectors.data("lib-dns-messages")))[list]?.array ?? []
    }

    private func message(_ row: JSONValue?) throws -> [UInt8] {
        try #require(Hex.decode(row?["message"]?.string ?? "-"))
    }

    private func name(_ text: String?) throws -> DNSName {
        text == "." ? .root : try #require(DNSName(text ?? ""))
    }

    @Test("Questions are written as another library writes them")
    func questions() throws {
        let rows = try rows("questions")
        #expect(rows.count == 4)
        for row in rows {
            let type = UInt16(try #require(row["type"]?.int64))
            let question = DNSQuestion(name: try name(row["name"]?.string), type: type)
            #expect(question.message == (try message(row)))
            let read = try #require(DNSMessage(question.message))
            #expect(read.questions == [question] && !read.isResponse && read.records.isEmpty)
        }
    }

    @Test("Answers are read as another library reads them")
    func answers() throws {
        let rows = try rows("valid")
        #expect(rows.count == 11)
        for row in rows {
            let (expect, bytes) = (row["expect"], try message(row["input"]))
            let read = try #require(DNSMessage(bytes), "\(row["comment"]?.text ?? "")")
            #expect(read.isResponse && read.operation == 0)
            #expect(Int64(read.id) == expect?["id"]?.int64 && Int64(read.code) == expect?["code"]?.int64)
            #expect(read.isTruncated == (expect?["truncated"] == true))
            #expect(read.questions.map(\.name) == [try name(expect?["name"]?.string)])
            #expect(read.questions.map { Int64($0.type) } == [expect?["type"]?.int64])
            let records = try (expect?["records"]?.array ?? []).map { record in
                DNSRecord(
                    owner: try name(record["owner"]?.string),
                    type: UInt16(try #require(record["type"]?.int64)), ttl: UInt32(try #require(record["ttl"]?.int64)),
                    data: try #require(Hex.decode(record["data"]?.string ?? "-")))
            }
            // Names in the data of NS and SOA, which prove nothing, are left as they came.
            let isProvable = { (record: DNSRecord) in ![2, 6].contains(record.type) }
            #expect(read.records.map(\.owner) == records.map(\.owner))
            #expect(read.records.map(\.ttl) == records.map(\.ttl))
            #expect(read.records.filter(isProvable) == records.filter(isProvable), "\(row["comment"]?.text ?? "")")
            #expect(DNSRecord.all(in: read.records.flatMap(\.wire)[...]) == read.records)
        }
    }

    @Test("Malformed messages are refused, as by another library")
    func malformed() throws {
        let rows = try rows("invalid")
        #expect(rows.count == 19)
        for row in rows {
            #expect(DNSMessage(try message(row["input"])) == nil, "\(row["why"]?.text ?? "")")
        }
    }

    @Test("No message that is cut off is read, and none with bytes behind its end")
    func cutOff() throws {
        for row in try rows("valid") {
            let bytes = try message(row["input"])
            for end in bytes.indices { #expect(DNSMessage(Array(bytes[..<end])) == nil) }
            #expect(DNSMessage(bytes + [0]) == nil)
        }
    }

    @Test("A message that is nothing but pointers is refused, or read at once")
    func pointers() {
        // A ladder of pointers, each to the one before it, and records whose names begin at its end.
        var ladder: [UInt8] = [0, 0, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 16, 0, 1, 0, 0, 0, 0, 0x20, 0]
        while ladder.count < 23 + 0x2000 {
            let target = ladder.count == 23 ? 12 : ladder.count - 2
            ladder += [0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]
        }
        for (place, isRead) in [(23 + 2 * 125, true), (23 + 2 * 126, false), (23 + 0x1FFE, false)] {
            var bytes = ladder
            var count = 0
            while bytes.count < 65_000 {
                bytes += [0xC0 | UInt8(place >> 8), UInt8(place & 0xFF), 0, 16, 0, 1, 0, 0, 0, 0, 0, 0]
                count += 1
            }
            bytes[10...11] = [UInt8((count + 1) >> 8), UInt8((count + 1) & 0xFF)]
            #expect((DNSMessage(bytes) != nil) == isRead)
        }
    }

    @Test("Whatever is changed, reading ends, and what was read can be a proof's")
    func changed() throws {
        var random = SplitMix64(seed: 5)
        for row in try rows("valid") {
            for _ in 0..<2000 {
                var bytes = try message(row["input"])
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                guard let read = DNSMessage(bytes) else { continue }
                #expect(DNSRecord.all(in: read.records.flatMap(\.wire)[...]) == read.records)
            }
        }
    }
}
