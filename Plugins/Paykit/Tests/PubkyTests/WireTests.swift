import PaykitSandbox
import PaymentCore
import PaymentCrypto
import Testing

@testable import PaykitProvider

/// The bytes that Pubky's services send and accept.
@Suite("Pubky's wire forms")
struct WireTests {
    static func pair(_ byte: UInt8) throws -> PubkyKeyPair {
        try PubkyKeyPair(seed: [UInt8](repeating: byte, count: 32))
    }
    static let moment: UInt64 = 1_767_225_600_000_000

    static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    /// Returns a packet of a user, which has one address.
    static func packet(_ time: UInt64, _ byte: UInt8) throws -> SignedPacket {
        let pair = try pair(0x11)
        let name = try #require(SignedPacket.name("", under: pair.publicKey))
        return try SignedPacket(signing: [DNSRecord(name, .a([byte, 0, 0, 1]))], at: time, by: pair)
    }

    // MARK: Numbers and texts

    @Test(
        "Varints are seven bits a byte, the lowest first",
        arguments: [
            (0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (UInt64.max, "ffffffffffffffffff01"),
        ] as [(UInt64, String)])
    func varints(_ number: UInt64, _ hex: String) throws {
        #expect(Hex.encode(Postcard.varint(number)) == hex)
        var reader = ByteReader(try Self.bytes(hex))
        #expect(try reader.varint() == number)
        #expect(reader.remaining == 0)
    }

    @Test("Signed numbers stay short on both sides of zero")
    func signed() {
        #expect(Postcard.varint(signed: 0) == [0])
        #expect(Postcard.varint(signed: -1) == [1])
        #expect(Postcard.varint(signed: 1) == [2])
        #expect(Hex.encode(Postcard.varint(signed: 1000)) == "d00f")
        #expect(Hex.encode(Postcard.varint(signed: .min)) == "ffffffffffffffffff01")
    }

    @Test(
        "Numbers, texts and lists of a dishonest peer are refused without reserving what they promise",
        arguments: ["", "80", "ffffffffffffffffff02", "ffffffffffffffffffff01"])
    func lyingNumbers(_ hex: String) throws {
        var reader = ByteReader(try Self.bytes(hex))
        #expect(throws: WireDefect.self) { try reader.varint() }
    }

    @Test("A text of four gigabytes that never comes is refused, and so is a list")
    func lyingLengths() throws {
        var reader = ByteReader(try Self.bytes("ffffffff0f41"))
        #expect(throws: WireDefect.self) { try reader.string() }
        reader = ByteReader(try Self.bytes("ffffffff0f41"))
        #expect(throws: WireDefect.self) { try reader.strings() }
        reader = ByteReader([2, 0xFF, 0xFE])
        #expect(throws: WireDefect.self) { try reader.string() }
    }

    // MARK: Tokens and sessions

    private static let tokens = [
        (
            "/:rw",
            "8b13e03c9186720ec68b1927681af047ea856beaf57bed4d306d0f212bcb3442e12672022afe4bbcc4189898859650ec7c49bbb7"
                + "6ce737eeb63c697697195d0f5055424b593a41555448000006474846204000d04ab232742bb4ab3a1368bd4615e4e6d0224ab7"
                + "1a016baf8520a332c9778737042f3a7277"
        ),
        (
            "/pub/paykit.app/v0/:rw,/pub/pubky.app/:r",
            "e8cb12493c2b43df864969296cb14e58b42edc0688096137cec777ee4f5506c2145d18d04251650029b7de3730c08b6d7fe1ca3e"
                + "705891522759dfbd284f430a5055424b593a41555448000006474846204000d04ab232742bb4ab3a1368bd4615e4e6d0224ab7"
                + "1a016baf8520a332c9778737282f7075622f7061796b69742e6170702f76302f3a72772c2f7075622f7075626b792e6170702f"
                + "3a72"
        ),
        (
            "",
            "9050bd82296772960326e991a4b4843ba83b0b260315cc1f8bc8db73fac4b015220c4d9435d037fc9dc1ebd8200e42cd08a20876"
                + "b5d5e021402cfdc5d3e56f005055424b593a41555448000006474846204000d04ab232742bb4ab3a1368bd4615e4e6d0224ab7"
                + "1a016baf8520a332c977873700"
        ),
    ]

    @Test("Tokens are signed as others sign them", arguments: tokens)
    func token(_ capabilities: String, _ hex: String) throws {
        let capabilities = try PubkyCapability.list(capabilities)
        let token = AuthToken(capabilities, at: Self.moment, by: try Self.pair(0x11))
        #expect(Hex.encode(token.bytes) == hex)
        let read = try AuthToken(parsing: try Self.bytes(hex))
        #expect(read.capabilities == capabilities)
        #expect(read.timestamp == Self.moment)
        #expect(read.key == (try Self.pair(0x11)).publicKey)
        #expect(Hex.encode(read.id) == "0006474846204000" + Hex.encode(read.key.bytes))
    }

    @Test("A token that was changed anywhere but in its first letter is refused")
    func changedToken() throws {
        let bytes = try Self.bytes(Self.tokens[0].1)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: WireDefect.self, "\(index)") { try AuthToken(parsing: changed) }
        }
        for count in 0..<bytes.count {
            #expect(throws: WireDefect.self) { try AuthToken(parsing: Array(bytes.prefix(count))) }
        }
        #expect(throws: WireDefect.self) { try AuthToken(parsing: bytes + [0]) }
    }

    @Test("Sessions are read and written as homeservers send them")
    func session() throws {
        let first = "003b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29000003666f6f01042f3a7277"
        let info = try SessionInfo(parsing: Self.bytes(first))
        #expect(info.key == (try Self.pair(0)).publicKey)
        #expect(info.userAgent == "foo" && info.createdAt == 0 && info.capabilities == [.root])
        #expect(Hex.encode(info.wire) == first)
        let second =
            "00d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737808081b184e99103000f7075626b792e6f726740"
            + "302e362e3001042f3a7277"
        let other = try SessionInfo(parsing: Self.bytes(second))
        #expect(other.createdAt == Self.moment && other.userAgent == "pubky.org@0.6.0")
        #expect(Hex.encode(other.wire) == second)
        for count in 0..<first.count / 2 {
            #expect(throws: WireDefect.self) { try SessionInfo(parsing: Array(try Self.bytes(first).prefix(count))) }
        }
    }

    @Test("Capabilities are read, merged by scope and written with sorted actions")
    func capabilities() throws {
        #expect(try PubkyCapability("/:wr").text == "/:rw")
        #expect(try PubkyCapability("/a:rrw") == PubkyCapability("/a:rw"))
        #expect(PubkyCapability.text(try PubkyCapability.list("/a:r,/b:w,/a:w")) == "/a:rw,/b:w")
        for (text, defect) in [
            ("pub/:rw", .scope), ("/pub/", .form), ("/:x", .action), ("/:r:w", .form), ("", .form),
        ] as [(String, PubkyCapabilityDefect)] {
            #expect(throws: defect) { try PubkyCapability(text) }
        }
        #expect(try PubkyCapability("/pub/a:w").allowsWriting("/pub/ab"))
        #expect(try !PubkyCapability("/pub/a/:r").allowsWriting("/pub/a/b"))
        #expect(try !PubkyCapability("/pub/a/:w").allowsWriting("/pub/b"))
    }

    // MARK: Addresses

    @Test("Addresses are read in both forms and printed in one")
    func addresses() throws {
        let key = try Self.pair(0x11).publicKey
        for text in ["pubky://\(key)/pub/a", "pubky\(key)/pub/a"] {
            let address = try PubkyAddress(text)
            #expect(address.owner == key && address.path == "/pub/a")
            #expect(address.text == "pubky://\(key)/pub/a")
        }
        #expect(try PubkyAddress("pubky://\(key)").path == "/")
        #expect(try PubkyAddress(key, path: "pub/My File.txt").path == "/pub/My%20File.txt")
        #expect(try PubkyAddress(key, path: "/ä/β/漢").path == "/%C3%A4/%CE%B2/%E6%BC%A2")
        #expect(try PubkyAddress(key, path: "/pub/dir/").path == "/pub/dir/")
        #expect(try PubkyAddress("pubky://\(key)/pub/My%20File.txt").path == "/pub/My%20File.txt")
        for text in ["/pub/x", "https://_pubky.\(key)/x", "", "\(key)/pub/x"] {
            #expect(throws: PubkyAddressDefect.form) { try PubkyAddress(text) }
        }
        #expect(throws: PubkyAddressDefect.self) { try PubkyAddress("pubkynot-a-key/pub/x") }
        for path in ["/a//b", "/a/./b", "/../b", "//"] {
            #expect(throws: PubkyAddressDefect.path) { try PubkyAddress(key, path: path) }
        }
    }
}

/// The code of the failure of `work`; nil if it succeeds.
func code(_ work: () async throws -> Void) async -> PaykitNetworkError.Code? {
    do {
        try await work()
        return nil
    } catch { return (error as? PaykitNetworkError)?.code }
}
