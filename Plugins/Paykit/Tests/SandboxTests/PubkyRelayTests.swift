import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

/// The simulated pkarr relay (Protocol 2.2).
@Suite("The Pubky sandbox's pkarr relay")
struct PubkyRelayTests {
    private let world = PubkyWorld()
    /// The recorded packet of a user whose seed is 32 times 11, from the signature on.
    private static let recorded = Hex.decode(
        "d710e724ebc2c458424b64b2f2852e5de50acf5c3fc010cbc3f99c28d875068f6d0e7f015564a59ae56e7631edc5a0900a883533ad3d7cf4"
            + "ea048c534236e1070006474846204000000080000000000100000000065f7075626b79343462666d726375776671346b73716f75706e36"
            + "77636678726835656e7231697a646579737a6d6866726e747566316d7a6f68356f000041000100000e100038000034776e706b6d376434"
            + "63376361796d39336b7a6870616d6a6b6e31316875386a647a346d396f337931783968756f706e697775617900")!
    private static let key = "4bfmrcuwfq4ksqoupn6wcfxrh5enr1izdeyszmhfrntuf1mzoh5o"

    private func packet(_ offset: Int64, by pair: PubkyKeyPair) throws -> SignedPacket {
        let name = try #require(SignedPacket.name("_pubky", under: pair.publicKey))
        let record = DNSRecord(name, .txt([Array("\(offset)".utf8)]))
        return try SignedPacket(signing: [record], at: UInt64(Int64(PubkyWorld.start) + offset), by: pair)
    }

    @Test("A packet comes back byte for byte, with its dates", arguments: Wire.allCases)
    func roundTrip(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        #expect(try await world.send("GET", "/pkarr/\(Self.key)").status == 404)
        #expect(try await world.send("PUT", "/pkarr/\(Self.key)", body: Self.recorded).line == "204")
        let answer = try await world.send("GET", "/pkarr/\(Self.key)")
        #expect(answer.status == 200)
        #expect(answer.body == Self.recorded)
        #expect(answer.headers["Content-Type"] == "application/pkarr.org/relays#payload")
        #expect(answer.headers["Cache-Control"] == "public, max-age=3600")
        #expect(answer.headers["Last-Modified"] == "Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
    }

    @Test(
        "A client that has the packet already gets none",
        arguments: [
            ("Thu, 01 Jan 2026 00:00:00 GMT", 304), ("Thu, 01 Jan 2026 00:00:01 GMT", 304),
            ("Wed, 31 Dec 2025 23:59:59 GMT", 200), ("yesterday", 200),
        ])
    func conditional(date: String, status: Int) async throws {
        _ = try await world.send("PUT", "/pkarr/\(Self.key)", body: Self.recorded)
        let answer = try await world.send("GET", "/pkarr/\(Self.key)", [("If-Modified-Since", date)])
        #expect(answer.status == status)
        #expect(answer.body.isEmpty == (status == 304))
        #expect(answer.headers["Cache-Control"] == "public, max-age=3600")
    }

    @Test("What is no packet of the key is refused, and nothing is stored")
    func refused() async throws {
        var forged = Self.recorded
        forged[0] ^= 1
        var garbled = Self.recorded
        garbled[80] ^= 1
        for body in [[], Array(Self.recorded.prefix(71)), forged, garbled] {
            #expect(try await world.send("PUT", "/pkarr/\(Self.key)", body: body).status == 400)
        }
        let other = try PubkyWorld.pair(0x22).publicKey
        #expect(try await world.send("PUT", "/pkarr/\(other)", body: Self.recorded).status == 400)
        #expect(try await world.send("PUT", "/pkarr/\(Self.key)", body: Self.recorded + [0]).status == 400)
        let long = [UInt8](repeating: 0, count: 1073)
        #expect(try await world.send("PUT", "/pkarr/\(Self.key)", body: long).status == 413)
        for name in ["short", Self.key.uppercased(), "pubky\(Self.key)"] {
            #expect(try await world.send("GET", "/pkarr/\(name)").status == 400, "\(name)")
            #expect(try await world.send("PUT", "/pkarr/\(name)", body: Self.recorded).status == 400, "\(name)")
        }
        #expect(try await world.send("GET", "/pkarr/\(Self.key)").status == 404)
        #expect(try await world.send("DELETE", "/pkarr/\(Self.key)").status == 405)
        #expect(try await world.send("GET", "/pkarr/\(Self.key)?policy=Newest").status == 400)
        #expect(try await world.send("GET", "/pkarr/\(Self.key)?policy=CacheOnly").status == 404)
    }

