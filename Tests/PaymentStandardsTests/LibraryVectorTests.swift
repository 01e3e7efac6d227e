import Foundation
import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// Vectors whose inputs are no payment texts, and calls that need more than a text.
@Suite("Library vectors of payment standards")
struct LibraryVectorTests {
    private func rows(_ file: String, _ list: String) throws -> [JSONValue] {
        try JSONValue(parsing: Array(Vectors.data(file)))[list]?.array ?? []
    }

    @Test("ERC-1191 writes the checksum of a chain")
    func chainChecksums() throws {
        for row in try rows("lib-erc1191", "valid") {
            let text = try #require(row["input"]?["address"]?.string)
            let address = try #require(EthereumAddress(bytes: Hex.decode(text) ?? []))
            let chain = try #require(row["input"]?["chainId"]?.uint64)
            #expect(address.checksummed(chainID: chain) == row["expect"]?["checksum"]?.string)
        }
    }

    @Test("z-base-32 is written and read")
    func humanBase32() throws {
        for row in try rows("zbase32", "valid") {
            let bytes = try #require(Hex.decode(row["input"]?["hex"]?.string ?? ""))
            let bits = try #require(row["input"]?["bits"]?.uint64)
            let text = try #require(row["expect"]?["encoded"]?.string)
            #expect(Base32.human.encode(bytes, bitCount: Int(bits)) == text)
            if bits % 8 == 0 { #expect(Base32.human.decode(text.utf8) == bytes) }
        }
        for row in try rows("zbase32", "invalid") {
            #expect(Base32.human.decode((row["input"]?.string ?? "").utf8) == nil)
        }
    }

    @Test("A SEP-7 link is signed by its origin's key, and by no other, and only as it stands")
    func stellarSignature() throws {
        for row in try rows("sep7", "valid") {
            guard let signer = row["aux"]?["signerPublicKey"]?.string, let input = row["input"]?.string else {
                continue
            }
            let link = try SEP7(text: input)
            #expect(link.isSigned(by: signer))
            #expect(!link.isSigned(by: "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"))
            #expect(try !SEP7(text: input.replacing("120.1234567", with: "120.1234568")).isSigned(by: signer))
            #expect(try SEP7(text: link.text).isSigned(by: signer))
        }
    }

    @Test("One TXT record is chosen, and its parts are joined")
    func recordChoice() throws {
        for row in try rows("lib-bip353-dns", "valid") + rows("lib-bip353-dns", "invalid") {
            guard let records = row["input"]?.array else { continue }
            let texts = records.map { ($0.array ?? []).compactMap(\.string) }
            if let expected = row["expect"]?["uri"]?.string {
                #expect(try BIP353.link(amongTXT: texts) == expected)
            } else {
                #expect(throws: StandardDefect.self) { try BIP353.link(amongTXT: texts) }
            }
        }
    }

    /// 6 August 2025, when the proofs were valid.
    private static let proofTime = Date(timeIntervalSince1970: 1_754_500_000)

    private func proofs(_ list: String) throws -> [(bytes: [UInt8], expect: JSONValue?)] {
        try rows("lib-bip353-dns", list).compactMap { row in
            row["input"]?["proof"]?.string.flatMap { Hex.decode($0) }.map { ($0, row["expect"]) }
        }
    }

    @Test("A name's link is proved by DNSSEC, at its time only, and no changed byte goes unnoticed")
    func proof() throws {
        for (bytes, expect) in try proofs("valid") {
            let proof = try BIP353Proof(bytes, at: Self.proofTime)
            #expect("\(proof.name.user)@\(proof.name.domain)" == expect?["name"]?.string)
            #expect(try BIP321(text: proof.link).fields.count > 0)
            if let address = expect?["address"]?.string { #expect(proof.link.uppercased().contains(address)) }
            #expect(proof.validity.contains(Self.proofTime) && proof.timeToLive <= 3600)
            for days in [-400.0, 400] {
                #expect(throws: StandardDefect.self) {
                    try BIP353Proof(bytes, at: Self.proofTime + days * 86_400)
                }
            }
            var random = SplitMix64(seed: 3)
            for _ in 0..<60 {
                var changed = bytes
                changed[Int.random(in: changed.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                // A change may affect an unnecessary record, a TTL or a letter's case; never the answer.
                guard let other = try? BIP353Proof(changed, at: Self.proofTime) else { continue }
                #expect(other.link == proof.link && other.name.owner.lowercased() == proof.name.owner.lowercased())
            }
            for end in stride(from: 0, to: bytes.count, by: 37) {
                _ = try? BIP353Proof(Array(bytes[..<end]), at: Self.proofTime)
            }
        }
        let invalid = try proofs("invalid")
        #expect(invalid.count == 2)
        for (bytes, _) in invalid {
            #expect(throws: StandardDefect.self) { try BIP353Proof(bytes, at: Self.proofTime) }
        }
    }
}
