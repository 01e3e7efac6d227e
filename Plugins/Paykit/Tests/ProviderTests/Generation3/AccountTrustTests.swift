import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// A signed token works at every homeserver that sees it in time (Protocol 3.2): it is shown to the account's own only.
@Suite("An account and the homeserver that it signs for")
struct AccountTrustTests: NetworkSuite {
    let network = TestNetwork(.storagePaths)
    private let wire: ClientGrantTests.Wire

    init() { wire = ClientGrantTests.Wire(network.sandbox) }

    private func client() throws -> PaykitClient {
        try sandbox.newClient(over: wire, clock: clock) {
            $0.capabilities = [.root]
            $0.clientID = "router.example"
        }
    }

    private var signatures: [String] {
        wire.lines.filter { $0.hasPrefix("POST /session") || $0.hasPrefix("POST /auth") }
    }

    @Test(
        "Nothing is signed for a homeserver that only the network names",
        arguments: [PubkySandbox.Generation.cookies, .storagePaths])
    func former(generation: PubkySandbox.Generation) async throws {
        await sandbox.upgrade(to: generation)
        let client = try await signedIn(client())
        wire.forget()
        clock.advance(by: .seconds(10))
        try await client.refreshSession()
        #expect(signatures.count == 1)
        wire.forget()
        // A packet of the user's that names another homeserver, as one from before they moved does.
        let pair = try PubkySamples.pair(0x11)
        let former = try PubkySamples.pair(0x22).publicKey
        let name = try #require(SignedPacket.name("_pubky", under: pair.publicKey))
        let record = DNSRecord(name, .https(DNSService(priority: 0, target: try #require(DNSName(former.text)))))
        clock.advance(by: .seconds(10))
        let relay = PkarrClient(
            relays: [try HTTPURL("http://localhost:6286/pkarr")], http: SandboxTransport(sandbox), clock: clock)
        try await relay.publish(SignedPacket(signing: [record], at: clock.now.microseconds, by: pair))
        let failure = await failure { try await client.refreshSession() }
        #expect(failure?.code == .auth && failure?.message.contains(former.text) == true)
        #expect(signatures.isEmpty)
    }

    @Test("A homeserver that has taken grants gets no bare token, whatever it says that it takes")
    func downgrade() async throws {
        let client = try await signedIn(client())
        wire.forget()
        wire.change { request, response in
            let isQuestion = request.method == .get && request.url.path == "/auth/grant/session"
            return isQuestion ? HTTPResponse(status: 404) : response
        }
        // By then the homeserver is asked again what it takes.
        clock.advance(by: .seconds(3601))
        let failure = await failure { try await client.refreshSession() }
        #expect(failure?.code == .auth && signatures.isEmpty)
        wire.change(nil)
        try await client.refreshSession()
        #expect(signatures == ["POST /auth/grant/session"])
    }
}
