import Foundation
import PaykitProvider
import PaykitSandbox
import PaymentCore
import TestSupport
import Testing

/// Accounts and sessions of the simulated homeserver (Protocol 3.2 to 3.4).
@Suite("The Pubky sandbox's sessions")
struct PubkySessionTests {
    private let world = PubkyWorld()
    /// The recorded token of the seed of 32 times 11 for `/:rw`.
    private static let recorded = Hex.decode(
        "8b13e03c9186720ec68b1927681af047ea856beaf57bed4d306d0f212bcb3442e12672022afe4bbcc4189898859650ec7c49bbb76ce737ee"
            + "b63c697697195d0f5055424b593a41555448000006474846204000d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332"
            + "c9778737042f3a7277")!

    @Test("The recorded token opens an account, and says whose and what for", arguments: Wire.allCases)
    func recordedToken(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let answer = try await world.send(
            "POST", "/signup", [("User-Agent", "pubky.org@0.6.0")], body: Self.recorded)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/octet-stream")
        #expect(
            Hex.encode(answer.body)
                == "00d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737808081b184e99103000f7075626b792e6f72674"
                + "0302e362e3001042f3a7277")
        let cookie = try #require(answer.headers["Set-Cookie"])
        let form =
            /4bfmrcuwfq4ksqoupn6wcfxrh5enr1izdeyszmhfrntuf1mzoh5o=[0-9A-HJKMNP-TV-Z]{25}[048CGMRW]; HttpOnly; Path=\/; Max-Age=31536000; Expires=Fri, 01 Jan 2027 00:00:00 GMT/
        #expect(cookie.wholeMatch(of: form) != nil, "\(cookie)")
    }

    @Test(
        "A token is good for 45 seconds around its time",
        arguments: [
            (-45_000_000, "200"), (45_000_000, "200"),
            (-45_000_001, "400 AuthToken has a timestamp that is more than 45 seconds in the past"),
            (45_000_001, "400 AuthToken has a timestamp that is more than 45 seconds in the future"),
        ])
    func window(offset: Int64, line: String) async throws {
        let answer = try await world.send(
            "POST", "/signup", body: try world.token(PubkyWorld.pair(3), at: offset).bytes)
        #expect(answer.status == 200 || answer.line == line)
        #expect(line.hasPrefix("\(answer.status)"))
    }

    @Test("A token that cannot be read, was forged or was used is refused")
    func badTokens() async throws {
        let good = try world.token(PubkyWorld.pair(3)).bytes
        func changed(_ index: Int) -> [UInt8] {
            var bytes = good
            bytes[index] ^= 1
            return bytes
        }
        let end = "400 Hit the end of buffer, expected more data"
        for (bytes, line) in [
            ([], end), (Array(good.prefix(115)), end), (Array(good.dropLast()), end), (good + [0], end),
            (changed(65), end), (changed(74), "400 Unknown version"), (changed(0), "400 Invalid Signature"),
            (changed(82), "400 Invalid Signature"), (changed(64), end),
        ] {
            #expect(try await world.send("POST", "/signup", body: bytes).line == line)
            #expect(try await world.send("POST", "/session", body: bytes).line == line)
        }
        #expect(try await world.send("POST", "/signup", body: good).status == 200)
        #expect(try await world.send("POST", "/signup", body: good).line == "400 AuthToken already used")
        #expect(try await world.send("POST", "/session", body: good).line == "400 AuthToken already used")
        world.clock.advance(by: .seconds(46))
        #expect(try await world.send("POST", "/session", body: good).status == 400)
    }

    @Test("A user with an account signs in, and no other")
    func accounts() async throws {
        let pair = try PubkyWorld.pair(3)
        #expect(try await world.send("POST", "/session", body: world.token(pair).bytes).line == "404 Not Found")
        _ = try await world.send("POST", "/signup", body: world.token(pair, at: 1).bytes)
        #expect(
            try await world.send("POST", "/signup", body: world.token(pair, at: 2).bytes).line
                == "409 User already exists")
        #expect(try await world.send("POST", "/session", body: world.token(pair, at: 3).bytes).status == 200)
    }

    @Test("Where a sign-up takes a token, one is good once")
    func signUpTokens() async throws {
        let world = PubkyWorld { $0.signUp = .tokenRequired }
        let token = await world.sandbox.createSignUpToken().reveal()
        #expect(token.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}/) != nil)
        var count: Int64 = 0
        func signUp(_ seed: UInt8, _ query: String) async throws -> String {
            count += 1
            let body = try world.token(PubkyWorld.pair(seed), at: count).bytes
            return try await world.send("POST", "/signup\(query)", body: body).line
        }
        #expect(try await signUp(3, "") == "400 Token required")
        for bad in ["", "AAAA-BBBB", "AAAA-BBBB-CCC", "AAAA-BBBB-CCCU", "aaaa-bbbb-cccc"] {
            #expect(
                try await signUp(3, "?signup_token=\(bad)").hasPrefix("400 Invalid signup token format: "), "\(bad)")
        }
        #expect(try await signUp(3, "?signup_token=AAAA-BBBB-CCCC") == "401 Invalid token")
        #expect(try await signUp(3, "?signup_token=\(token)").hasPrefix("200"))
        #expect(try await signUp(4, "?signup_token=\(token)") == "401 Token already used")
    }

    @Test("A session reports on itself until it ends", arguments: Wire.allCases)
    func lifetime(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire) { $0.sessionLifetime = 100 }
        let pair = try PubkyWorld.pair(3)
        let key = pair.publicKey
        let cookie = try await world.signUp(pair, "/pub/paykit.app/v0/:rw,/pub/pubky.app/:r")
        let answer = try await world.send("GET", "/session", of: key, cookie: cookie)
        #expect(answer.headers["Vary"] == "cookie, pubky-host")
        #expect(answer.headers["Cache-Control"] == "private, must-revalidate")
        let info = try SessionInfo(parsing: answer.body)
        #expect(info.key == key)
        #expect(info.capabilities.map(\.text) == ["/pub/paykit.app/v0/:rw", "/pub/pubky.app/:r"])
        #expect(try await world.send("GET", "/session", of: key).line == "404 Not Found")
        #expect(try await world.send("GET", "/session", cookie: cookie).line == "404 Pubky Host is missing")
        world.clock.advance(by: .seconds(100))
        #expect(try await world.send("GET", "/session", of: key, cookie: cookie).line == "404 Not Found")
        #expect(
            try await world.send("PUT", "/pub/paykit.app/v0/x", of: key, cookie: cookie).line
                == "401 No session found for session secret")
    }

    @Test("Signing out ends the session, as often as it is done")
    func signOut() async throws {
        let pair = try PubkyWorld.pair(3)
        let cookie = try await world.signUp(pair)
        for _ in 0..<2 {
            let answer = try await world.send("DELETE", "/session", of: pair.publicKey, cookie: cookie)
            #expect(answer.line == "200")
            #expect(answer.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
            #expect(try await world.send("GET", "/session", of: pair.publicKey, cookie: cookie).status == 404)
        }
        #expect(try await world.send("DELETE", "/session", of: pair.publicKey).status == 200)
        #expect(try await world.send("PATCH", "/session", of: pair.publicKey).status == 405)
    }

    @Test(
        "Cookies are for encrypted connections where the host has a name of the network",
        arguments: [
            ("127.0.0.1", false), ("homeserver", false), ("testnet", false), ("167.86.102.121", false),
            ("[2001:db8::ff00:42:8329]", false), ("localhost", false), ("localhost:23423", false),
            ("8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo", true), ("example.com", true),
        ])
    func secure(host: String, isSecure: Bool) async throws {
        let body = try world.token(PubkyWorld.pair(3)).bytes
        let answer = try await world.send("POST", "/signup", [("Host", host)], body: body)
        #expect(answer.headers["Set-Cookie"]?.contains("SameSite=None; Secure") == isSecure)
    }

    @Test("The client signs up, in and out, and sees why it may not", arguments: Wire.allCases)
    func client(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let homeserver = try world.homeserver()
        let pair = try PubkyWorld.pair(3)
        var count: Int64 = 0
        func open(isSignUp: Bool) async throws -> PubkySession {
            count += 1
            return try await homeserver.open(world.token(pair, at: count), isSignUp: isSignUp)
        }
        #expect(await code { _ = try await open(isSignUp: false) } == .notFound)
        let first = try await open(isSignUp: true)
        #expect(await code { _ = try await open(isSignUp: true) } == .auth)
        let second = try await open(isSignUp: false)
        #expect(second.capabilities == [.root])
        let (user, cookie) = try PubkySession.read(second.exported)
        #expect(try await homeserver.session(cookie, of: user) == second)
        try await homeserver.close(second)
        #expect(try await homeserver.session(cookie, of: user) == nil)
        let address = try PubkyAddress(user, path: "/pub/x")
        #expect(await code { try await homeserver.write([1], to: address, second) } == .sessionExpired)
        try await homeserver.write([1], to: address, first)
        await world.sandbox.endSessions(of: user)
        #expect(await code { try await homeserver.write([1], to: address, first) } == .sessionExpired)
    }
}

/// The code of the failure that `work` ends with.
func code(_ work: () async throws -> Void) async -> PaykitNetworkError.Code? {
    do {
        try await work()
        return nil
    } catch { return (error as? PaykitNetworkError)?.code }
}
