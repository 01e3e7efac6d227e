import Foundation
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// Relays and homeservers that are dishonest, are silent, or redirect the client.
@Suite("The Pubky network's edges")
struct NetworkTests {
    private let clock = VirtualClock()

    private static func packet(
        _ pair: PubkyKeyPair, _ time: UInt64, _ service: DNSService
    ) throws -> SignedPacket {
        let name = try #require(SignedPacket.name("", under: pair.publicKey))
        return try SignedPacket(signing: [DNSRecord(name, .https(service))], at: time, by: pair)
    }

    private func client(_ transport: RecordingTransport, relays: Int = 3, capacity: Int = 1000) throws -> PkarrClient {
        PkarrClient(
            relays: try (0..<relays).map { try HTTPURL("https://relay\($0).example") }, http: transport, clock: clock,
            capacity: capacity)
    }

    // MARK: Relays

    @Test("Of several relays' packets the latest counts, whatever order they come in")
    func latest() async throws {
        let packets = try [WireTests.packet(5, 1), WireTests.packet(7, 2), WireTests.packet(6, 3)]
        let transport = RecordingTransport { request in
            let index = Int(String(request.url.host.dropFirst(5).prefix(1))) ?? 0
            return HTTPResponse(status: 200, body: packets[index].payload)
        }
        let found = try await client(transport).resolve(packets[0].key)
        #expect(found?.timestamp == 7)
    }

    @Test("A relay with false or no answers does not hide another one's packet")
    func liars() async throws {
        let good = try WireTests.packet(5, 1)
        var forged = try WireTests.packet(9, 1).payload
        forged[80] ^= 1
        for bad in [
            HTTPResponse(status: 200, body: forged), HTTPResponse(status: 200), HTTPResponse(status: 404),
            HTTPResponse(status: 503), HTTPResponse(status: 304), nil,
        ] as [HTTPResponse?] {
            let transport = RecordingTransport.refusing { request in
                request.url.host == "relay1.example" ? HTTPResponse(status: 200, body: good.payload) : bad
            }
            #expect(try await client(transport).resolve(good.key) == good)
        }
    }

    @Test("An unknown key is distinguished from no answer")
    func nobody() async throws {
        let key = try WireTests.pair(0x11).publicKey
        let none = RecordingTransport.refusing { $0.url.host == "relay0.example" ? HTTPResponse(status: 404) : nil }
        #expect(try await client(none).resolve(key) == nil)
        let silent = RecordingTransport.refusing { _ in nil }
        #expect(await code { _ = try await client(silent).resolve(key) } == .connectionFailed)
    }

    @Test(
        "What is known is not asked again while it is fresh, then only whether it has changed, and an old one is kept")
    func freshness() async throws {
        let packet = try WireTests.packet(1_767_225_600_000_000, 1)
        let older = try WireTests.packet(1_767_225_500_000_000, 2)
        let answer = Mutex<HTTPResponse?>(HTTPResponse(status: 200, body: packet.payload))
        let transport = RecordingTransport.refusing { _ in answer.withLock { $0 } }
        let client = try client(transport, relays: 1)
        for _ in 0..<5 { #expect(try await client.resolve(packet.key) == packet) }
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(3600))
        answer.withLock { $0 = HTTPResponse(status: 304) }
        #expect(try await client.resolve(packet.key) == packet)
        #expect(transport.requests.last?.headers["If-Modified-Since"] == "Thu, 01 Jan 2026 00:00:00 GMT")
        // A relay cannot return to an older record, nor make the client forget.
        for response in [HTTPResponse(status: 200, body: older.payload), HTTPResponse(status: 404), nil] {
            clock.advance(by: .seconds(3600))
            answer.withLock { $0 = response }
            #expect(try await client.resolve(packet.key) == packet)
        }
    }

