import Foundation
import PaymentCore
import TestSupport
import Testing

@Suite("CAIP-2, CAIP-10 and CAIP-19")
struct CAIPTests {
    struct File: Decodable {
        let valid: [Row]
        let invalid: [Row]
    }

    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let input: String
        let `class`: String
        let expect: [String: String?]?
        let why: String?

        var testDescription: String { input }
    }

    private static func rows(_ keyPath: KeyPath<File, [Row]>) throws -> [Row] {
        try JSONValue(parsing: Vectors.data("caip")).decode(File.self)[keyPath: keyPath]
    }

    @Test("The published ids and their parts", arguments: try rows(\.valid))
    func valid(row: Row) throws {
        var parts: [String: String?] = ["standard": row.class]
        switch row.class {
        case "caip2":
            let id = try ChainID(row.input)
            parts["namespace"] = String(id.namespace)
            parts["reference"] = String(id.reference)
            #expect(id.description == row.input)
            #expect(try JSONDecoder().decode([ChainID].self, from: JSONEncoder().encode([id])) == [id])
        case "caip10":
            let id = try AccountID(row.input)
            parts["namespace"] = String(id.chain.namespace)
            parts["reference"] = String(id.chain.reference)
            parts["address"] = String(id.address)
            #expect(id.description == row.input)
            #expect(try AccountID(chain: id.chain, address: String(id.address)) == id)
            #expect(try JSONDecoder().decode([AccountID].self, from: JSONEncoder().encode([id])) == [id])
        default:
            let id = try AssetID(row.input)
            parts["chain"] = id.chain.text
            parts["assetNamespace"] = String(id.namespace)
            parts["assetReference"] = String(id.reference)
            parts.updateValue(id.tokenID.map(String.init), forKey: "tokenId")
            #expect(id.description == row.input)
            #expect(try JSONDecoder().decode([AssetID].self, from: JSONEncoder().encode([id])) == [id])
        }
        #expect(parts == row.expect)
    }

    @Test("The published malformed ids", arguments: try rows(\.invalid))
    func invalid(row: Row) {
        #expect(throws: CAIPError.self, "\(row.why ?? "")") {
            switch row.class {
            case "caip2": _ = try ChainID(row.input)
            case "caip10": _ = try AccountID(row.input)
            default: _ = try AssetID(row.input)
            }
        }
    }

    @Test(
        "Malformed chains name the part",
        arguments: [
            ("", CAIPError(.chainNamespace, .missing)), (":1", CAIPError(.chainNamespace, .missing)),
            ("eip155", CAIPError(.chainReference, .missing)), ("eip155:", CAIPError(.chainReference, .missing)),
            ("ei:1", CAIPError(.chainNamespace, .tooShort(minimum: 3))),
            ("eip155toolong:1", CAIPError(.chainNamespace, .tooLong(maximum: 8))),
            ("EIP155:1", CAIPError(.chainNamespace, .forbiddenCharacter(offset: 0))),
            ("eip_5:1", CAIPError(.chainNamespace, .forbiddenCharacter(offset: 3))),
            ("eip155:1:2", CAIPError(.chainReference, .forbiddenCharacter(offset: 1))),
            ("eip155:ä", CAIPError(.chainReference, .forbiddenCharacter(offset: 0))),
            ("eip155:" + String(repeating: "a", count: 33), CAIPError(.chainReference, .tooLong(maximum: 32))),
        ])
    func chain(text: String, error: CAIPError) {
        #expect(throws: error) { try ChainID(text) }
    }

    @Test(
        "Malformed accounts name the part",
        arguments: [
            ("eip155:1", CAIPError(.accountAddress, .missing)), ("eip155:1:", CAIPError(.accountAddress, .missing)),
            ("eip155::0xab", CAIPError(.chainReference, .missing)),
            ("eip155:1:0xab/16", CAIPError(.accountAddress, .forbiddenCharacter(offset: 4))),
            ("eip155:1:a:b", CAIPError(.accountAddress, .forbiddenCharacter(offset: 1))),
            ("eip155:1:" + String(repeating: "a", count: 129), CAIPError(.accountAddress, .tooLong(maximum: 128))),
            (
                "0xab16a96d359ec26a11e2c2b3d8f8b8942d5bfcdb@eip155:1",
                CAIPError(.chainNamespace, .tooLong(maximum: 8))
            ),
        ])
    func account(text: String, error: CAIPError) {
        #expect(throws: error) { try AccountID(text) }
    }

    @Test(
        "Malformed assets name the part",
        arguments: [
            ("eip155:1", CAIPError(.assetNamespace, .missing)), ("eip155:1/", CAIPError(.assetNamespace, .missing)),
            ("eip155:1/slip44", CAIPError(.assetReference, .missing)),
            ("eip155/slip44:60", CAIPError(.chainReference, .missing)),
            ("eip155:1/ERC20:0x1", CAIPError(.assetNamespace, .forbiddenCharacter(offset: 0))),
            ("eip155:1/erc721:0x1/", CAIPError(.tokenID, .missing)),
            ("eip155:1/erc721:0x1/2/3", CAIPError(.tokenID, .forbiddenCharacter(offset: 1))),
            ("eip155:1/erc721:0x1/" + String(repeating: "7", count: 79), CAIPError(.tokenID, .tooLong(maximum: 78))),
            ("eip155:1/erc20:0x1?x", CAIPError(.assetReference, .forbiddenCharacter(offset: 3))),
        ])
    func asset(text: String, error: CAIPError) {
        #expect(throws: error) { try AssetID(text) }
    }

    @Test("The longest ids are accepted")
    func longest() throws {
        let chain = "abcdefgh:" + String(repeating: "Z", count: 32)
        #expect(try ChainID(chain).reference.utf8.count == 32)
        #expect(try AccountID(chain + ":" + String(repeating: "%", count: 128)).address.utf8.count == 128)
        let asset = chain + "/-23:" + String(repeating: ".", count: 128) + "/" + String(repeating: "-", count: 78)
        #expect(try AssetID(asset).tokenID?.utf8.count == 78)
    }

    @Test("Malformed coded ids are refused")
    func coding() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ChainID].self, from: Data(#"["eip155"]"#.utf8))
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([AssetID].self, from: Data("[1]".utf8)) }
    }

    @Test("Errors are sentences without the id")
    func descriptions() {
        #expect(CAIPError(.chainReference, .missing).description == "the chain reference is missing")
        #expect(
            CAIPError(.accountAddress, .forbiddenCharacter(offset: 4)).description
                == "the account address holds a forbidden character (byte 4 of it)")
        #expect(CAIPError(.chainNamespace, .tooShort(minimum: 3)).description.contains("at least 3"))
    }
}
