import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// The client against homeservers with grants.
@Suite("Paykit's client at homeservers with grants")
struct ClientGrantTests: NetworkSuite {
    /// Forwards requests, records them, and loses or changes answers on request.
    final class Wire: HTTPTransport {
        typealias Change = @Sendable (HTTPRequest, HTTPResponse) -> HTTPResponse?
        private let sandbox: SandboxTransport
        private let state = Mutex<(lines: [String], change: Change?)>(([], nil))

        init(_ sandbox: PubkySandbox) { self.sandbox = SandboxTransport(sandbox) }

        func change(_ change: Change?) { state.withLock { $0.change = change } }
        func forget() { state.withLock { $0.lines = [] } }

        func count(_ line: String) -> Int { state.withLock { $0.lines.count { $0 == line } } }
        var lines: [String] { state.withLock { $0.lines } }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let response = try await sandbox.send(request)
            let change = state.withLock {
                $0.lines.append("\(request.method.rawValue) \(request.url.path)")
                return $0.change
            }
            guard let change else { return response }
            guard let changed = change(request, response) else {
                throw TransportError(.maybeSent, .timedOut, origin: request.url.origin)
            }
            return changed
        }
    }

    let network = TestNetwork(.storagePaths)
    private let wire: Wire

    init() { wire = Wire(network.sandbox) }

    private func client(
        seed: UInt64 = 2, _ change: (inout PaykitClientConfiguration) -> Void = { _ in }
    ) throws -> PaykitClient {
        try sandbox.newClient(over: wire, clock: clock, seed: seed) {
            $0.capabilities = [.root]
            $0.clientID = "router.example"
            $0.consent = { _ in }
            change(&$0)
        }
    }

    private static let exchange = "POST /auth/grant/session"

    private func signedIn(
        seed: UInt64 = 2, _ change: (inout PaykitClientConfiguration) -> Void = { _ in }
    ) async throws -> PaykitClient {
        try await signedIn(client(seed: seed, change))
    }

    @Test("A new user is signed up and in by grants, and what a homeserver takes is asked once")
    func signUp() async throws {
        let client = try await signedIn()
        #expect(await client.user?.text == Self.me)
        #expect(wire.count("GET /auth/grant/session") == 1)
        #expect(wire.count("POST /auth/grant/signup") == 1 && wire.count("POST /session") == 0)
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc1")
        #expect(wire.count("PUT /storage/\(Self.me)/pub/paykit.app/v0/lightning") == 1)
        #expect(try await client.getEndpoint(pubkey: Self.me, methodId: "lightning") == "lnbc1")
        #expect(wire.count("GET /info") == 1)
        #expect(try await client.checkSession())
        try await client.refreshSession()
        #expect(wire.count("GET /auth/grant/session") == 2)
        // The second device of the same user.
        let other = try await signedIn(seed: 3)
        #expect(
            try await other.grantedApps().map(\.clientID) == ["router.example", "router.example", "router.example"])
        #expect(wire.count("POST /auth/grant/signup") == 1)
    }

    @Test("A homeserver that knows only cookies gets no grant, and one that was replaced meanwhile is asked again")
    func older() async throws {
        await sandbox.upgrade(to: .cookies)
        let client = try await signedIn()
        #expect(wire.count(Self.exchange) == 0 && wire.count("POST /signup") == 1)
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc1")
        #expect(wire.count("PUT /pub/paykit.app/v0/lightning") == 1)
        #expect(await failure { _ = try await client.grantedApps() } != nil)
        // The cookie stays valid after the upgrade; the next sign-in is by grant.
        await sandbox.upgrade(to: .storagePaths)
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc2")
        clock.advance(by: .seconds(3601))
        try await client.refreshSession()
        #expect(wire.count(Self.exchange) == 1)
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc3")
        #expect(try await client.getEndpoint(pubkey: Self.me, methodId: "lightning") == "lnbc3")
    }

    @Test("A homeserver that cannot be asked what it takes is not taken for an older one")
    func unknownGeneration() async throws {
        for status in [500, 503, 429] {
            wire.change { request, response in
                request.method == .get && request.url.path == "/auth/grant/session"
                    ? HTTPResponse(status: status) : response
            }
            #expect(await failure { _ = try await signedIn() }?.isRetryable == true)
            #expect(wire.count("POST /session") == 0 && wire.count("POST /signup") == 0)
        }
        wire.change(nil)
        _ = try await signedIn()
    }

    @Test("A session is opened anew shortly before its hour is over, by a new proof, without a question")
    func refreshing() async throws {
        let client = try await signedIn()
        #expect(wire.count(Self.exchange) == 2)
        clock.advance(by: .seconds(3600 - 151))
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
        #expect(wire.count(Self.exchange) == 2)
        clock.advance(by: .seconds(1))
        try await client.setEndpoint(methodId: "lightning", endpoint: "b")
        #expect(wire.count(Self.exchange) == 3)
        clock.advance(by: .seconds(10 * 3600))
        #expect(try await client.checkSession())
        #expect(wire.count(Self.exchange) == 4)
    }

    /// Changes the description of a session that was opened or asked for.
    private static func changing(
        _ response: HTTPResponse, to request: HTTPRequest, _ change: (inout JSONValue) -> Void
    ) -> HTTPResponse {
        guard request.url.path == "/auth/grant/session", var json = try? JSONValue(parsing: response.body),
            var session = json["session"]
        else { return response }
        change(&session)
        json["session"] = session
        return HTTPResponse(status: response.status, headers: response.headers, body: json.serialized())
    }

    @Test("A device whose clock is years behind, or set meanwhile, still knows when its session is over")
    func wrongClock() async throws {
        wire.change { request, response in
            guard request.method == .post else { return response }
            // The homeserver's clock is ten years ahead; only the hour between its two times counts.
            return Self.changing(response, to: request) { session in
                for name in ["token_expires_at", "created_at", "grant_expires_at"] {
                    session[name] = .number(JSONNumber((session[name]?.uint64 ?? 0) + 315_360_000))
                }
            }
        }
        let client = try await signedIn()
        clock.advance(by: .seconds(3600))
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
        #expect(wire.count(Self.exchange) == 3)
    }

    @Test("What was refused for its session is done with another, once; many at once open one")
    func renewing() async throws {
        let client = try await signedIn()
        let user = try PubkyKey(Self.me)
        await sandbox.endBearers(of: user)
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
        #expect(wire.count(Self.exchange) == 3)
        await sandbox.endBearers(of: user)
        wire.forget()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask { try await client.setEndpoint(methodId: "method-\(index)", endpoint: "x") }
            }
            try await group.waitForAll()
        }
        #expect(wire.count(Self.exchange) == 1)
        // A homeserver that forgets each session at once is not asked endlessly.
        wire.forget()
        wire.change { request, response in request.method == .put ? HTTPResponse(status: 401) : response }
        #expect(await code { try await client.setEndpoint(methodId: "lightning", endpoint: "b") } == .sessionExpired)
        #expect(wire.count(Self.exchange) == 1)
    }

    @Test("A revoked grant opens nothing: the error says that the user has to sign in again")
    func revoked() async throws {
        let client = try await signedIn()
        let user = try PubkyKey(Self.me)
        await sandbox.revokeGrants(of: user)
        #expect(await code { try await client.setEndpoint(methodId: "lightning", endpoint: "a") } == .sessionExpired)
        #expect(await client.user == nil)
        try await client.refreshSession()
        await sandbox.revokeGrants(of: user)
        #expect(try await !client.checkSession())
        #expect(await client.user == nil)
    }

    @Test("One device ends what another may do; the other one's next step fails, and nothing else does")
    func revoking() async throws {
        let (first, second) = (try await signedIn(), try await signedIn(seed: 3))
        let grants = try await first.grantedApps()
        #expect(grants.count == 2 && grants.allSatisfy { $0.capabilities == [.root] })
        try await second.setEndpoint(methodId: "lightning", endpoint: "a")
        let id = try #require(await second.session?.held?.grant.id)
        #expect(try await first.revoke(grant: id))
        #expect(try await !first.revoke(grant: id))
        #expect(try await !first.revoke(grant: "unknown"))
        #expect(await code { _ = try await first.revoke(grant: "not/an/id") } == .validationFailed)
        #expect(try await first.checkSession())
        #expect(try await !second.checkSession())
        #expect(await second.user == nil)
    }

    @Test("A session without all capabilities reports that it may not see other apps")
    func smallSessions() async throws {
        let client = try await signedIn { $0.capabilities = [.paykit] }
        #expect(await code { _ = try await client.grantedApps() } == .auth)
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
    }

    @Test("A lost answer to a refresh costs one refusal, and no session")
    func lostAnswer() async throws {
        let client = try await signedIn()
        clock.advance(by: .seconds(3500))
        wire.change { request, response in
            request.method == .post && request.url.path == "/auth/grant/session" ? nil : response
        }
        #expect(await code { try await client.setEndpoint(methodId: "lightning", endpoint: "a") } == .connectionTimeout)
        #expect(await client.user != nil)
        wire.change(nil)
        try await client.setEndpoint(methodId: "lightning", endpoint: "a")
        #expect(try await client.checkSession())
    }

    @Test(
        "A homeserver that opens a session of another user, or of another grant, is not believed",
        arguments: ["pubky", "homeserver", "grant_id", "capabilities", "token_expires_at"])
    func lies(_ member: String) async throws {
        wire.change { request, response in
            Self.changing(response, to: request) { session in
                session[member] =
                    switch member {
                    case "grant_id": "another"
                    case "capabilities": ["/pub//:rw"]
                    case "token_expires_at": "soon"
                    default: "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
                    }
            }
        }
        let client = try client()
        let failure = await failure {
            try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        }
        #expect([.invalidCredentials, .invalidData].contains(failure?.code))
        #expect(await client.user == nil)
    }

    @Test(
        "Signing out ends the grant, also when the hour was over, and the key's session is not exported as anything else"
    )
    func signingOut() async throws {
        let client = try await signedIn()
        let exported = try #require(await client.exportedSession)
        #expect(exported.reveal().hasPrefix("pubky-grant-credential-v1:\(sandbox.homeserver):"))
        clock.advance(by: .seconds(7200))
        try await client.signOut()
        #expect(await client.user == nil)
        let other = try self.client(seed: 4)
        #expect(await code { try await other.importSession(exported) } == .sessionExpired)
    }

    @Test("A stored grant is resumed after a restart, and a malformed one is reported without its text")
    func importing() async throws {
        let exported = try #require(await signedIn().exportedSession)
        let restarted = try client(seed: 4)
        try await restarted.importSession(exported)
        #expect(await restarted.user?.text == Self.me)
        try await restarted.setEndpoint(methodId: "onchain", endpoint: "bc1q")
        for bad in ["-v2:", "-v1:x"] {
            let text = exported.reveal().replacing("-v1:", with: bad)
            let failure = await failure { try await restarted.importSession(Redacted(text)) }
            #expect(failure?.code == .validationFailed && failure?.message.contains("eyJ") == false)
        }
        #expect(await restarted.user?.text == Self.me)
    }

    @Test("No key, grant or session is in what is printed")
    func printing() async throws {
        let client = try await signedIn()
        let exported = try #require(await client.exportedSession).reveal().split(separator: ":").map(String.init)
        var dumped = ""
        dump(await client.session, to: &dumped)
        for secret in exported.suffix(2) { #expect(!dumped.contains(secret)) }
        guard case .bearer(let bearer) = await client.session?.credential else {
            Issue.record("the session is none that a grant opened")
            return
        }
        #expect(!dumped.contains(bearer.token.reveal()))
    }

    // MARK: Another device

    @Test("A device is let in by a grant that another device signs for its key")
    func grantLinks() async throws {
        let signer = try await signedIn()
        let app = try client(seed: 5) { $0.capabilities = [.paykit] }
        let link = try app.grantLink()
        let shown = try PubkyAuthorizationLink(PaymentLink(link.text.reveal()))
        #expect(shown.intent == .signInGrant && shown.clientID == "router.example" && shown.capabilities == [.paykit])
        // The relay keeps the answer until it is fetched.
        try await signer.approve(shown)
        #expect(try await app.awaitAuthorization(of: link).text == Self.me)
        try await app.setEndpoint(methodId: "lightning", endpoint: "lnbc1")
        #expect(await code { try await app.publish(PubkyProfile(name: "Anna")) } == .auth)
        #expect(try await signer.grantedApps().contains { $0.capabilities == [.paykit] })
        // The grant lasts as long as signers admit apps, however often the session is renewed.
        clock.advance(by: .seconds(86_400))
        try await app.setEndpoint(methodId: "lightning", endpoint: "lnbc2")
    }

    @Test("A link for older key managers is answered with a token, also where the homeserver takes grants")
    func cookieLinks() async throws {
        let signer = try await signedIn()
        let app = try client(seed: 5)
        let link = app.authorizationLink()
        #expect(link.intent == .signIn)
        try await signer.approve(PubkyAuthorizationLink(PaymentLink(link.text.reveal())))
        #expect(try await app.awaitAuthorization(of: link).text == Self.me)
        #expect(await app.exportedSession?.reveal().hasPrefix(Self.me) == true)
    }

    @Test("A grant to another app, or for another key, is not used")
    func foreignGrants() async throws {
        let signer = try await signedIn()
        let app = try client(seed: 5)
        let link = try app.grantLink()
        for change in ["cid=router.example", "cpk="] {
            let text = link.text.reveal()
            let other =
                change == "cpk="
                ? String(text.split(separator: "cpk=", maxSplits: 1)[0]) + "cpk=\(Self.me)"
                : text.replacing(change, with: "cid=other.example")
            try await signer.approve(PubkyAuthorizationLink(PaymentLink(other)))
            #expect(await code { _ = try await app.awaitAuthorization(of: link) } == .invalidCredentials)
        }
        #expect(await app.user == nil)
    }
}
