import PaymentCore
import PaymentCrypto
import PaymentStandards
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
}
