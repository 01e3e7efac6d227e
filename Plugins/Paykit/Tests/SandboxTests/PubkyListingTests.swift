import PaykitProvider
import PaykitSandbox
import PaymentCore
import TestSupport
import Testing

/// Directories and events of the simulated homeserver (Protocol 3.5 and 3.6).
@Suite("The Pubky sandbox's listings and events")
struct PubkyListingTests {
    private static let paths = ["/pub/a/1", "/pub/a/2", "/pub/a/b/3", "/pub/a.txt", "/pub/c", "/pub/a/b/4"]

    private func filled() async -> (PubkyWorld, PubkyKey) {
        let world = PubkyWorld()
        let key = await world.sandbox.createUser(.unknownKey).key
        for path in Self.paths { await world.sandbox.publish([1], at: path, of: key) }
        return (world, key)
    }

    @Test(
        "A directory is listed in the order of its paths, as it is asked for",
        arguments: [
            ("/pub/", "/pub/a.txt /pub/a/1 /pub/a/2 /pub/a/b/3 /pub/a/b/4 /pub/c"),
            ("/pub/a/", "/pub/a/1 /pub/a/2 /pub/a/b/3 /pub/a/b/4"),
            ("/pub/?shallow", "/pub/a.txt /pub/a/ /pub/c"), ("/pub/?shallow=true", "/pub/a.txt /pub/a/ /pub/c"),
            ("/pub/?shallow=no", "/pub/a.txt /pub/a/1 /pub/a/2 /pub/a/b/3 /pub/a/b/4 /pub/c"),
            ("/pub/?shallow&reverse", "/pub/c /pub/a/ /pub/a.txt"),
            ("/pub/a/?reverse=1&limit=2", "/pub/a/b/4 /pub/a/b/3"),
            ("/pub/?limit=2", "/pub/a.txt /pub/a/1"), ("/pub/?limit=0", ""),
            ("/pub/a/?limit=", "/pub/a/1 /pub/a/2 /pub/a/b/3 /pub/a/b/4"),
            ("/pub/a/?limit=70000", "/pub/a/1 /pub/a/2 /pub/a/b/3 /pub/a/b/4"),
            ("/pub/a/?cursor=", "/pub/a/1 /pub/a/2 /pub/a/b/3 /pub/a/b/4"),
            ("/pub/a/?cursor=KEY/pub/a/2", "/pub/a/b/3 /pub/a/b/4"),
            ("/pub/a/?cursor=pubky://KEY/pub/a/2&reverse", "/pub/a/1"),
            ("/pub/a/?cursor=pubky%3A%2F%2FKEY%2Fpub%2Fa%2Fb%2F4", ""),
            ("/pub/?shallow&cursor=KEY/pub/a/", "/pub/c"),
        ])
    func listing(asked: String, expected: String) async throws {
        let (world, key) = await filled()
        let answer = try await world.send("GET", asked.replacing("KEY", with: key.text), of: key)
        let lines = expected.split(separator: " ").map { "pubky://\(key)\($0)" }
        #expect(answer.status == 200)
        #expect(answer.text == lines.joined(separator: "\n"))
        #expect(answer.headers["Content-Type"] == "text/plain")
    }

    @Test(
        "What cannot be listed is said",
        arguments: [
            ("/pub/none/", "404 Directory Not Found"), ("/pub/c/", "404 Directory Not Found"),
            ("/pub/none/?cursor=x", "404 Directory Not Found"), ("/pub/?cursor=x", "400 Invalid cursor"),
            ("/pub/?cursor=/pub/a/2", "400 Invalid cursor"), ("/pub/?shallow=maybe", "400 Invalid boolean parameter"),
            ("/pub/?reverse=2", "400 Invalid boolean parameter"),
        ])
    func refused(asked: String, line: String) async throws {
        let (world, key) = await filled()
        #expect(try await world.send("GET", asked, of: key).line == line)
    }

    @Test("At most a thousand entries come at once, a hundred unless more are asked for")
    func limits() async throws {
        let world = PubkyWorld()
        let key = await world.sandbox.createUser(.unknownKey).key
        for number in 0..<1001 { await world.sandbox.publish([], at: "/pub/\(10000 + number)", of: key) }
        func count(_ query: String) async throws -> Int {
            try await world.send("GET", "/pub/\(query)", of: key).text.split(separator: "\n").count
        }
        #expect(try await count("") == 100)
        #expect(try await count("?limit=65535") == 1000)
        #expect(try await count("?limit=1001") == 1000)
        let directory = try PubkyAddress(key, path: "/pub/")
        let homeserver = try world.homeserver()
        var found: [PubkyAddress] = []
        // Bounded, so that repeating pages do not loop endlessly.
        while found.count < 2000, let page = try await homeserver.list(directory, limit: 300, after: found.last),
            !page.isEmpty
        {
            found += page
        }
        #expect(found.count == 1001)
        #expect(Set(found).count == 1001)
    }

