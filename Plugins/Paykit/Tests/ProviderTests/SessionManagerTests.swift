import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// Sessions over restarts: valid, expiring, expired, ended elsewhere, forgotten.
@Suite("Paykit's kept sessions")
struct SessionManagerTests: NetworkSuite {
    /// Secrets in memory.
    private final class Secrets: SecretKeeper {
        private let secrets = Mutex<[String: Redacted<String>]>([:])
        var count: Int { secrets.withLock(\.count) }

        func secret(_ name: String) -> Redacted<String>? { secrets.withLock { $0[name] } }
        func keep(_ secret: Redacted<String>, as name: String) { secrets.withLock { $0[name] = secret } }
        func forget(_ name: String) { secrets.withLock { $0[name] = nil } }
    }

    let network = TestNetwork()
    private let secrets = Secrets()

    private func client(over transport: (any HTTPTransport)? = nil, isSignedIn: Bool = false) async throws
        -> PaykitClient
    {
        try await sandbox.client(isSignedIn ? 0x11 : nil, over: transport, clock: clock)
    }

    private func manager(_ client: PaykitClient) -> PaykitSessionManager {
        PaykitSessionManager(client, in: secrets, lifetime: .seconds(100 * 86_400), margin: .seconds(10 * 86_400))
    }

    @Test("A session is there after a restart, and nothing is without one")
    func restarts() async throws {
        let fresh = manager(try await client())
        #expect(try await !fresh.restore())
        #expect(try await fresh.storedSession() == nil)
        #expect(try await !fresh.hasValidSession())
        await #expect(throws: PaykitError.self) { try await fresh.keep() }
        await #expect { try await fresh.refreshSessionIfNeeded() } throws: {
            ($0 as? PaykitError)?.type == .sessionExpired
        }
        try await manager(try await client(isSignedIn: true)).keep()
        let restarted = try await client()
        #expect(try await manager(restarted).restore())
        #expect(await restarted.user?.text == Self.me)
        try await restarted.setEndpoint(methodId: "onchain", endpoint: "bc1q")
    }

    @Test("It is replaced before it ends, not earlier, and only where there is a key to do it with")
    func refreshing() async throws {
        let client = try await client(isSignedIn: true)
        let manager = manager(client)
        try await manager.keep()
        let first = try #require(await client.exportedSession).reveal()
        clock.advance(by: .seconds(90 * 86_400 - 10))
        #expect(try await manager.storedSession()?.willExpireSoon == false)
        try await manager.refreshSessionIfNeeded()
        #expect(await client.exportedSession?.reveal() == first)
        clock.advance(by: .seconds(10))
        #expect(try await manager.storedSession()?.willExpireSoon == true)
        #expect(try await manager.hasValidSession())
        let imported = try await self.client()
        #expect(try await self.manager(imported).restore())
        await #expect { try await self.manager(imported).refreshSessionIfNeeded() } throws: {
            ($0 as? PaykitError)?.type == .notInitialized
        }
        try await manager.refreshSessionIfNeeded()
        #expect(await client.exportedSession?.reveal() != first)
        #expect(try await manager.storedSession()?.willExpireSoon == false)
    }

    @Test(
        "One that is over is forgotten, as is one that the homeserver has ended, and one that cannot be asked about stays"
    )
    func over() async throws {
        let signedIn = try await client(isSignedIn: true)
        try await manager(signedIn).keep()
        let silent = try await client(over: RecordingTransport.refusing { _ in nil })
        await #expect(throws: PaykitError.self) { try await manager(silent).restore() }
        #expect(secrets.count == 1)
        await sandbox.endSessions(of: try PubkyKey(Self.me))
        #expect(try await !manager(try await client()).restore())
        #expect(secrets.count == 0)
        try await signedIn.refreshSession()
        try await manager(signedIn).keep()
        clock.advance(by: .seconds(100 * 86_400))
        #expect(try await manager(signedIn).storedSession()?.isExpired == true)
        #expect(try await !manager(try await client()).restore())
        #expect(secrets.count == 0)
    }

    @Test("A clock that is set far back makes no session longer")
    func setBack() async throws {
        let signedIn = try await client(isSignedIn: true)
        try await manager(signedIn).keep()
        clock.advance(by: .seconds(-3600))
        #expect(try await manager(signedIn).hasValidSession())
        clock.advance(by: .seconds(-30 * 86_400))
        #expect(try await !manager(signedIn).hasValidSession())
    }

    @Test("Signing out leaves nothing, whether or not the homeserver answers")
    func signingOut() async throws {
        for isHeard in [true, false] {
            let fault = Mutex(false)
            let transport = RecordingTransport { [sandbox] request throws(TransportError) in
                guard !fault.withLock({ $0 }) else {
                    throw TransportError(.notSent, .connectFailed("refused"), origin: request.url.origin)
                }
                return try await SandboxTransport(sandbox).send(request)
            }
            let client = try await client(over: transport, isSignedIn: true)
            try await manager(client).keep()
            fault.withLock { $0 = !isHeard }
            if isHeard {
                try await manager(client).signOut()
            } else {
                await #expect(throws: PaykitError.self) { try await manager(client).signOut() }
            }
            #expect(secrets.count == 0)
            #expect(await client.exportedSession == nil)
        }
    }

    @Test(
        "What was kept by something else is no session",
        arguments: ["", "x", "1 x", "-1 K:C", "99999999999999 K:C", "1 K:a b"])
    func garbage(_ text: String) async throws {
        let kept = text.replacing("K", with: Self.me).replacing("C", with: "0123456789ABCDEFGHJKMNPQRS")
        secrets.keep(Redacted(kept), as: "paykit-session")
        #expect(try await manager(try await client()).storedSession() == nil)
        #expect(try await !manager(try await client()).restore())
    }
}