    /// The stored times of packets, which outlive a client.
    private actor Times: PacketTimes {
        private var known: [PubkyKey: UInt64] = [:]
        private var fails = false

        func latest(of key: PubkyKey) throws -> UInt64? {
            if fails { throw CancellationError() }
            return known[key]
        }
        func record(_ time: UInt64, of key: PubkyKey) throws {
            if fails { throw CancellationError() }
            known[key] = max(time, known[key] ?? 0)
        }
        func fail() { fails = true }
    }

    @Test("A client that starts again takes no packet from before the latest that was seen")
    func restarted() async throws {
        let (old, new) = (try WireTests.packet(5, 1), try WireTests.packet(7, 2))
        let times = Times()
        func resolve(_ answers: [HTTPResponse]) async throws -> SignedPacket? {
            let transport = RecordingTransport { answers[Int(String($0.url.host.dropFirst(5).prefix(1))) ?? 0] }
            return try await PkarrClient(
                relays: (0..<answers.count).map { try HTTPURL("https://relay\($0).example") }, http: transport,
                times: times, clock: clock
            ).resolve(old.key)
        }
        func answer(_ packet: SignedPacket) -> HTTPResponse { HTTPResponse(status: 200, body: packet.payload) }
        let nothing = HTTPResponse(status: 404)
        #expect(try await resolve([answer(old)]) == old)
        #expect(try await resolve([answer(new)]) == new)
        for answers in [[answer(old)], [answer(old), nothing]] {
            await #expect(throws: PaykitNetworkError.self) { try await resolve(answers) }
        }
        #expect(try await resolve([answer(old), answer(new)]) == new)
        // Another program of the same store has seen a later one than a client remembers.
        let relay = RecordingTransport(answers: Array(repeating: answer(old), count: 3))
        let client = PkarrClient(
            relays: [try HTTPURL("https://relay0.example")], http: relay, times: Times(), clock: clock)
        #expect(try await client.resolve(old.key) == old)
        await times.fail()
        #expect(await code { _ = try await resolve([answer(new)]) } == .storage)
    }

    @Test("A packet of the same second is not missed: relays count whole seconds")
    func sameSecond() async throws {
        let time = clock.now.microseconds
        let (first, second) = (try WireTests.packet(time, 1), try WireTests.packet(time + 1000, 2))
        let newest = Mutex(first)
        let transport = RecordingTransport { request in
            let packet = newest.withLock { $0 }
            guard request.headers["If-Modified-Since"] == nil else { return HTTPResponse(status: 304) }
            return HTTPResponse(status: 200, body: packet.payload)
        }
        let client = try client(transport, relays: 1)
        #expect(try await client.resolve(first.key) == first)
        newest.withLock { $0 = second }
        #expect(try await client.resolve(first.key, isFresh: true) == second)
        newest.withLock { $0 = first }
        let other = try self.client(transport, relays: 1)
        #expect(try await other.resolve(first.key) == first)
        newest.withLock { $0 = second }
        clock.advance(by: .seconds(3600))
        #expect(try await other.resolve(first.key) == second)
    }

    @Test("Packets are stored where they can be, and a conflict says so")
    func publishing() async throws {
        let packet = try WireTests.packet(5, 1)
        let some = RecordingTransport { HTTPResponse(status: $0.url.host == "relay0.example" ? 204 : 500) }
        #expect(try await client(some).publish(packet) == 1)
        #expect(some.requests.allSatisfy { $0.body == packet.payload && $0.method == .put })
        let conflict = RecordingTransport(statuses: [409])
        #expect(await code { _ = try await client(conflict).publish(packet) } == .storage)
        await #expect(throws: PaykitNetworkError.self) { try await client(some, relays: 0).publish(packet) }
    }