    @Test("The client lists", arguments: Wire.allCases)
    func client(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let user = await world.sandbox.createUser(.notMethods)
        let homeserver = try world.homeserver()
        let directory = try PubkyAddress(user.key, path: "/pub/paykit.app/v0/")
        let names = try await homeserver.list(directory, isShallow: true)?.map {
            $0.path.dropFirst(directory.path.count)
        }
        #expect(names == ["lightning", "noise", "requests/", "supported.json"])
        #expect(try await homeserver.list(PubkyAddress(user.key, path: "/pub/none/")) == nil)
        let liar = await world.sandbox.createUser(.foreignListing)
        let foreign = try PubkyAddress(liar.key, path: "/pub/paykit.app/v0/")
        #expect(
            try await homeserver.list(foreign)?.map(\.path).sorted() == [
                foreign.path + "lightning", foreign.path + "onchain",
            ])
    }

    @Test("Events report what happened, in order, from a cursor on")
    func events() async throws {
        let (world, key) = await filled()
        await world.sandbox.unpublish("/pub/c", of: key)
        let all = try await world.send("GET", "/events/")
        let lines = Self.paths.map { "PUT pubky://\(key)\($0)" } + ["DEL pubky://\(key)/pub/c", "cursor: 7"]
        #expect(all.text == lines.joined(separator: "\n"))
        #expect(all.headers["Content-Type"] == "text/plain")
        #expect(
            try await world.send("GET", "/events/?cursor=5&limit=1").text == "PUT pubky://\(key)/pub/a/b/4\ncursor: 6")
        #expect(try await world.send("GET", "/events/?cursor=7").line == "200")
        #expect(try await world.send("GET", "/events/?cursor=99").line == "200")
        #expect(try await world.send("GET", "/events/?cursor=x").line == "400 Invalid cursor")
        #expect(try await world.send("GET", "/events/?cursor=-1").line == "400 Invalid cursor")
        let page = "PUT pubky://\(key)/pub/c\nPUT pubky://\(key)/pub/a/b/4\ncursor: 6"
        #expect(try await world.send("GET", "/events/?cursor=4&limit=2").text == page)
        #expect(try await world.send("GET", "/events/?cursor=6").text == "DEL pubky://\(key)/pub/c\ncursor: 7")
    }

    @Test("A stream of events is of the users and paths that are asked for")
    func stream() async throws {
        let world = PubkyWorld()
        let key = await world.sandbox.createUser(.unknownKey).key
        let other = await world.sandbox.createUser(.unknownKey).key
        await world.sandbox.publish(Array("hello".utf8), at: "/pub/a", of: key)
        await world.sandbox.publish([1], at: "/pub/a", of: other)
        await world.sandbox.unpublish("/pub/a", of: key)
        let answer = try await world.send("GET", "/events-stream?user=\(key)")
        #expect(answer.headers["Content-Type"] == "text/event-stream")
        let put = """
            event: PUT
            data: pubky://\(key)/pub/a
            data: cursor: 1
            data: content_hash: 6o8WPbOGgpJeRJHF5Y1Ls1Bu+MFOt4qG6QjFYkpnIA8=


            """
        let deletion = "event: DEL\ndata: pubky://\(key)/pub/a\ndata: cursor: 3\n\n"
        #expect(answer.text == put + deletion)
        for (query, text) in [
            ("user=\(key):1", deletion), ("user=\(key)&reverse=true", deletion + put),
            ("user=\(key)&limit=1", put), ("user=\(key):3", ""), ("user=\(key)&path=pub/b", ""),
        ] {
            #expect(
                try await world.send("GET", "/events-stream?\(query)").line == (text.isEmpty ? "200" : "200 \(text)"))
        }
        let stranger = try PubkyWorld.pair(3).publicKey
        for (query, line) in [
            ("", "400 user parameter is required"), ("user=", "400 user parameter is required"),
            ("user=\(key)&live=true&reverse=true", "400 Cannot use live mode with reverse ordering"),
            ("user=\(key)&limit=many", "400 Invalid limit: many"), ("user=\(key):x", "400 Invalid cursor: x"),
            ("user=nobody", "400 Invalid public key: nobody"), ("user=\(stranger)", "404 Not Found"),
        ] {
            #expect(try await world.send("GET", "/events-stream?\(query)").line == line)
        }
    }

    @Test("A client of live events waits for the next one, with a time limit")
    func live() async throws {
        let world = PubkyWorld()
        let key = await world.sandbox.createUser(.unknownKey).key
        let other = await world.sandbox.createUser(.unknownKey).key
        await world.sandbox.publish([1], at: "/pub/a", of: key)
        async let news = world.send("GET", "/events-stream?user=\(key):1&live=true")
        await world.clock.sleepers(1)
        await world.sandbox.publish([1], at: "/pub/a", of: other)
        await world.clock.sleepers(1)
        await world.sandbox.unpublish("/pub/a", of: key)
        #expect(try await news.text == "event: DEL\ndata: pubky://\(key)/pub/a\ndata: cursor: 3\n\n")
        async let silence = world.send("GET", "/events-stream?user=\(key):3&live=true")
        await world.clock.sleepers(1)
        world.clock.advance(by: .seconds(25))
        #expect(try await silence.line == "200")
        #expect(await world.sandbox.waitingCount == 0)
    }
}