    @Test("Older packets do not displace newer ones, and equal ones may come again")
    func order() async throws {
        let pair = try PubkyWorld.pair(7)
        let path = "/pkarr/\(pair.publicKey)"
        func put(_ offset: Int64, ifMatch: String? = nil) async throws -> Int {
            let headers = ifMatch.map { [("If-Match", $0)] } ?? []
            return try await world.send("PUT", path, headers, body: packet(offset, by: pair).payload).status
        }
        #expect(try await put(0) == 204)
        #expect(try await put(0) == 204)
        #expect(try await put(-1) == 409)
        #expect(try await put(1, ifMatch: "\(PubkyWorld.start + 7)") == 412)
        #expect(try await put(1, ifMatch: "soon") == 400)
        #expect(try await put(1, ifMatch: "\(PubkyWorld.start)") == 204)
        #expect(try await put(0) == 409)
        #expect(try await world.send("GET", path).body == packet(1, by: pair).payload)
    }

    @Test("While one is being stored, another needs to say which it replaces")
    func concurrent() async throws {
        let world = PubkyWorld { $0.publishTime = .seconds(3) }
        let pair = try PubkyWorld.pair(7)
        let path = "/pkarr/\(pair.publicKey)"
        let (first, second, third) = (
            try packet(1, by: pair).payload, try packet(2, by: pair).payload, try packet(3, by: pair).payload
        )
        async let slow = world.send("PUT", path, body: first)
        await world.clock.sleepers(1)
        #expect(try await world.send("PUT", path, body: second).status == 428)
        async let replacing = world.send("PUT", path, [("If-Match", "0")], body: third)
        await world.clock.sleepers(2)
        world.clock.advance(by: .seconds(3))
        let statuses = try await [slow.status, replacing.status]
        // In any order of storing, the latest packet stays.
        #expect(statuses[1] == 204)
        #expect(try await world.send("GET", path).body == third)
    }

    @Test("The homeserver says where it is asked", arguments: Wire.allCases)
    func ownPacket(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let answer = try await world.send("GET", "/pkarr/\(world.sandbox.homeserver)")
        let packet = try SignedPacket(payload: answer.body, of: world.sandbox.homeserver)
        let services = packet.records(at: "").compactMap(\.data.service)
        #expect(services.map(\.priority) == [1, 10])
        #expect(services.map { "\($0.target)" } == ["", "localhost"])
        #expect(services.last?.port(DNSService.localHTTPPortKey) == world.port)
        #expect(packet.records(at: "").map(\.data.type) == [65, 65, 1])
    }

    @Test("The client finds the homeserver of a user", arguments: Wire.allCases)
    func located(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let user = await world.sandbox.createUser()
        let address = try await world.locator().address(of: user.key)
        #expect(address.origin == "http://localhost:\(world.port)")
        #expect(try await world.locator().homeserver(of: user.key) == world.sandbox.homeserver)
        // The server at the address really has the user's files.
        let file = try PubkyAddress(user.key, path: "/pub/pubky.app/profile.json")
        guard try await Homeserver(address, over: world.transport).read(file) != nil else {
            Issue.record("no profile at \(address)")
            return
        }
    }

    @Test("Without regard to who published it, the client's record is what others find")
    func published() async throws {
        let pair = try PubkyWorld.pair(9)
        await #expect(throws: PaykitNetworkError.self) { try await world.locator().homeserver(of: pair.publicKey) }
        let name = try #require(SignedPacket.name("_pubky", under: pair.publicKey))
        let target = try #require(DNSName(world.sandbox.homeserver.text))
        let packet = try SignedPacket(
            signing: [DNSRecord(name, .https(DNSService(priority: 0, target: target)))], at: PubkyWorld.start, by: pair)
        #expect(try await world.pkarr().publish(packet) == 1)
        #expect(try await world.locator().homeserver(of: pair.publicKey) == world.sandbox.homeserver)
    }
}
