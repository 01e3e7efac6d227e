import PaykitSandbox
import PaymentCore
import PaymentTesting
import Testing

@testable import PaykitProvider

@Suite("Places in the DHT")
struct NodeIDTests {
    private func id(_ hex: String) throws -> NodeID {
        try #require(Hex.decode(hex).flatMap { NodeID($0) })
    }

    @Test("The checksum is Castagnoli's")
    func checksum() {
        #expect(CRC32C.checksum("123456789".utf8) == 0xE306_9283)
        #expect(CRC32C.checksum([]) == 0)
        #expect(CRC32C.checksum(Array(repeating: 0, count: 32)) == 0x8A91_36AA)
    }

    @Test(
        "The examples of BEP 42 belong to their addresses and to no other",
        arguments: [
            ("124.31.75.21:1", "5fbfbff10c5d6a4ec8a88e4c6ab4c28b95eee401"),
            ("21.75.31.124:1", "5a3ce9c14e7a08645677bbd1cfe7d8f956d53256"),
            ("65.23.51.170:1", "a5d43220bc8f112a3d426c84764f8c2a1150e616"),
            ("84.124.73.14:1", "1b0321dd1bb1fe518101ceef99462b947a01ff41"),
            ("43.213.53.83:1", "e56f6cbf5b7c4be0237986d5243b87aa6d51305a"),
        ])
    func bound(_ address: String, _ hex: String) throws {
        let address = try #require(DatagramAddress(address))
        let id = try id(hex)
        #expect(id.belongs(to: address))
        #expect(!id.belongs(to: DatagramAddress(host: address.host ^ 0x0001_0000, port: 1)))
        let made = NodeID(for: address.host, seed: try #require(id.bytes.last), fill: id)
        #expect(made == id)
        #expect(NodeID(for: address.host, random: SeededRandomSource(seed: 3)).belongs(to: address))
        #expect(try self.id("00" + hex.dropFirst(2)).belongs(to: .loopback(port: 1)))
    }

    @Test("Distances are the exclusive or, and the nearest sorts first")
    func distance() throws {
        let zero = try id(String(repeating: "00", count: 20))
        let one = try id(String(repeating: "00", count: 19) + "01")
        let far = try id("80" + String(repeating: "00", count: 19))
        let all = try id(String(repeating: "ff", count: 20))
        #expect(one.distance(to: one) == zero && far.distance(to: one) > one.distance(to: zero))
        #expect(one.leadingZeroBits == 159 && far.leadingZeroBits == 0 && zero.leadingZeroBits == 160)
        #expect(all == NodeID.farthest && far.fraction == 0.5)
        #expect([all, one, far, zero].sorted() == [zero, one, far, all])
        #expect(NodeID([UInt8](repeating: 0, count: 19)) == nil && NodeID([UInt8](repeating: 0, count: 21)) == nil)
        #expect(one.bytes.count == 20 && NodeID(one.bytes) == one)
    }

    @Test("Contacts are 26 bytes each, and a broken list is none")
    func contacts() throws {
        let bytes = try #require(
            Hex.decode("5fbfbff10c5d6a4ec8a88e4c6ab4c28b95eee4017f0000011ae1" + String(repeating: "ff", count: 26)))
        let list = try #require(NodeContact.list(bytes))
        #expect(list.map(\.address.description) == ["127.0.0.1:6881", "255.255.255.255:65535"])
        #expect(list.flatMap(\.compact) == bytes)
        #expect(NodeContact.list(Array(bytes.dropLast())) == nil && NodeContact.list([]) == [])
    }
}
