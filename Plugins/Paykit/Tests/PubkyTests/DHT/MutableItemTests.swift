import PaykitSandbox
import PaymentCore
import PaymentCrypto
import Testing

@testable import PaykitProvider

/// Items as BEP 44 prints them, and Pubky's packets as items.
@Suite("Items of the DHT")
struct MutableItemTests {
    private static let untrusted = WireDefect("the signature is not the key owner's over this number and value")
    private static let keyLength = WireDefect("the key of an item, and its seed, has 32 bytes")
    private static let tooLong = WireDefect("an item holds at most 1000 bytes; these are 1001: publish less")

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    @Test("The examples of BEP 44 are where it says and are rightly signed, with and without salt")
    func published() throws {
        let key = try bytes("77ff84905a91936367c01360803104f92432fcd904a43511876df5cdf3e7e548")
        let value = Array("Hello World!".utf8)
        let plain = MutableItem.signable(sequence: 1, value: value)
        #expect(String(decoding: plain, as: UTF8.self) == "3:seqi1e1:v12:Hello World!")
        let signature = try bytes(
            "305ac8aeb6c9c151fa120f120ea2cfb923564e11552d06a5d856091e5e853cff"
                + "1260d3f39e4999684aa92eb73ffd136e6f4f3ecbfda0ce53a1608ecd7ae21f01")
        let item = try MutableItem(key: key, sequence: 1, value: value, signature: signature)
        #expect("\(item.target)" == "4a533d47ec9c7d95b1ad75f576cffc641853b750")

        let salt = Array("foobar".utf8)
        let salted = MutableItem.signable(sequence: 1, value: value, salt: salt)
        #expect(String(decoding: salted, as: UTF8.self) == "4:salt6:foobar3:seqi1e1:v12:Hello World!")
        let saltedSignature = try bytes(
            "6834284b6b24c3204eb2fea824d82f88883a3d95e8b4a21b8c0ded553d17d17d"
                + "df9a8a7104b1258f30bed3787e6cb896fca78c58f8e03b5f18f14951a87d9a08")
        #expect(Ed25519.isValid(saltedSignature, message: salted, publicKey: key))
        #expect("\(MutableItem.target(key: key, salt: salt))" == "411eba73b6f087ca51a3795d9c8c938d365e32c1")
        #expect(throws: Self.untrusted) {
            try MutableItem(key: key, sequence: 1, value: value, signature: saltedSignature)
        }
    }

    @Test("Pubky's packets are items: number and value lie behind key and signature", arguments: Packets.all)
    func packets(_ packet: Packets.Packet) throws {
        let item = try packet.item
        #expect(item.key.count + item.signature.count + 8 + item.value.count == packet.bytes.count)
        #expect(item.sequence == 1_767_225_600_000_000)
        #expect("\(item.target)" == packet.target)
        #expect(try MutableItem(sequence: item.sequence, value: item.value, seed: packet.seed) == item)
    }

    @Test("An item with one wrong bit anywhere does not come to be")
    func wrong() throws {
        let item = try Packets.user.item
        for place in stride(from: 0, to: 32, by: 5) {
            var key = item.key
            key[place] ^= 1
            #expect(throws: Self.untrusted) {
                try MutableItem(key: key, sequence: item.sequence, value: item.value, signature: item.signature)
            }
            var signature = item.signature
            signature[place * 2] ^= 0x80
            #expect(throws: Self.untrusted) {
                try MutableItem(key: item.key, sequence: item.sequence, value: item.value, signature: signature)
            }
        }
        #expect(throws: Self.untrusted) {
            try MutableItem(key: item.key, sequence: item.sequence + 1, value: item.value, signature: item.signature)
        }
        #expect(throws: Self.untrusted) {
            try MutableItem(key: item.key, sequence: item.sequence, value: item.value + [0], signature: item.signature)
        }
        #expect(throws: Self.untrusted) {
            try MutableItem(
                key: item.key, sequence: item.sequence, value: item.value, signature: Array(item.signature.dropLast()))
        }
        #expect(throws: Self.keyLength) {
            try MutableItem(
                key: Array(item.key.dropLast()), sequence: item.sequence, value: item.value, signature: item.signature)
        }
    }

    @Test("A value has a thousand bytes at most, a seed exactly 32")
    func sizes() throws {
        let full = try Owner(1).item(1, Array(repeating: 7, count: 1000))
        #expect(full.value.count == 1000)
        #expect(throws: Self.tooLong) { try Owner(1).item(1, Array(repeating: 7, count: 1001)) }
        #expect(throws: Self.keyLength) {
            try MutableItem(sequence: 1, value: [], seed: Redacted(Array(repeating: 1, count: 31)))
        }
    }

    @Test("The higher number counts, and of equal numbers the larger value")
    func order() throws {
        let owner = Owner(2)
        let low = try owner.item(-5, [9])
        let first = try owner.item(1, [1])
        let second = try owner.item(1, [1, 0])
        let third = try owner.item(1, [2])
        let top = try owner.item(.max, [])
        for (older, newer) in [(low, first), (first, second), (second, third), (third, top)] {
            #expect(newer.isNewer(than: older) && !older.isNewer(than: newer))
        }
        #expect(!first.isNewer(than: first))
    }

    @Test("No item shows its value where it is printed")
    func silent() throws {
        #expect(!"\(try Owner(1).item(3, Array("private".utf8)))".contains("private"))
    }
}
