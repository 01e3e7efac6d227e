import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import TestSupport
import Testing

/// The relays through which another device authorises an app (Protocol 1.7).
@Suite("The Pubky sandbox's relays for another device")
struct PubkyLinkTests {
    private let world = PubkyWorld()
    private static let type = [("Content-Type", "application/x-sealed")]

    @Test("The first side waits for the other", arguments: Wire.allCases, [true, false])
    func meeting(_ wire: Wire, isReaderFirst: Bool) async throws {
        let world = try PubkyWorld(on: wire)
        let message: [UInt8] = [1, 2, 3]
        async let first = world.send(
            isReaderFirst ? "GET" : "POST", "/link/abc", isReaderFirst ? [] : Self.type,
            body: isReaderFirst ? [] : message)
        await world.clock.sleepers(1)
        // Another channel does not answer them.
        #expect(await world.sandbox.waitingCount == 1)
        let second = try await world.send(
            isReaderFirst ? "POST" : "GET", "/link/abc", isReaderFirst ? Self.type : [],
            body: isReaderFirst ? message : [])
        let answers = try await [first, second]
        let (reader, writer) = isReaderFirst ? (answers[0], answers[1]) : (answers[1], answers[0])
        #expect(reader.status == 200)
        #expect(reader.body == message)
        #expect(reader.headers["Content-Type"] == "application/x-sealed")
        #expect(writer.line == "200")
        #expect(await world.sandbox.waitingCount == 0)
    }

    @Test("Another device lets an app in by a sealed token, and the relay is none the wiser", arguments: Wire.allCases)
    func authorization(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let user = await world.sandbox.createUser()
        let secret = [UInt8](0..<32)
        let channel = Base64URL.encode(BLAKE3.hash(secret))
        #expect(channel == "5SjpV5gDffQQVD2fMeOW7N1FjXGxV9YBQ5i64y-1bGU")
        async let waiting = world.send("GET", "/link/\(channel)")
        await world.clock.sleepers(1)
        let nonce = [UInt8](100..<124)
        let token = try world.token(user.keyPair, "/pub/paykit.app/v0/:rw")
        let sealed = nonce + (try SecretBox.seal(token.bytes, key: secret, nonce: nonce))
        #expect(try await world.send("POST", "/link/\(channel)", body: sealed).status == 200)
        let answer = try await waiting.body
        let opened = try SecretBox.open(Array(answer.dropFirst(24)), key: secret, nonce: Array(answer.prefix(24)))
        let session = try await world.homeserver().open(AuthToken(parsing: opened), isSignUp: false)
        #expect(session.user == user.key)
        #expect(session.capabilities == [.paykit])
    }

    @Test("No side waits longer than ten minutes", arguments: ["GET", "POST"])
    func timeout(method: String) async throws {
        async let answer = world.send(method, "/link/abc")
        await world.clock.sleepers(1)
        world.clock.advance(by: .seconds(599))
        #expect(await world.sandbox.waitingCount == 1)
        world.clock.advance(by: .seconds(1))
        #expect(try await answer.line == "408 Request timed out")
        #expect(await world.sandbox.waitingCount == 0)
    }

    @Test("A client that comes to the same side takes the place of the first")
    func displaced() async throws {
        async let first = world.send("GET", "/link/abc")
        await world.clock.sleepers(1)
        async let second = world.send("GET", "/link/abc")
        #expect(try await first.line == "404 Not Found")
        _ = try await world.send("POST", "/link/abc", body: [7])
        #expect(try await second.body == [7])
        async let writer = world.send("POST", "/link/xyz", body: [1])
        await world.clock.sleepers(1)
        async let other = world.send("POST", "/link/xyz", body: [2])
        #expect(try await writer.line == "200")
        #expect(try await world.send("GET", "/link/xyz").body == [2])
        #expect(try await other.status == 200)
    }

    @Test("Long messages, other methods and too many guests are refused")
    func bounds() async throws {
        let world = PubkyWorld { $0.inboxCapacity = 1 }
        let long = [UInt8](repeating: 1, count: 2049)
        for path in ["/link/a", "/inbox/a"] {
            #expect(try await world.send("POST", path, body: long).status == 413, "\(path)")
            #expect(try await world.send("PUT", path).status == 405, "\(path)")
        }
        async let waiting = world.send("GET", "/link/a")
        await world.clock.sleepers(1)
        for path in ["/link/b", "/inbox/b", "/inbox/b/await"] {
            #expect(try await world.send("GET", path).status == 503, "\(path)")
        }
        #expect(try await world.send("POST", "/link/b").status == 503)
        _ = try await world.send("POST", "/link/a", body: Array(long.prefix(2048)))
        #expect(try await waiting.body.count == 2048)
        #expect(try await world.send("POST", "/inbox/a", body: [1]).status == 200)
        #expect(try await world.send("POST", "/inbox/a", body: [2]).status == 200)
        #expect(try await world.send("POST", "/inbox/b", body: [1]).status == 503)
        world.clock.advance(by: .seconds(300))
        #expect(try await world.send("POST", "/inbox/b", body: [1]).status == 200)
    }

    @Test("A message stays in the box until it is acknowledged", arguments: Wire.allCases)
    func inbox(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        #expect(try await world.send("GET", "/inbox/a/ack").status == 404)
        #expect(try await world.send("DELETE", "/inbox/a").status == 404)
        #expect(try await world.send("POST", "/inbox/a", Self.type, body: [1, 2]).line == "200")
        for _ in 0..<2 {
            let answer = try await world.send("GET", "/inbox/a")
            #expect(answer.body == [1, 2])
            #expect(answer.headers["Content-Type"] == "application/x-sealed")
        }
        #expect(try await world.send("GET", "/inbox/a/ack").line == "200 false")
        async let receipt = world.send("GET", "/inbox/a/await")
        await world.clock.sleepers(1)
        #expect(try await world.send("DELETE", "/inbox/a").line == "200")
        #expect(try await receipt.status == 200)
        #expect(try await world.send("GET", "/inbox/a/ack").line == "200 true")
        #expect(try await world.send("GET", "/inbox/a/await").status == 200)
        #expect(try await world.send("GET", "/inbox/a/other").status == 404)
        world.clock.advance(by: .seconds(300))
        #expect(try await world.send("GET", "/inbox/a/ack").status == 404)
    }

    @Test("A client that looks into an empty box waits for a message, or 25 seconds")
    func emptyBox() async throws {
        async let first = world.send("GET", "/inbox/a")
        await world.clock.sleepers(1)
        _ = try await world.send("POST", "/inbox/a", body: [9])
        #expect(try await first.body == [9])
        _ = try await world.send("DELETE", "/inbox/a")
        for path in ["/inbox/a", "/inbox/b", "/inbox/b/await"] {
            async let answer = world.send("GET", path)
            await world.clock.sleepers(1)
            world.clock.advance(by: .seconds(25))
            #expect(try await answer.line == "408 Request timed out", "\(path)")
        }
    }

    @Test("A server that stops keeps no client waiting")
    func stopped() async throws {
        let world = try PubkyWorld(on: .loopback)
        let guest = Task { try await world.send("GET", "/link/abc") }
        await world.clock.sleepers(1)
        world.server?.stop()
        await #expect(throws: TransportError.self) { try await guest.value }
        while await world.sandbox.waitingCount > 0 { await Task.yield() }
    }
}