    @Test(
        "A relay's answers are distinguished",
        arguments: [
            (400, .invalidData), (409, .storage), (412, .storage), (413, .invalidData), (428, .storage),
            (429, .rateLimited), (500, .transport), (503, .transport),
        ] as [(Int, PaykitNetworkError.Code)])
    func relayRefusals(_ status: Int, _ code: PaykitNetworkError.Code) async throws {
        let packet = try WireTests.packet(5, 1)
        let relay = RecordingTransport(answers: [HTTPResponse(status: status, body: Array("a secret".utf8))])
        for work in [
            { _ = try await self.client(relay, relays: 1).publish(packet) },
            { _ = try await self.client(relay, relays: 1).resolve(packet.key) },
        ] as [() async throws -> Void] {
            await #expect { try await work() } throws: {
                let failure = $0 as? PaykitNetworkError
                return failure?.code == code && failure?.message.contains("a secret") == false
            }
        }
    }

    // MARK: Locations of homeservers

    private func locate(
        _ services: [UInt8: DNSService], from byte: UInt8, allowsLocal: Bool = false,
        names: HomeserverLocator.Names? = nil
    ) async throws -> HTTPURL {
        var packets: [String: [UInt8]] = [:]
        for (byte, service) in services {
            let packet = try Self.packet(try WireTests.pair(byte), 1, service)
            packets["/" + packet.key.text] = packet.payload
        }
        let known = packets
        let transport = RecordingTransport {
            known[$0.url.path].map { HTTPResponse(status: 200, body: $0) } ?? HTTPResponse(status: 404)
        }
        let locator = HomeserverLocator(try client(transport, relays: 1), allowsLocal: allowsLocal, names: names)
        return try await locator.address(ofServer: try WireTests.pair(byte).publicKey)
    }

    private static func service(_ target: String, _ parameters: [DNSService.Parameter] = []) throws -> DNSService {
        DNSService(priority: 1, target: try #require(DNSName(target)), parameters: parameters)
    }

    private static func key(_ byte: UInt8) throws -> String { try WireTests.pair(byte).publicKey.text }

    @Test("A homeserver's web address is found, directly and through other keys")
    func address() async throws {
        let web = try Self.service("homeserver.pubky.app")
        #expect(try await locate([0x22: web], from: 0x22).text == "https://homeserver.pubky.app/")
        let far: [UInt8: DNSService] = try [
            0x22: Self.service(Self.key(0x23)), 0x23: Self.service(Self.key(0x24)), 0x24: web,
        ]
        #expect(try await locate(far, from: 0x22).host == "homeserver.pubky.app")
        let port = try Self.service("h.example.com", [.init(DNSService.portKey, UInt16(8443).bigEndianBytes)])
        #expect(try await locate([0x22: port], from: 0x22).authority == "h.example.com:8443")
    }

    @Test("An unknown homeserver is asked for once, and is distinguished from one without a web address")
    func unknownServer() async throws {
        let key = try WireTests.pair(0x22).publicKey
        let nobody = RecordingTransport(statuses: [404])
        #expect(
            await code {
                _ = try await HomeserverLocator(try client(nobody, relays: 1), allowsLocal: false).address(
                    ofServer: key)
            }
                == .notFound)
        #expect(nobody.requests.count == 1)
        #expect(await code { _ = try await locate([0x22: Self.service(".")], from: 0x22) } == .connectionFailed)
    }

    @Test("Keys that name each other endlessly lead nowhere, and not for long")
    func loops() async throws {
        let ring: [UInt8: DNSService] = try [0x22: Self.service(Self.key(0x23)), 0x23: Self.service(Self.key(0x22))]
        await #expect(throws: PaykitNetworkError.self) { try await locate(ring, from: 0x22) }
        var chain: [UInt8: DNSService] = [:]
        for byte in UInt8(0x22)..<0x32 { chain[byte] = try Self.service(try Self.key(byte + 1)) }
        chain[0x32] = try Self.service("h.example.com")
        let long = chain
        await #expect(throws: PaykitNetworkError.self) { try await locate(long, from: 0x22) }
    }

    @Test(
        "A stranger's record leads no client to this machine, to an address or to a bare name",
        arguments: [
            "localhost", "127.0.0.1", "10.0.0.1", "intranet", "0x7f000001", "169.254.169.254", "foo.localhost",
            "printer.local", "router.lan", "api.svc.cluster.local", "nas.home.arpa", "vault.internal", "x.onion",
            "Printer.LOCAL",
        ])
    func inward(_ target: String) async throws {
        let service = try Self.service(target, [.init(DNSService.localHTTPPortKey, UInt16(6286).bigEndianBytes)])
        await #expect(throws: PaykitNetworkError.self) { try await locate([0x22: service], from: 0x22) }
    }

    @Test(
        "A name that resolves into the device's own network is not asked, whatever it says",
        arguments: [
            (["10.0.0.1"], false), (["93.184.216.34", "192.168.0.1"], false), (["::1"], false), (["fd00::1"], false),
            (["169.254.169.254"], false), (["93.184.216.34"], true), ([], true),
        ])
    func resolved(_ addresses: [String], _ isAsked: Bool) async throws {
        let service = try Self.service("10.0.0.1.nip.example")
        let found = try addresses.map { try #require(StreamAddress(host: $0, port: 443)) }
        let names: HomeserverLocator.Names = { $0 == "10.0.0.1.nip.example" && !found.isEmpty ? found : nil }
        let url = try? await locate([0x22: service], from: 0x22, names: names)
        #expect((url != nil) == isAsked)
    }

    @Test("Of several services the one of the least priority is taken, wherever it stands")
    func priorities() async throws {
        let pair = try WireTests.pair(0x11)
        func packet(_ label: String, _ services: [DNSService]) throws -> SignedPacket {
            let name = try #require(SignedPacket.name(label, under: pair.publicKey))
            return try SignedPacket(signing: services.map { DNSRecord(name, .https($0)) }, at: 1, by: pair)
        }
        let (former, present) = (try Self.key(0x22), try Self.key(0x23))
        let named = try packet(
            "_pubky",
            [
                DNSService(priority: 9, target: #require(DNSName(former))),
                DNSService(priority: 1, target: #require(DNSName(present))),
            ])
        let relay = RecordingTransport(answers: [HTTPResponse(status: 200, body: named.payload)])
        let locator = HomeserverLocator(try client(relay, relays: 1), allowsLocal: false)
        #expect(try await locator.homeserver(of: pair.publicKey).text == present)
        #expect(named.services(at: "_pubky").map(\.priority) == [1, 9])
    }

    @Test(
        "An approval is sent to no relay in the device's own network",
        arguments: [
            ("http://127.0.0.1:8080/admin", false), ("https://192.168.0.1/x", false), ("https://[::1]/x", false),
            ("https://printer.local/x", false), ("https://router.lan", false), ("https://intranet/x", false),
            ("https://relay.example/inbox", true), ("https://93.184.216.34/inbox", true),
        ])
    func relayPlaces(_ text: String, _ isPermitted: Bool) throws {
        let relay = try HTTPURL(text)
        #expect(try PubkyNetwork.standard(dht: nil).permits(relay) == isPermitted)
        let sandbox = try PubkyNetwork.sandbox(HTTPURL("http://localhost:6286"))
        #expect(sandbox.permits(relay) == (isPermitted || relay.host == "127.0.0.1" || relay.host == "[::1]"))
    }

    @Test("In a sandbox a homeserver on this machine is found by its port")
    func local() async throws {
        let service = try Self.service("localhost", [.init(DNSService.localHTTPPortKey, UInt16(6286).bigEndianBytes)])
        #expect(try await locate([0x22: service], from: 0x22, allowsLocal: true).origin == "http://localhost:6286")
    }

    // MARK: Homeservers

    private static let secret = "0123456789ABCDEFGHJKMNPQRS"

    private func homeserver(_ response: HTTPResponse) throws -> Homeserver {
        Homeserver(try HTTPURL("https://h.example.com"), over: RecordingTransport(answers: [response]))
    }

    private func opened(_ cookies: [String], of byte: UInt8 = 0x11) throws -> HTTPResponse {
        var response = HTTPResponse(
            status: 200,
            body: SessionInfo(
                key: try WireTests.pair(byte).publicKey, createdAt: 1, userAgent: "x", capabilities: [.paykit]
            ).wire)
        for cookie in cookies { response.headers.append("Set-Cookie", cookie) }
        return response
    }

    @Test("A homeserver's name leads no request into a private network")
    func networks() async throws {
        let pair = try WireTests.pair(0x11)
        let cookie = "\(pair.publicKey)=\(Self.secret); HttpOnly; Path=/"
        let http = RecordingTransport(answers: [try opened([cookie])])
        let homeserver = Homeserver(try HTTPURL("https://h.example.com"), over: http)
        _ = try await homeserver.open(AuthToken([.paykit], at: 1, by: pair), isSignUp: false)
        #expect(http.requests.map(\.reachesPrivateNetworks) == [false])
    }

    @Test("A session is opened with the cookie that bears the user's key, and with no other")
    func cookies() async throws {
        let pair = try WireTests.pair(0x11)
        let token = AuthToken([.paykit], at: 1, by: pair)
        let good = "\(pair.publicKey)=\(Self.secret); HttpOnly; Path=/"
        let session = try await homeserver(opened(["other=1", good])).open(token, isSignUp: false)
        #expect(session.exported.reveal() == "\(pair.publicKey):\(Self.secret)")
        #expect(!"\(session)".contains(Self.secret))
        for bad in [[], ["other=\(Self.secret)"], ["\(pair.publicKey)=a b"], ["\(pair.publicKey)="]] as [[String]] {
            await #expect(throws: PaykitNetworkError.self) {
                try await homeserver(opened(bad)).open(token, isSignUp: false)
            }
        }
        #expect(
            await code { _ = try await homeserver(opened([good], of: 0x22)).open(token, isSignUp: true) }
                == .invalidCredentials)
    }

    @Test(
        "Refusals of a homeserver are distinguished, in our own texts",
        arguments: [
            (401, .sessionExpired), (403, .auth), (429, .rateLimited), (507, .quotaExceeded), (413, .quotaExceeded),
            (500, .transport), (503, .transport), (418, .invalidData),
        ] as [(Int, PaykitNetworkError.Code)])
    func refusals(_ status: Int, _ code: PaykitNetworkError.Code) async throws {
        let server = try homeserver(HTTPResponse(status: status, body: Array("the secret is \(Self.secret)".utf8)))
        let pair = try WireTests.pair(0x11)
        let session = PubkySession(
            user: pair.publicKey, capabilities: [], credential: .cookie(Redacted(Self.secret)),
            origin: server.url.origin)
        let address = try PubkyAddress(pair.publicKey, path: "/pub/x")
        await #expect { try await server.write([1], to: address, session) } throws: {
            let failure = $0 as? PaykitNetworkError
            return failure?.code == code && failure?.message.contains(Self.secret) == false
        }
    }

    @Test("A listing's entries of others, or outside the directory, are not believed")
    func listing() async throws {
        let key = try WireTests.pair(0x11).publicKey
        let lines = [
            "pubky://\(key)/pub/a/x", "pubky://\(try Self.key(0x22))/pub/a/y", "pubky://\(key)/pub/b", "nonsense",
            "pubky://\(key)/pub/a/../z", "pubky://\(key)/pub/a/sub/", "pubky://\(key)/pub/a/a%20b?c#d",
        ]
        let server = try homeserver(HTTPResponse(status: 200, body: Array(lines.joined(separator: "\n").utf8)))
        let found = try await server.list(try PubkyAddress(key, path: "/pub/a/"))
        #expect(found?.map(\.path) == ["/pub/a/x", "/pub/a/sub/", "/pub/a/a%2520b%3Fc%23d"])
    }
}
