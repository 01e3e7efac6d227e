import Foundation
import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStandards

/// Proofs over aliases and wildcards, below a separate root.
@Suite("DNSSEC proofs over aliases and wildcards")
struct AliasProofTests {
    private struct File {
        let json: JSONValue
        let anchor: [UInt8]
        let time: Date

        init() throws {
            json = try JSONValue(parsing: Array(Vectors.data("lib-dnssec-aliases")))
            anchor = try #require(Hex.decode(json["anchor"]?.string ?? ""))
            time = Date(timeIntervalSince1970: Double(try #require(json["time"]?.int64)))
        }

        func rows(_ list: String) throws -> [(proof: [UInt8], row: JSONValue)] {
            try (json[list]?.array ?? []).map { row in
                (try #require(Hex.decode(row["input"]?["proof"]?.string ?? "")), row)
            }
        }
    }

    @Test("CNAME and DNAME are followed, and NSEC and NSEC3 prove what a wildcard stands in for")
    func sound() throws {
        let file = try File()
        for (bytes, row) in try file.rows("valid") {
            let proof = try BIP353Proof(bytes, at: file.time, anchors: [file.anchor])
            #expect(proof.link == row["expect"]?["uri"]?.string, "\(row["comment"]?.text ?? "")")
            #expect("\(proof.name.user)@\(proof.name.domain)" == row["expect"]?["name"]?.string)
            #expect(throws: StandardDefect.self, "the real root did not sign it") {
                try BIP353Proof(bytes, at: file.time)
            }
        }
    }

    @Test("What does not prove a name is refused")
    func unsound() throws {
        let file = try File()
        let rows = try file.rows("invalid")
        #expect(rows.count == 15)
        for (bytes, row) in rows {
            #expect(throws: StandardDefect.self, "\(row["why"]?.text ?? "")") {
                try BIP353Proof(bytes, at: file.time, anchors: [file.anchor])
            }
        }
    }

    @Test("No changed byte of a proof leads to another link")
    func changed() throws {
        let file = try File()
        var random = SplitMix64(seed: 11)
        for (bytes, row) in try file.rows("valid") {
            for _ in 0..<60 {
                var other = bytes
                other[Int.random(in: other.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                guard let proof = try? BIP353Proof(other, at: file.time, anchors: [file.anchor]) else { continue }
                #expect(proof.link == row["expect"]?["uri"]?.string)
            }
        }
    }

    @Test("Names come in the order of DNSSEC, a name before all below it")
    func order() throws {
        // RFC 4034 section 6.1.
        let names = ["example", "a.example", "yljkjljk.a.example", "z.a.example", "zabc.a.example", "z.example"]
        let parsed = try names.map { try #require(DNSName($0)) }
        for left in parsed.indices {
            for right in parsed.indices { #expect(parsed[left].precedes(parsed[right]) == (left < right)) }
        }
    }
}
