import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// The owner of a device is asked before each action that needs their consent.
@Suite("Paykit's consent")
struct ConsentTests {
    private struct No: Error {}

    /// Records each question, and answers yes or no.
    private final class Owner: Sendable {
        private let state = Mutex<(asked: [PaykitSensitiveAct], agrees: Bool)>(([], true))
        var asked: [PaykitSensitiveAct] { state.withLock(\.asked) }

        func agrees(_ yes: Bool) { state.withLock { $0 = ([], yes) } }

        func ask(_ act: PaykitSensitiveAct) throws {
            try state.withLock { state in
                state.asked.append(act)
                if !state.agrees { throw No() }
            }
        }
    }

    private let sandbox = PubkySandbox(clock: VirtualClock(), random: SeededRandomSource(seed: 1))
    private let owner = Owner()

    private func client() async throws -> PaykitClient {
        let owner = owner
        let client = PaykitClient(
            configuration: PaykitClientConfiguration(
                network: try .sandbox(HTTPURL("http://localhost:6286")), consent: { try owner.ask($0) }),
            transport: SandboxTransport(sandbox), clock: VirtualClock(), random: SeededRandomSource(seed: 2))
        try await client.initialize(
            secretKeyHex: String(repeating: "11", count: 32), homeserverPubkey: sandbox.homeserver.text)
        return client
    }

    @Test("Who says no has nothing published, nobody let in and no session given")
    func refused() async throws {
        let client = try await client()
        let me = try #require(await client.user)
        try await client.setEndpoint(methodId: "lightning", endpoint: "anna@pay.example")
        #expect(owner.asked == [.publishEndpoint(methodId: "lightning")])
        owner.agrees(false)
        let before = await sandbox.paths(of: me)
        let device = client.authorizationLink()
        let session = try KeyManagerLink(PaymentLink("pubkyring://session?callback=app%3A%2F%2Fb&app=Wallet"))
        let handoff = try KeyManagerLink(
            PaymentLink(
                "pubkyring://paykit-connect?deviceId=d&callback=app%3A%2F%2Fb&ephemeralPk="
                    + String(repeating: "ab", count: 32)))
        for work in [
            { try await client.setEndpoint(methodId: "lightning", endpoint: "eve@pay.example") },
            { try await client.setEndpoint(methodId: "onchain", endpoint: "bc1q") },
            { try await client.removeEndpoint(methodId: "lightning") },
            { try await client.approve(device) },
            { _ = try await client.answer(session) },
            { _ = try await client.handOff(handoff, keyPairs: []) },
        ] as [@Sendable () async throws -> Void] {
            await #expect(throws: No.self) { try await work() }
        }
        #expect(
            owner.asked == [
                .publishEndpoint(methodId: "lightning"), .publishEndpoint(methodId: "onchain"),
                .removeEndpoint(methodId: "lightning"), .letIn(app: nil, device.capabilities),
                .giveSession(app: "Wallet"), .handOff(deviceID: "d"),
            ])
        #expect(await sandbox.paths(of: me) == before)
        #expect(
            await sandbox.file(at: "/pub/paykit.app/v0/lightning", of: me) == Array("anna@pay.example".utf8))
    }

    @Test("What runs in the background, and what anybody may see, asks nobody")
    func unasked() async throws {
        let client = try await client()
        try await client.setEndpoint(methodId: "onchain", endpoint: "bc1q")
        await client.noteUse(methodId: "onchain")
        owner.agrees(false)
        #expect(try await client.rotateEndpoints { _ in "bc1p" } == ["onchain"])
        let me = try #require(await client.user)
        #expect(await sandbox.file(at: "/pub/paykit.app/v0/onchain", of: me) == Array("bc1p".utf8))
        _ = try await client.getSupportedMethods(pubkey: me.text)
        try await client.signOut()
        #expect(owner.asked.isEmpty)
    }
}
