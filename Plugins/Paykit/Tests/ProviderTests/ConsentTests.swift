import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitKit
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

    /// An app's questions for a session, and for a handoff.
    private static func questions() throws -> (session: KeyManagerLink, handoff: KeyManagerLink) {
        let callback = "callback=app%3A%2F%2Fb"
        let key = String(repeating: "ab", count: 32)
        return (
            try KeyManagerLink(PaymentLink("pubkyring://session?\(callback)&app=Wallet")),
            try KeyManagerLink(PaymentLink("pubkyring://paykit-connect?deviceId=d&\(callback)&ephemeralPk=\(key)"))
        )
    }

    private func client() async throws -> PaykitClient {
        let owner = owner
        return try await sandbox.client { $0.consent = { try owner.ask($0) } }
    }

    @Test("A refused consent publishes nothing, lets no app in and gives no session")
    func refused() async throws {
        let client = try await client()
        let me = try #require(await client.user)
        try await client.setEndpoint(methodId: "lightning", endpoint: "anna@pay.example")
        #expect(owner.asked == [.publishEndpoint(methodId: "lightning")])
        owner.agrees(false)
        let before = await sandbox.paths(of: me)
        let device = client.authorizationLink()
        let (session, handoff) = try Self.questions()
        let ours = PaykitAdmission(app: nil, device.capabilities, relay: "http://localhost:6286", callbacks: [])
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
                .removeEndpoint(methodId: "lightning"), .letIn(ours),
                .giveSession(PaykitAdmission(app: "Wallet", device.capabilities, callbacks: ["app://b"])),
                .handOff(deviceID: "d", PaykitAdmission(app: nil, device.capabilities, callbacks: ["app://b"])),
            ])
        #expect(await sandbox.paths(of: me) == before)
        #expect(
            await sandbox.file(at: "/pub/paykit.app/v0/lightning", of: me) == Array("anna@pay.example".utf8))
    }

    @Test("Without a consent handler no device and no app is approved")
    func unset() async throws {
        let client = try await sandbox.client()
        let before = await sandbox.paths(of: try #require(await client.user))
        let (session, handoff) = try Self.questions()
        let link = client.authorizationLink()
        for work in [
            { try await client.approve(link) }, { _ = try await client.answer(session) },
            { _ = try await client.handOff(handoff, keyPairs: []) },
        ] as [@Sendable () async throws -> Void] {
            await #expect { try await work() } throws: { ($0 as? PaykitError)?.failure.code == .auth }
        }
        #expect(await sandbox.paths(of: try #require(await client.user)) == before)
    }

    @Test("The question says what an app may do in the user's name, the gravest first")
    func powers() throws {
        func powers(_ capabilities: String) throws -> [String] {
            PaykitAdmission(app: nil, try PubkyCapability.list(capabilities), callbacks: []).powers
        }
        let paid = "receive payments in your name"
        #expect(try powers("/:rw").prefix(2) == ["do everything in your name, also admit other apps", paid])
        for scope in ["/pub/paykit/", "/pub/paykit/v0/aaa/wallet/", "/pub/paykit.app/v0/lightning"] {
            #expect(try powers("\(scope):rw") == [paid, "read and write \(scope)"], "\(scope)")
        }
        #expect(try powers("/pub/pubky.app/:w") == ["change your public profile", "write /pub/pubky.app/"])
        #expect(try powers("/priv/notes:r") == ["read what only you can read", "read /priv/notes"])
        #expect(try powers("/pub/paykit/:r") == ["read /pub/paykit/"])
    }

    @Test("Work in the background, and public reads, ask for no consent")
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
