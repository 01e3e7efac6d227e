import PaykitProvider
import PaykitSandbox
import PaymentCore
import TestSupport
import Testing

/// The homeserver with grants: its tables of answers, in its words.
@Suite("The sandbox's homeserver with grants")
struct PubkyGrantTests {
    private let world: PubkyWorld

    init() { world = PubkyWorld { $0.generation = .storagePaths } }

    private var now: UInt64 { world.clock.now.microseconds / 1_000_000 }

    /// The parts of an app's request; a test can change each of them.
    private struct Offer {
        var owner: UInt8 = 0x11
        var client: UInt8 = 0x33
        var signer: UInt8 = 0x33
        var name = "router.example"
        var capabilities = "/:rw"
        var id = "grant-1"
        var at: Int64 = 0
        var lifetime: UInt64 = 300
        var audience: PubkyKey?
        var proofID: String?
        var nonce = "nonce"
        var proofAt: Int64 = 0
    }

    private func body(_ offer: Offer) throws -> [UInt8] {
        let grant = try PubkyGrant(
            PubkyCapability.list(offer.capabilities), to: PubkyWorld.pair(offer.client).publicKey, called: offer.name,
            id: offer.id, at: UInt64(Int64(now) + offer.at), lifetime: offer.lifetime, by: PubkyWorld.pair(offer.owner))
        let proof = try GrantProof(
            of: offer.proofID ?? offer.id, for: offer.audience ?? world.sandbox.homeserver, nonce: offer.nonce,
            at: UInt64(Int64(now) + offer.proofAt), by: PubkyWorld.pair(offer.signer))
        return JSONValue.object(["grant": .string(grant.text.reveal()), "pop": .string(proof.text.reveal())])
            .serialized()
    }

    private func post(
        _ path: String, _ offer: Offer = Offer(), _ change: (inout Offer) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        var offer = offer
        change(&offer)
        return try await world.send("POST", path, [("Content-Type", "application/json")], body: body(offer))
    }

    private static let session = "/auth/grant/session"
    private static let signUp = "/auth/grant/signup"

    private func signUp(_ owner: UInt8 = 0x11) async throws {
        let answer = try await post(Self.signUp) {
            $0.owner = owner
            $0.name = "pubky.signup"
            $0.nonce = "up-\(owner)"
            $0.id = "up-\(owner)"
        }
        #expect(answer.line == "204")
    }

    /// Opens a session.
    ///
    /// - Returns: the header field that presents it.
    private func open(_ change: (inout Offer) -> Void = { _ in }) async throws -> (String, String) {
        let answer = try await post(Self.session, Offer(), change)
        #expect(answer.status == 200, "\(answer.line)")
        let token = try #require(try JSONValue(parsing: answer.body)["token"]?.string)
        return ("Authorization", "Bearer \(token)")
    }

    @Test("A grant opens a session, which is described, and known by 43 characters")
    func opening() async throws {
        try await signUp()
        let answer = try await post(Self.session) { $0.lifetime = 1000 }
        let json = try JSONValue(parsing: answer.body)
        #expect(json["token"]?.string?.utf8.count == 43)
        let session = try GrantSession(json["session"] ?? .null)
        #expect(session.user == (try PubkyWorld.pair(0x11)).publicKey && session.homeserver == world.sandbox.homeserver)
        #expect(session.tokenExpiresAt == now + 3600 && session.grantExpiresAt == now + 1000)
        #expect(session.createdAt == now && session.clientID == "router.example" && session.grantID == "grant-1")
    }

