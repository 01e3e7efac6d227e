import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// The sandbox's users with apps of generation 3, against an application's client (Protocol 12.8 and 12.9).
@Suite("Peers of generation 3 in the sandbox")
struct LinkPeerTests {
    private let clock = VirtualClock()
    private let sandbox: PubkySandbox

    init() { sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: 1)) }

    @Test("A peer is asked and pays, and asks and is paid, also once it has moved to generation 3 in the middle")
    func bothWays() async throws {
        var configuration = PaykitClientConfiguration(network: try .sandbox(HTTPURL("http://localhost:6286")))
        configuration.receiver = PaykitReceiverPath("router/wallet")
        configuration.receiverSecret = Redacted([UInt8](repeating: 7, count: 32))
        let client = PaykitClient(
            configuration: configuration, transport: SandboxTransport(sandbox), clock: clock,
            random: SeededRandomSource(seed: 2))
        clock.advance(by: .milliseconds(1))
        try await client.initialize(
            secretKeyHex: String(repeating: "11", count: 32), homeserverPubkey: sandbox.homeserver.text)
        try await client.publishReceiver()
        let me = try #require(await client.user)
        let app = try #require(PaykitReceiverPath("router/wallet"))
        let peer = try await sandbox.createLinkPeer(#require(PaykitReceiverPath("bitkit/wallet")), .ready)

        // As long as they have the older app only, they are paid as the guide describes, and no link leads to them.
        await #expect(throws: PaykitError.self) { try await client.privateLink(with: peer.user.key.text) }
        #expect(
            try await client.smartCheckout(pubkey: peer.user.key.text, preferredMethod: nil).methodId == "lightning")
        try await peer.publish()
        let link = try await client.privateLink(with: peer.user.key.text)
        func looks(_ count: Int = 3) async throws {
            for _ in 0..<count {
                try await link.poll()
                try await peer.look(at: me, app)
            }
            try await link.poll()
        }
        try await looks()

        let invoice = await sandbox.createInvoice(500, for: me)
        let own = try await link.ask(
            for: Money(decimal: "0.000005", currency: .satoshi), reference: "lunch", methods: ["btc-lightning-bolt11"],
            at: [PaykitEndpoint(methodID: "btc-lightning-bolt11", endpoint: invoice)])
        let theirs = try await peer.ask(700, for: "rent", of: me, app)
        try await looks()
        let proof = try #require(try await link.proof(of: own))
        guard case .preimage(_, let hash) = proof else { throw Unexpected() }
        #expect(await sandbox.proof(ofPaying: hash) != nil)
        try await link.issueReceipt(for: own)
        let settler = SandboxSettler(at: try HTTPURL("http://localhost:6286"), over: SandboxTransport(sandbox))
        try await link.pay(
            theirs, with: settler, check: PaykitEndpointCheck(StandardsReader(), network: .regtest))
        try await looks()
        #expect(try await link.receipts(for: theirs).count == 1)
        #expect(try await link.requests().map(\.phase) == [.proven, .proven])
    }

    private struct Unexpected: Error {}
}
