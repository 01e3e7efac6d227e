import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

@testable import PaykitProvider

/// Channels of the reference implementation: `pubky-noise.json`.
@Suite("Recorded channels")
struct NoiseTranscriptTests {
    private static func json() throws -> JSONValue { try JSONValue(parsing: Array(try Vectors.data("pubky-noise"))) }

    private static func bytes(_ json: JSONValue?) throws -> [UInt8] { try WireTests.bytes(try #require(json?.string)) }

    private static func seed(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private static let client = NoiseKeys.device(
        seed: seed(0x11), device: Array("client-device-01".utf8), epoch: 0)
    private static let server = NoiseKeys.device(
        seed: seed(0x22), device: Array("server-device-01".utf8), epoch: 0)

    @Test(
        "Devices' keys are derived as others derive them",
        arguments: [
            ("00..1f", "device-id-0123456789", 0, "38fa070cdbf40f6d81a260c0f39ca3ec9d59f01d36ffb3907eea252da0aa3c6e"),
            ("00", "device-id-0123456789", 0, "c8ac7e2f026621209425465b4a05b2694270fbb22786cadbe1470b7c0b2feb64"),
            ("11", "client-device-01", 0, "187043472f9c990ecb97aa4a342b4333c34d9f833e436f37ad16dca9c5237c4e"),
            ("11", "client-device-01", 1, "f0401e80a8db895a83658155bd4e62fa218e279db8c2695858ff037881d0d75c"),
            ("22", "server-device-01", 0, "8012c23f180827a28c66485b5a57c60fa3fca562168fee5256c956c73b50d36e"),
        ] as [(String, String, UInt32, String)])
    func keys(_ seed: String, _ device: String, _ epoch: UInt32, _ expected: String) throws {
        let seed = seed == "00..1f" ? Array(0...31) : Self.seed(try WireTests.bytes(seed)[0])
        #expect(Hex.encode(NoiseKeys.device(seed: seed, device: Array(device.utf8), epoch: epoch)) == expected)
    }

    @Test("As a client we write what the real server took, and read what it answered", arguments: ["A", "B"])
    func asClient(_ name: String) throws {
        let json = try Self.json()
        let recorded = try #require(json[name])
        let serverKey = try X25519.publicKey(of: Self.server)
        let identity = NoiseIdentity.text(
            of: try WireTests.pair(0x11),
            .init(.ik, .client, local: try X25519.publicKey(of: Self.client), remote: serverKey),
            name == "A" ? .a : .b)
        #expect(String(decoding: identity, as: UTF8.self) == recorded["identity"]?.string)
        var handshake = try NoiseHandshake(
            NoiseSuite(.ik), .initiator, prologue: NoiseIdentity.prologue, ownStatic: Self.client,
            ownEphemeral: Self.seed(0x33), remoteStatic: serverKey)
        #expect(try handshake.write(identity) == (try Self.bytes(recorded["m1"])))
        #expect(try handshake.read(Self.bytes(recorded["m2"])).isEmpty)
        var channel = try handshake.channel()
        #expect(channel.binding == (try Self.bytes(recorded["hash"])))
        func text(_ name: String) throws -> [UInt8] { Array(try #require(json["plaintexts"]?[name]?.string).utf8) }
        #expect(try channel.sending.seal(text("c2s#0")) == (try Self.bytes(recorded["c2s#0"])))
        #expect(try channel.receiving.open(Self.bytes(recorded["s2c#0"])) == (try text("s2c#0")))
        #expect(try channel.sending.seal(text("c2s#1")) == (try Self.bytes(recorded["c2s#1"])))
    }

    /// The handshake of a server, and the client's statement about itself.
    private static func heard(_ message: [UInt8]) throws -> (NoiseHandshake, [UInt8], NoiseIdentity.Binding) {
        var handshake = try NoiseHandshake(
            NoiseSuite(.ik), .responder, prologue: NoiseIdentity.prologue, ownStatic: server, ownEphemeral: seed(0x44))
        let payload = try handshake.read(message)
        let binding = NoiseIdentity.Binding(
            .ik, .client, local: try #require(handshake.remoteStatic), remote: try X25519.publicKey(of: server))
        return (handshake, payload, binding)
    }

    @Test("As a server we know the real client, and answer byte for byte")
    func asServer() throws {
        let recorded = try #require(try Self.json()["reverse"])
        var (handshake, payload, binding) = try Self.heard(Self.bytes(recorded["m1"]))
        let identity = try NoiseIdentity(payload, binding, now: 1_800_000_000)
        #expect(identity.key == (try WireTests.pair(0x11)).publicKey)
        #expect(identity.generation == .a)
        #expect(try handshake.write([]) == (try Self.bytes(recorded["m2"])))
        var channel = try handshake.channel()
        #expect(channel.binding == (try Self.bytes(recorded["hash"])))
        #expect(try channel.receiving.open(Self.bytes(recorded["c2s#0"])) == Array("hello from client".utf8))
    }

    @Test("Both generations' identities are distinguished and checked", arguments: ["A", "B"])
    func identities(_ name: String) throws {
        let (_, payload, binding) = try Self.heard(Self.bytes(try Self.json()[name]?["m1"]))
        let identity = try NoiseIdentity(payload, binding, now: 1_800_000_000)
        #expect(identity.generation == (name == "A" ? .a : .b))
        let text = String(decoding: payload, as: UTF8.self)
        for change in [
            ("\"sig\":[", "\"sig\":[0,"), ("208,74", "208,75"), ("\"sig\"", "\"sg\""), ("ed25519_pub", "ed"),
        ] {
            #expect(throws: WireDefect.self, "\(change)") {
                try NoiseIdentity(Array(text.replacing(change.0, with: change.1).utf8), binding, now: 1)
            }
        }
        let foreign = NoiseIdentity.Binding(.ik, .client, local: Self.seed(9), remote: binding.remote)
        #expect(throws: WireDefect.self) { try NoiseIdentity(payload, foreign, now: 1) }
        let elsewhere = NoiseIdentity.Binding(.ik, .client, local: binding.local, remote: Self.seed(9))
        #expect(throws: WireDefect.self) { try NoiseIdentity(payload, elsewhere, now: 1) }
        let other = NoiseIdentity.Binding(.ik, .server, local: binding.local, remote: binding.remote)
        #expect(throws: WireDefect.self) { try NoiseIdentity(payload, other, now: 1) }
    }

    @Test("An identity is good until its time, and a hint has a length")
    func bounds() throws {
        let pair = try WireTests.pair(0x11)
        let binding = NoiseIdentity.Binding(.xx, .server, local: Self.seed(1), remote: nil)
        func text(_ hint: String?, _ end: UInt64?) -> [UInt8] {
            NoiseIdentity.text(of: pair, binding, .a, hint: hint, expiresAt: end)
        }
        #expect(try NoiseIdentity(text("a \"hint\"", 100), binding, now: 100).hint == "a \"hint\"")
        #expect(throws: WireDefect.self) { try NoiseIdentity(text(nil, 100), binding, now: 101) }
        let long = String(repeating: "h", count: 257)
        #expect(throws: WireDefect.self) { try NoiseIdentity(text(long, nil), binding, now: 1) }
        #expect(throws: WireDefect.self) { try NoiseIdentity([], binding, now: 1) }
    }
}
