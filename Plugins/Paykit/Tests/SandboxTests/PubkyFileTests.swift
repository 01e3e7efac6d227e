import Foundation
import PaykitProvider
import PaykitSandbox
import PaymentCore
import TestSupport
import Testing

/// Files of the simulated homeserver, and the rights to write them (Protocol 3.4 and 3.5).
@Suite("The Pubky sandbox's files")
struct PubkyFileTests {
    private let world = PubkyWorld()
    private static let hello = #""6o8WPbOGgpJeRJHF5Y1Ls1Bu+MFOt4qG6QjFYkpnIA8=""#

    @Test("A file is read as it was written, with its tag and date", arguments: Wire.allCases)
    func file(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let pair = try PubkyWorld.pair(3)
        let key = pair.publicKey
        let cookie = try await world.signUp(pair)
        let path = "/pub/paykit.app/v0/lightning"
        #expect(
            try await world.send("PUT", path, of: key, cookie: cookie, body: Array("hello".utf8)).line == "201")
        let answer = try await world.send("GET", path, of: key)
        #expect(answer.line == "200 hello")
        #expect(answer.headers["ETag"] == Self.hello)
        #expect(answer.headers["Last-Modified"] == "Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(answer.headers["Content-Type"] == "application/octet-stream")
        #expect(answer.headers["Content-Length"] == "5")
        #expect(answer.headers["Vary"] == "pubky-host")
        #expect(answer.headers["Cache-Control"] == "private, must-revalidate")
        let head = try await world.send("HEAD", path, of: key)
        #expect(head.line == "200")
        #expect(head.headers["ETag"] == Self.hello)
        #expect(head.headers["Content-Length"] == "5")
        #expect(try await world.send("DELETE", path, of: key, cookie: cookie).line == "204")
        #expect(try await world.send("DELETE", path, of: key, cookie: cookie).line == "404 Not Found")
        #expect(try await world.send("GET", path, of: key).line == "404 Not Found")
        #expect(try await world.send("HEAD", path, of: key).status == 404)
    }

    @Test(
        "A client that has the file already gets none",
        arguments: [
            (("If-None-Match", hello), 304), (("If-None-Match", "\"x\" , \(hello)"), 304),
            (("If-None-Match", "\"x\""), 200),
            (("If-None-Match", "*"), 200), (("If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"), 304),
            (("If-Modified-Since", "Wed, 31 Dec 2025 23:59:59 GMT"), 200), (("If-Modified-Since", "never"), 200),
        ])
    func conditional(field: (String, String), status: Int) async throws {
        let key = await world.sandbox.createUser(.emptyDirectory).key
        await world.sandbox.publish(Array("hello".utf8), at: "/pub/x", of: key)
        let answer = try await world.send("GET", "/pub/x", of: key, [field])
        #expect(answer.line == (status == 200 ? "200 hello" : "304"))
        #expect(answer.headers["ETag"] == Self.hello)
        #expect(answer.headers["Last-Modified"] == "Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(answer.headers["Vary"] == "pubky-host")
        // A tag that does not match takes precedence over a date that does.
        let both = [field, ("If-None-Match", "\"x\""), ("If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT")]
        #expect(try await world.send("GET", "/pub/x", of: key, both).status == 200)
    }

    @Test(
        "What a file is comes from its first bytes, then from its name",
        arguments: [
            ("x", "text", "application/octet-stream"), ("x.json", "{}", "application/json"),
            ("x.TXT", "a", "text/plain"),
            ("x.json", "\u{89}PNG", "application/json"), ("x.json", "GIF89a", "image/gif"),
            ("x.json", "%PDF-1", "application/pdf"), ("a.b/x", "text", "application/octet-stream"),
        ])
    func types(name: String, content: String, type: String) async throws {
        let key = await world.sandbox.createUser(.emptyDirectory).key
        await world.sandbox.publish(Array(content.utf8), at: "/pub/\(name)", of: key)
        #expect(try await world.send("GET", "/pub/\(name)", of: key).headers["Content-Type"] == type)
    }

    @Test("A client without the right gets the reason, in the order of the checks")
    func refusals() async throws {
        let (ada, eve) = (try PubkyWorld.pair(3), try PubkyWorld.pair(4))
        let (key, other) = (ada.publicKey, eve.publicKey)
        let narrow = try await world.signUp(ada, "/pub/paykit.app/v0/:rw,/pub/pubky.app/:r")
        let foreign = String(try await world.signUp(eve).split(separator: "=")[1])
        let write = "/pub/paykit.app/v0/lightning"
        let secret = narrow.split(separator: "=")[1]
        for (method, path, owner, cookie, line) in [
            ("PUT", write, nil, narrow, "404 Pubky Host is missing"),
            ("GET", write, nil, nil, "404 Pubky Host is missing"),
            ("GET", "/private/x", key, nil, "403 Writing to directories other than '/pub/' is forbidden"),
            ("PUT", "/public/x", key, narrow, "403 Writing to directories other than '/pub/' is forbidden"),
            ("PUT", "/pub", key, narrow, "403 Writing to directories other than '/pub/' is forbidden"),
            ("PUT", write, key, nil, "401 No session secret found in cookies"),
            ("PUT", write, key, "\(other)=\(foreign)", "401 No session secret found in cookies"),
            ("PUT", write, key, "\(key)=AAAAAAAAAAAAAAAAAAAAAAAAAA", "401 No session found for session secret"),
            ("PUT", write, key, "\(key)=\(foreign)", "401 SessionInfo public key does not match pubky-host"),
            ("PUT", "/pub/pubky.app/x", key, narrow, "403 Session does not have write access to path"),
            ("DELETE", "/pub/paykit.app/v00/x", key, narrow, "403 Session does not have write access to path"),
            ("GET", "/dav/x", key, nil, "401 No session secret found in cookies"),
            ("POST", write, key, narrow, "405"),
            ("PUT", write, key, "a=b; \(key)=\(secret); c=d", "201"),
            ("GET", write, key, nil, "200"),
        ] as [(String, String, PubkyKey?, String?, String)] {
            let answer = try await world.send(method, path, of: owner, cookie: cookie)
            #expect(answer.line == line, "\(method) \(path)")
        }
        #expect(try await world.send("GET", write + "?pubky-host=\(key)").status == 200)
        #expect(try await world.send("GET", write + "?pubky-host=\(other)", of: key).status == 200)
        #expect(try await world.send("GET", write, [("Host", "_pubky.\(key)")]).status == 200)
        #expect(try await world.send("GET", write, of: other, [("Host", "\(key)")]).status == 404)
        let stranger = try PubkyWorld.pair(5).publicKey
        #expect(try await world.send("GET", write, of: stranger).line == "404 Not Found")
    }

    @Test("A full or disabled account can be read and not written")
    func accounts() async throws {
        let world = PubkyWorld { $0.quota = 1 << 20 }
        let ada = try PubkyWorld.pair(3)
        let cookie = try await world.signUp(ada)
        let half = [UInt8](repeating: 1, count: 1 << 19)
        func put(_ path: String, _ body: [UInt8]) async throws -> String {
            try await world.send("PUT", path, of: ada.publicKey, cookie: cookie, body: body).line
        }
        #expect(try await put("/pub/a", half) == "201")
        #expect(try await put("/pub/b", half) == "201")
        #expect(try await put("/pub/c", [1]) == "507 Disk space quota of 1.0 MB exceeded. Write operation failed.")
        #expect(try await put("/pub/b", half) == "201", "what is replaced makes room")
        #expect(try await put("/pub/b", [1]) == "201")
        #expect(try await put("/pub/c", [1]) == "201")
        #expect(try await world.send("DELETE", "/pub/a", of: ada.publicKey, cookie: cookie).status == 204)
        #expect(try await put("/pub/a", half) == "201")

        let full = await world.sandbox.createUser(.quotaFull)
        let disabled = await world.sandbox.createUser(.disabled)
        for (user, failure) in [(full, PaykitNetworkError.Code.quotaExceeded), (disabled, .auth)] {
            let homeserver = try world.homeserver()
            let session = try await homeserver.open(world.token(user.keyPair), isSignUp: false)
            let address = try PubkyAddress(user.key, path: "/pub/paykit.app/v0/lightning2")
            #expect(await code { try await homeserver.write([1], to: address, session) } == failure)
            #expect(await world.sandbox.file(at: address.path, of: user.key) == nil)
        }
        let body = try world.token(disabled.keyPair, at: 1).bytes
        let session = try await world.send("POST", "/session", body: body).headers["Set-Cookie"]?.prefix { $0 != ";" }
        let answer = try await world.send(
            "PUT", "/pub/x", of: disabled.key, cookie: session.map { String($0) }, body: [1])
        #expect(answer.line == "403 User is disabled")
    }

    @Test("Files beyond the limit are refused")
    func tooLong() async throws {
        let world = PubkyWorld { $0.fileLimit = 10 }
        let ada = try PubkyWorld.pair(3)
        let cookie = try await world.signUp(ada)
        let body = [UInt8](repeating: 1, count: 11)
        #expect(try await world.send("PUT", "/pub/a", of: ada.publicKey, cookie: cookie, body: body).status == 413)
    }

    @Test(
        "Paths are decoded and put in order",
        arguments: [
            ("/pub/My%20File.txt", "/pub/My File.txt"), ("/pub/%C3%A4/%E6%BC%A2", "/pub/ä/漢"),
            ("/pub//a///b", "/pub/a/b"),
            ("/pub/a%2Fb", "/pub/a/b"), ("/pub/100%25", "/pub/100%"), ("/pub/a%0Ab", nil), ("/pub/%FF", nil),
            ("/pub/\(String(repeating: "a", count: 255))", "/pub/\(String(repeating: "a", count: 255))"),
            ("/pub/\(String(repeating: "a", count: 256))", nil), ("/pub/dir/", nil),
            ("/pub/\(String(repeating: "ab/", count: 1364))c", nil),
        ])
    func paths(sent: String, stored: String?) async throws {
        let ada = try PubkyWorld.pair(3)
        let cookie = try await world.signUp(ada)
        let answer = try await world.send("PUT", sent, of: ada.publicKey, cookie: cookie, body: [1])
        #expect(answer.status == (stored == nil ? 400 : 201), "\(answer.text)")
        #expect(await world.sandbox.paths(of: ada.publicKey) == [stored].compactMap(\.self))
        if stored != nil { #expect(try await world.send("GET", sent, of: ada.publicKey).body == [1]) }
    }

    @Test("The client reads, writes and deletes", arguments: Wire.allCases)
    func client(_ wire: Wire) async throws {
        let world = try PubkyWorld(on: wire)
        let homeserver = try world.homeserver()
        let ada = try PubkyWorld.pair(3)
        let session = try await homeserver.open(world.token(ada, "/pub/paykit.app/v0/:rw"), isSignUp: true)
        let address = try PubkyAddress(ada.publicKey, path: "/pub/paykit.app/v0/lightning")
        #expect(try await homeserver.read(address) == nil)
        try await homeserver.write(Array("hello".utf8), to: address, session)
        #expect(try await homeserver.read(address) == Array("hello".utf8))
        #expect(try await homeserver.delete(address, session))
        #expect(try await homeserver.delete(address, session) == false)
        let forbidden = try PubkyAddress(ada.publicKey, path: "/pub/pubky.app/profile.json")
        #expect(await code { try await homeserver.write([1], to: forbidden, session) } == .auth)
        #expect(try await world.send("GET", "/").line == "200 Pubky Homeserver")
    }
}