    @Test("A wrong grant or proof is reported in the service's own texts")
    func refusals() async throws {
        #expect(try await post(Self.session).line == "404 Not Found")
        try await signUp()
        typealias Change = (inout Offer) -> Void
        let cases: [(String, Change)] = [
            ("401 Invalid grant: grant has expired", { $0.lifetime = 0 }),
            ("401 Invalid PoP proof: invalid PoP signature", { $0.signer = 0x44 }),
            ("401 Invalid PoP proof: PoP audience mismatch", { $0.audience = try? PubkyWorld.pair(9).publicKey }),
            ("401 Invalid PoP proof: PoP grant ID mismatch", { $0.proofID = "other" }),
            ("401 Invalid PoP proof: PoP timestamp out of range", { $0.proofAt = 181 }),
            ("401 Invalid PoP proof: PoP timestamp out of range", { $0.proofAt = -181 }),
        ]
        for (line, change) in cases { #expect(try await post(Self.session, Offer(), change).line == line) }
        _ = try await open { $0.nonce = "once" }
        #expect(try await post(Self.session) { $0.nonce = "once" }.line == "401 PoP nonce already used")
        // After six minutes it may come again: before, its time would have revealed the repetition.
        world.clock.advance(by: .seconds(361))
        _ = try await open { $0.nonce = "once" }
    }

    @Test(
        "Malformed bodies are distinguished",
        arguments: [
            ("text/plain", "{}", 415), ("application/json", "{", 400), ("application/json", "{}", 422),
            ("application/json", #"{"grant":"a.b","pop":"a.b.c"}"#, 422),
            ("application/json", #"{"grant":"a.b.c","pop":"a.b.c"}"#, 400),
        ])
    func bodies(_ type: String, _ text: String, _ status: Int) async throws {
        let answer = try await world.send("POST", Self.session, [("Content-Type", type)], body: Array(text.utf8))
        #expect(answer.status == status)
    }

    @Test("A sign-up is for its own client, everything, and five minutes, and is made once")
    func signUps() async throws {
        func line(_ change: (inout Offer) -> Void) async throws -> String {
            try await post(Self.signUp, Offer(name: "pubky.signup"), change).line
        }
        #expect(try await line { $0.name = "other" } == "400 signup grants must use client_id pubky.signup")
        #expect(try await line { $0.capabilities = "/pub/:rw" } == "403 Root capability required")
        #expect(try await line { $0.at = 181 } == "400 signup grant iat is too far in the future")
        #expect(try await line { $0.lifetime = 301 } == "400 signup grant lifetime exceeds 5 minutes")
        try await signUp()
        #expect(try await line { $0.nonce = "again" } == "409 User already exists")
        // A sign-up opens no session.
        let answer = try await world.send("GET", "/auth/grant/sessions", of: PubkyWorld.pair(0x11).publicKey)
        #expect(answer.line == "401 No authenticated session found")
    }

    @Test("Where sign-ups need a token, it is looked at, wanted, and used once")
    func tokens() async throws {
        let world = PubkyWorld {
            $0.generation = .grants
            $0.signUp = .tokenRequired
        }
        let token = await world.sandbox.createSignUpToken().reveal()
        func line(_ nonce: String, _ query: String) async throws -> String {
            let offer = Offer(name: "pubky.signup", audience: world.sandbox.homeserver, nonce: nonce)
            return try await world.send(
                "POST", Self.signUp + query, [("Content-Type", "application/json")], body: body(offer)
            ).line
        }
        #expect(try await world.send("GET", "/signup_tokens/\(token)").text.contains("\"valid\""))
        #expect(try await world.send("GET", "/signup_tokens/AAAA-AAAA-AAAA").line == "404 Token not found")
        #expect(try await line("a", "") == "400 Token required")
        #expect(try await line("b", "?signup_token=AAAA-AAAA-AAAA") == "401 Invalid token")
        #expect(try await line("c", "?signup_token=\(token)") == "204")
        #expect(try await world.send("GET", "/signup_tokens/\(token)").text.contains("\"used\""))
        #expect(try await self.world.send("GET", "/signup_tokens/x").line == "400 Signup tokens not required")
    }

    @Test("One session for each grant: a new one ends the one before, and signing out ends the grant")
    func oneBearer() async throws {
        try await signUp()
        let first = try await open { $0.nonce = "1" }
        let second = try await open { $0.nonce = "2" }
        #expect(try await world.send("GET", Self.session, [first]).line == "401 No authenticated session found")
        #expect(try await world.send("GET", Self.session, [second]).status == 200)
        // Signing out without a valid session ends nothing, and is answered as if it had.
        #expect(try await world.send("DELETE", Self.session, [first]).line == "200")
        #expect(try await world.send("GET", Self.session, [second]).status == 200)
        #expect(try await world.send("DELETE", Self.session, [second]).line == "200")
        #expect(try await post(Self.session) { $0.nonce = "3" }.line == "401 Grant has been revoked")
    }

    @Test("A session ends after an hour")
    func hour() async throws {
        try await signUp()
        let bearer = try await open { $0.lifetime = 100_000 }
        world.clock.advance(by: .seconds(3599))
        #expect(try await world.send("GET", Self.session, [bearer]).status == 200)
        world.clock.advance(by: .seconds(1))
        #expect(try await world.send("GET", Self.session, [bearer]).status == 401)
    }

    @Test("Grants are listed and revoked by a session with all capabilities, of its user only")
    func listing() async throws {
        try await signUp()
        try await signUp(0x12)
        let root = try await open { $0.nonce = "1" }
        let small = try await open {
            $0.nonce = "2"
            $0.id = "grant-2"
            $0.capabilities = "/pub/x/:rw,/pub/y/:r"
        }
        _ = try await open {
            $0.nonce = "3"
            $0.id = "grant-3"
            $0.owner = 0x12
        }
        let answer = try await world.send("GET", "/auth/grant/sessions", [root])
        let list = try #require(try JSONValue(parsing: answer.body).array).map { try PubkyGrantRecord($0) }
        #expect(list.map(\.id) == ["grant-1", "grant-2"])
        #expect(list.last?.capabilities.map(\.text) == ["/pub/x/:rw", "/pub/y/:r"])
        func line(_ method: String, _ path: String, _ field: (String, String)?) async throws -> String {
            try await world.send(method, path, field.map { [$0] } ?? []).line
        }
        #expect(try await line("GET", "/auth/grant/sessions", nil) == "401 No authenticated session found")
        #expect(try await line("GET", "/auth/grant/sessions", small) == "403 Root capability required")
        #expect(try await line("DELETE", "\(Self.session)/grant-1", small) == "403 Root capability required")
        #expect(try await line("DELETE", "\(Self.session)/a%20b", root) == "400 Invalid grant ID format")
        #expect(try await line("DELETE", "\(Self.session)/unknown", root) == "404 Not Found")
        #expect(
            try await line("DELETE", "\(Self.session)/grant-3", root)
                == "403 Grant does not belong to authenticated user")
        #expect(try await line("DELETE", "\(Self.session)/grant-2", root) == "200")
        #expect(try await line("GET", Self.session, small) == "401 No authenticated session found")
    }

    // MARK: Storage

    @Test("The right to write is checked in the service's order, in both ways of addressing", arguments: [false, true])
    func writing(_ isAddressed: Bool) async throws {
        try await signUp()
        try await signUp(0x12)
        let (owner, other) = (try PubkyWorld.pair(0x11).publicKey, try PubkyWorld.pair(0x12).publicKey)
        let bearer = try await open { $0.capabilities = "/pub/x/:rw,/pub/file:w" }
        func put(_ path: String, of user: PubkyKey, _ field: (String, String)?, method: String = "PUT") async throws
            -> String
        {
            try await world.send(
                method, (isAddressed ? "/storage/\(user)" : "") + path, of: isAddressed ? nil : user,
                field.map { [$0] } ?? [], body: method == "PUT" ? [1] : []
            ).line
        }
        #expect(try await put("/pub/x/a", of: owner, nil) == "401 No authenticated session found")
        #expect(try await put("/pub/x/", of: owner, bearer) == "400 Target path must be a file")
        #expect(
            try await put("/else/a", of: owner, bearer)
                == "403 Writing to directories other than '/pub/' and '/priv/' is forbidden")
        #expect(try await put("/pub/x/a", of: other, bearer) == "403 Session user does not match target tenant")
        for path in ["/pub/y", "/pub/x", "/pub/file2", "/pub/file/a", "/priv/x/a"] {
            #expect(try await put(path, of: owner, bearer) == "403 Session does not have write access to path")
        }
        #expect(try await put("/pub/file", of: owner, bearer) == "201")
        #expect(try await put("/pub/x/a", of: owner, bearer) == "201")
        #expect(try await put("/pub/x/a/b", of: owner, bearer) == "409 File/folder path collision")
        #expect(try await put("/pub/x/c/d", of: owner, bearer) == "201")
        #expect(try await put("/pub/x/c", of: owner, bearer) == "409 File/folder path collision")
        #expect(try await put("/pub/x/a", of: owner, bearer, method: "DELETE") == "204")
        #expect(try await put("/pub/x/a", of: owner, bearer, method: "DELETE") == "404 Not Found")
        // An invalid session does not prevent reading public files.
        let stale = ("Authorization", "Bearer \(String(repeating: "A", count: 43))")
        #expect(try await put("/pub/file", of: owner, stale, method: "GET") == "200 \u{1}")
    }

    @Test("Private files are read by their owner's session only, and kept by no cache")
    func privateFiles() async throws {
        try await signUp()
        let owner = try PubkyWorld.pair(0x11).publicKey
        let bearer = try await open { $0.capabilities = "/priv/x/:rw" }
        let blind = try await open {
            $0.id = "grant-2"
            $0.nonce = "2"
            $0.capabilities = "/priv/x/:w"
        }
        #expect(try await world.send("PUT", "/priv/x/a", of: owner, [bearer], body: [65]).line == "201")
        let answer = try await world.send("GET", "/priv/x/a", of: owner, [bearer])
        #expect(answer.line == "200 A" && answer.headers["Cache-Control"] == "no-store")
        #expect(answer.headers["Vary"] == "pubky-host, Authorization, Cookie")
        let addressed = try await world.send("GET", "/storage/\(owner)/priv/x/a", [bearer])
        #expect(addressed.line == "200 A" && addressed.headers["Vary"] == "Authorization, Cookie")
        #expect(
            try await world.send("GET", "/priv/x/a", of: owner).line
                == "401 Authentication required to read private storage")
        #expect(
            try await world.send("GET", "/priv/x/a", of: owner, [blind]).line
                == "403 Session does not have read access to path")
        #expect(try await world.send("GET", "/else", of: owner).status == 403)
        // Others learn nothing of it.
        #expect(!(try await world.send("GET", "/events/").text.contains("/priv/")))
        func stream(_ query: String, _ fields: [(String, String)]) async throws -> String {
            try await world.send("GET", "/events-stream?user=\(owner)\(query)", fields).line
        }
        #expect(!(try await stream("", [])).contains("/priv/"))
        #expect(try await stream("&path=/priv/x/", []) == "401 No authenticated session found")
        #expect(try await stream("&path=/priv/x/", [blind]) == "403 Session does not have read access to path")
        #expect(try await stream("&path=/priv/x/&path=/pub/", [bearer]).contains("/priv/x/a"))
    }

    @Test("Paths that name no storage are refused, and a homeserver says what it can")
    func addressing() async throws {
        let owner = try PubkyWorld.pair(0x11).publicKey
        #expect(
            try await world.send("GET", "/storage/pubky\(owner)/pub/a").line == "400 Invalid storage owner public key")
        #expect(try await world.send("GET", "/storage/\(owner)").line == "400 Missing storage path")
        #expect(try await world.send("GET", "/storage/").line == "400 Missing storage owner or path")
        #expect(try await world.send("GET", "/pub/a").line == "400 Missing request tenant")
        let info = try await world.send("GET", "/info")
        #expect(info.text == #"{"features":["path-addressed-storage","unheard-of"]}"#)
        #expect(info.headers["Cache-Control"] == "no-store")
        await world.sandbox.upgrade(to: .grants)
        #expect(try await world.send("GET", "/pub/a").line == "500 Missing request tenant")
        #expect(try await world.send("GET", "/storage/\(owner)/pub/a", of: owner).status == 403)
    }

    @Test("Each file takes 256 bytes more than it holds of its owner's room")
    func quota() async throws {
        let world = PubkyWorld {
            $0.generation = .grants
            $0.quota = 300
        }
        let pair = try PubkyWorld.pair(0x11)
        let cookie = try await world.signUp(pair)
        func put(_ path: String, _ count: Int) async throws -> String {
            try await world.send(
                "PUT", path, of: pair.publicKey, cookie: cookie, body: [UInt8](repeating: 1, count: count)
            ).line
        }
        #expect(try await put("/pub/a", 44) == "201")
        #expect(try await put("/pub/a", 45) == "507 Disk space quota exceeded")
        #expect(try await put("/pub/b", 1) == "507 Disk space quota exceeded")
    }

    @Test("Cookies continue, with current names and a longer time for tokens")
    func cookies() async throws {
        let pair = try PubkyWorld.pair(0x11)
        let cookie = try await world.signUp(pair)
        #expect(try await world.send("GET", "/session", of: pair.publicKey, cookie: cookie).status == 200)
        #expect(
            try await world.send("GET", "/session", of: pair.publicKey).line == "401 No authenticated session found")
        #expect(try await world.send("PUT", "/priv/a", of: pair.publicKey, cookie: cookie, body: [1]).line == "201")
        let old = try world.token(pair, at: -179_000_000)
        #expect(try await world.send("POST", "/session", body: old.bytes).status == 200)
        let older = try world.token(pair, at: -181_000_000)
        #expect(try await world.send("POST", "/session", body: older.bytes).status == 400)
        let bearer = try await open()
        #expect(
            try await world.send("GET", "/session", of: pair.publicKey, cookie: cookie, [bearer]).line
                == "401 Unauthorized")
    }

    @Test("A running sandbox is replaced by one of another generation, and says which it is and what key it has")
    func replaced() async throws {
        let world = PubkyWorld()
        let path = "/sandbox/paykit/generation"
        for name in ["cookies", "grants", "storage-paths", "cookies"] {
            let body = Array(#"{"generation":"\#(name)"}"#.utf8)
            #expect(try await world.send("POST", path, body: body).status == 200)
            #expect(try await world.send("GET", path).text == #"{"generation":"\#(name)"}"#)
            let exchange = try await world.send("POST", "/auth/grant/session").status
            #expect((exchange == 404) == (name == "cookies"), "\(name) \(exchange)")
            #expect((try await world.send("GET", "/info").status == 200) == (name == "storage-paths"), "\(name)")
        }
        for body in ["{}", #"{"generation":"newest"}"#, ""] {
            #expect(try await world.send("POST", path, body: Array(body.utf8)).status == 400)
        }
        #expect(try await world.send("DELETE", path).status == 405)
        let answer = try JSONValue(parsing: try await world.send("GET", "/sandbox/paykit/homeserver").body)
        let seed = try #require(answer["seed"]?.string.flatMap { Hex.decode($0) })
        #expect(try PubkyKeyPair(seed: seed).publicKey == world.sandbox.homeserver)
    }
}
