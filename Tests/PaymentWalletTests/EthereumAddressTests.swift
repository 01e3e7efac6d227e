import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentWallet
import Testing

@Suite("Ethereum addresses")
struct EthereumAddressTests {
    @Test("reads and writes ERC-55", arguments: try VectorFile("eip55").valid)
    func reads(row: VectorFile.Row) throws {
        let text = try #require(row.input.string)
        let address = try EthereumAddress(parsing: text)
        #expect(address.checksummed == row.expected("checksum"))
        #expect((address.checksummed == text) == row.json["expect"]?["checksummed"]?.bool)
        #expect("\(address)" == address.checksummed)
        #expect(try EthereumAddress(parsing: "0x" + Hex.encode(address.bytes)) == address)
    }

    @Test("refuses", arguments: try VectorFile("eip55").invalid)
    func refuses(row: VectorFile.Row) throws {
        let text = try #require(row.input.string)
        let error = #expect(throws: EthereumAddressError.self) { try EthereumAddress(parsing: text) }
        switch row.json["class"]?.string {
        case "checksum": #expect(error == .wrongChecksum)
        case "length": #expect(error == .wrongLength(digits: text.utf8.count - 2))
        default: #expect(error == (text.hasPrefix("0x") ? .invalidDigit : .missingPrefix))
        }
    }

    @Test("refuses other shapes", arguments: ["", "0x", "0X8617E340B3D01FA5F11F306F4090FD50E238070D", "0xé", " 0x"])
    func refusesShapes(text: String) {
        #expect(throws: EthereumAddressError.self) { try EthereumAddress(parsing: text) }
    }

    @Test("of a public key", arguments: try VectorFile("secp256k1-rfc6979").valid)
    func ofAKey(row: VectorFile.Row) throws {
        let key = try Secp256k1PrivateKey(row.inputBytes("privateKey"))
        #expect(EthereumAddress(key.publicKey).checksummed == row.expected("address"))
    }
}
