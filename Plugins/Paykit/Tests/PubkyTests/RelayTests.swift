import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

@testable import PaykitProvider

/// Pkarr's relays that take a policy (Protocol 10.9).
@Suite("Pkarr relays with policies")
struct RelayTests {
    private let clock = VirtualClock()

    private func client(_ script: some HTTPTransport, relays: Int = 1) throws -> PkarrClient {
        PkarrClient(
            relays: try (0..<relays).map { try HTTPURL("https://relay\($0).example") }, http: script, clock: clock)
    }

    private static func packet(
        at name: String = "_pubky", _ service: DNSService? = nil, ttl: UInt32 = 3600
    ) throws -> SignedPacket {
        let pair = try WireTests.pair(0x11)
        let target = try #require(DNSName(WireTests.pair(0x22).publicKey.text))
        let owner = try #require(SignedPacket.name(name, under: pair.publicKey))
        return try SignedPacket(
            signing: [DNSRecord(owner, ttl: ttl, .https(service ?? DNSService(priority: 0, target: target)))],
            at: 1_767_225_600_000_000, by: pair)
    }

    @Test("A relay is asked by policy, and past caches where the answer has to be new")
    func policies() async throws {
        let packet = try Self.packet()
        let script = RecordingTransport(answers: [HTTPResponse(status: 200, body: packet.payload)])
        let client = try client(script)
        #expect(try await client.resolve(packet.key) == packet)
        #expect(try await client.resolve(packet.key, isFresh: true) == packet)
        #expect(script.requests.map(\.url.query) == ["policy=CacheFirst", "policy=NetworkOnly"])
        #expect(
            script.requests.map { $0.headers["Cache-Control"] } == [nil, "no-cache, no-store, must-revalidate"])
    }

    @Test("An answer to another question is asked again once, past caches", arguments: [200, 304])
    func oddAnswers(_ status: Int) async throws {
        let packet = try Self.packet()
        let script = RecordingTransport(answers: [
            HTTPResponse(status: status), HTTPResponse(status: 200, body: packet.payload),
        ])
        #expect(try await client(script).resolve(packet.key) == packet)
        #expect(script.requests.map(\.url.query) == ["policy=CacheFirst", "policy=NetworkOnly"])
        let stubborn = RecordingTransport(answers: [HTTPResponse(status: status)])
        await #expect(throws: PaykitNetworkError.self) { _ = try await client(stubborn).resolve(packet.key) }
        #expect(stubborn.requests.count == 2)
    }

    @Test("A key whose latest packet is damaged is not an unknown one")
    func spoilt() async throws {
        let packet = try Self.packet()
        let script = RecordingTransport(answers: [
            HTTPResponse(status: 404, headers: ["Pkarr-Invalid-Signed-Packet-Seq": "7"])
        ])
        await #expect {
            _ = try await client(script).resolve(packet.key)
        } throws: {
            ($0 as? PaykitNetworkError)?.code == .invalidData && ($0 as? PaykitNetworkError)?.isRetryable == true
        }
        #expect(try await client(RecordingTransport(answers: [HTTPResponse(status: 404)])).resolve(packet.key) == nil)
    }

    @Test(
        "What a relay says of how many nodes have a packet is believed where it is a number",
        arguments: [(nil, true), ("1", true), ("20", true), ("0", false), ("many", false), ("-1", false)])
    func nodes(_ count: String?, _ isStored: Bool) async throws {
        var response = HTTPResponse(status: 204)
        if let count { response.headers["Pkarr-Dht-Stored-Nodes"] = count }
        let client = try client(RecordingTransport(answers: [response]))
        let packet = try Self.packet()
        let stored = try? await client.publish(packet)
        #expect((stored == 1) == isStored)
    }

    @Test(
        "Publishing fails where as many relays know a later packet as have stored this one",
        arguments: [
            ([204, 204], true), ([204, 500], true), ([204, 409], false), ([409, 500], false), ([204, 204, 409], true),
        ])
    func conflicts(_ statuses: [Int], _ isPublished: Bool) async throws {
        let packet = try Self.packet()
        let client = try client(
            RecordingTransport(answers: statuses.map { HTTPResponse(status: $0) }), relays: statuses.count)
        var failure: PaykitNetworkError?
        do throws(PaykitNetworkError) { try await client.publish(packet) } catch { failure = error }
        #expect((failure == nil) == isPublished)
        #expect(isPublished || failure?.code == .storage)
    }

    @Test("Older relays get the time of the replaced packet, and report when it is another")
    func conditions() async throws {
        let (packet, script) = (try Self.packet(), RecordingTransport(answers: [HTTPResponse(status: 412)]))
        #expect(await code { _ = try await client(script).publish(packet, replacing: packet) } == .storage)
        #expect(script.requests.first?.headers["If-Match"] == "1767225600000000")
    }

    @Test("A user's record counts at its place, whatever its priority, kind and time to live")
    func records() async throws {
        let server = try WireTests.pair(0x22).publicKey
        let target = try #require(DNSName(server.text))
        for (packet, isFound) in [
            (try Self.packet(), true), (try Self.packet(DNSService(priority: 5, target: target)), true),
            (try Self.packet(ttl: 0), true), (try Self.packet(at: ""), false),
        ] {
            let script = RecordingTransport(answers: [HTTPResponse(status: 200, body: packet.payload)])
            let found = try? await HomeserverLocator(client(script), allowsLocal: false).homeserver(of: packet.key)
            #expect(found == (isFound ? server : nil))
        }
        #expect(try Self.packet(ttl: 0).ttl == 300)
    }
}
