import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// A sign-in's publication replaces everything that the user had published before (Protocol 2.3 and 2.4).
@Suite("Naming a homeserver")
struct AccountTests: NetworkSuite {
    let network = TestNetwork()
    /// The relays' answers instead of the sandbox's, by their hosts: a status, or zero for no answer.
    private let faults = Faults()

    private final class Faults: Sendable {
        private let byHost = Mutex<[String: Int]>([:])

        subscript(_ host: String) -> Int? {
            get { byHost.withLock { $0[host] } }
            set { byHost.withLock { $0[host] = newValue } }
        }
    }

    /// Routes relays of several hosts to the sandbox.
    private func client() throws -> PaykitClient {
        let pkarr = PubkyNetwork(
            relays: [try HTTPURL("https://relay0.example"), try HTTPURL("https://relay1.example")],
            authorizationRelay: try HTTPURL("http://localhost:6286/link"), allowsLocalHomeservers: true)
        let transport = RecordingTransport { [faults, sandbox] request throws(TransportError) in
            var request = request
            if request.url.host.hasPrefix("relay") {
                switch faults[request.url.host] {
                case 0: throw TransportError(.notSent, .connectFailed("refused"), origin: request.url.origin)
                case let status?: return HTTPResponse(status: status)
                case nil: request.url = (try? HTTPURL(TestNetwork.url + "/pkarr" + request.url.path)) ?? request.url
                }
            }
            return try await SandboxTransport(sandbox).send(request)
        }
        clock.advance(by: .milliseconds(1))
        return try sandbox.newClient(over: transport, clock: clock) { $0.network = pkarr }
    }

    private func initialize() async -> PaykitNetworkError? {
        // A new client each time: it remembers nothing.
        await failure {
            try await client().initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        }
    }

    private func relay() throws -> PkarrClient {
        PkarrClient(
            relays: [try HTTPURL("http://localhost:6286/pkarr")], http: SandboxTransport(sandbox), clock: clock)
    }

    private func names(of key: PubkyKey) async throws -> [String]? {
        try await relay().resolve(key, isFresh: true)?.message.answers.map { "\($0.name)" }
    }

    @Test("Records that the user has besides are kept, and one that names another homeserver is replaced")
    func kept() async throws {
        let pair = try PubkySamples.pair(0x11)
        let blog = try #require(SignedPacket.name("blog", under: pair.publicKey))
        let old = try #require(SignedPacket.name("_pubky", under: pair.publicKey))
        let packet = try SignedPacket(
            signing: [
                DNSRecord(blog, .txt([Array("hello".utf8)])),
                DNSRecord(old, .https(DNSService(priority: 0, target: try #require(DNSName(pair.publicKey.text))))),
            ], at: clock.now.microseconds + 1_000_000_000, by: pair)
        try await relay().publish(packet)
        #expect(await initialize() == nil)
        let found = try #require(await relay().resolve(pair.publicKey, isFresh: true))
        #expect(found.records(at: "blog") == [packet.message.answers[0]])
        #expect(found.records(at: "_pubky").compactMap(\.data.service?.target.description) == [sandbox.homeserver.text])
        // This device's clock is slow.
        #expect(found.timestamp == packet.timestamp + 1)
    }

    @Test(
        "A user who published before publishes nothing while a relay keeps silent: it may have the newer packet",
        arguments: [0, 429, 500, 503])
    func uncertain(_ status: Int) async throws {
        let key = try PubkySamples.pair(0x11).publicKey
        let token = AuthToken([.root], at: clock.now.microseconds, by: try PubkySamples.pair(0x11))
        let server = Homeserver(try HTTPURL("http://localhost:6286"), over: SandboxTransport(sandbox))
        _ = try await server.open(token, isSignUp: true)
        clock.advance(by: .seconds(1))
        #expect(try await names(of: key) == nil)
        faults["relay1.example"] = status
        let failure = await initialize()
        #expect(failure?.code == .connectionFailed && failure?.isRetryable == true, "\(String(describing: failure))")
        #expect(try await names(of: key) == nil)
        faults["relay1.example"] = nil
        #expect(await initialize() == nil)
        #expect(try await names(of: key)?.count == 1)
    }

    @Test("A new user signs up although a relay is down")
    func newUsers() async throws {
        faults["relay1.example"] = 503
        #expect(await initialize() == nil)
        #expect(try await names(of: try PubkySamples.pair(0x11).publicKey)?.count == 1)
    }
}
