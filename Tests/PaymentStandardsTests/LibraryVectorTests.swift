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
}
