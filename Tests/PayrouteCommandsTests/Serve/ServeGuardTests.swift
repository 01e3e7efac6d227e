import Foundation
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Callers of `payroute serve` and their rights, and the answers to malformed calls.
@Suite("serve: callers")
struct ServeGuardTests {
    private static let link: JSONValue = "https://shop.example/order/7"

    private static func digest(_ token: String) -> String { Hex.encode(Digest.sha256.hash(Array(token.utf8))) }

    private static func tokens() throws -> ServeTokens {
        try ServeTokens(
            OwnersFile(
                """
                # tenants
                ann \(digest("secret-a")) read,pay

                bob \(digest("secret-b")) read,pay,refund,notify
                eve \(digest("secret-e")) read
                """, called: "tokens"))
    }

    private static func bearer(_ token: String) -> HTTPHeaders { ["Authorization": "Bearer \(token)"] }

    @Test("Every call but the one for health needs a token that is known")
    func tokens() async throws {
        let served = try await ServedShop(tokens: Self.tokens())
        #expect(try await served.call(.get, "/health").status == 200)
        let wrong: [HTTPHeaders] = [
            [:], Self.bearer("secret-x"), Self.bearer(""), Self.bearer(Self.digest("secret-a")),
            ["Authorization": "Basic secret-a"], ["Authorization": "Digest secret-a"], ["Authorization": "secret-a"],
            ["Authorization": "Bearer secret-a", "authorization": "Bearer secret-b"], Self.bearer("secret-a "),
        ]
        for headers in wrong {
            for path in ["/ready", "/metrics", "/openapi.json", "/v1/payments", "/v1/payments/pay_1", "/nothing"] {
                let answer = try await served.call(.get, path, nil, headers)
                #expect(answer.status == 401 && answer.headers["WWW-Authenticate"] == "Bearer", "\(path)")
            }
            #expect(try await served.begin(["link": Self.link, "option": "tab"], headers).status == 401)
        }
        #expect(await served.shop.charges == 0)
        #expect(try await served.call(.get, "/openapi.json", nil, Self.bearer("secret-e")).status == 200)
        let small: HTTPHeaders = ["authorization": "bearer secret-e"]
        #expect(try await served.call(.get, "/ready", nil, small).status == 200)
    }

    @Test("A token does what its scopes allow")
    func scopes() async throws {
        let served = try await ServedShop(tokens: Self.tokens())
        let forEve = try await served.begin(["link": Self.link, "option": "tab"], Self.bearer("secret-e"))
        #expect((forEve.status, forEve.json["error"]?["code"]) == (403, "scope-missing"))
        let refund: JSONValue = ["payment": "shop/7", "amount": ["amount": "1.00", "unit": "iso4217/EUR"], "id": "r"]
        for path in ["/v1/refunds", "/v1/captures", "/v1/cancellations", "/v1/returns", "/v1/notifications/shop"] {
            #expect(try await served.call(.post, path, refund, Self.bearer("secret-a")).status == 403, "\(path)")
        }
        #expect(await served.shop.refunds(of: "7") == 0)
        #expect(await served.shop.charges == 0)
    }

    @Test("A tenant sees its own payments, and its keys are its own")
    func tenants() async throws {
        let served = try await ServedShop([], tokens: Self.tokens())
        let body: JSONValue = ["link": Self.link, "option": "signed"]
        let ann = try await served.begin(body, key: "k", Self.bearer("secret-a")).json
        let id = try #require(ann["id"]?.string)
        let asked = try await served.settled(id, Self.bearer("secret-a"))
        let action = try #require(asked["action"]?["id"]?.string)
        for path in ["/v1/payments/\(id)", "/v1/payments/\(id)?wait=1", "/v1/payments/\(id)/events"] {
            #expect(try await served.call(.get, path, nil, Self.bearer("secret-b")).status == 404, "\(path)")
        }
        for path in ["resume", "cancel", "actions/\(action)"] {
            let answer = try await served.call(
                .post, "/v1/payments/\(id)/\(path)", path.hasPrefix("actions") ? ["result": "0x"] : nil,
                Self.bearer("secret-b"))
            #expect(answer.status == 404, "\(path)")
        }
        let list = try await served.call(.get, "/v1/payments", nil, Self.bearer("secret-b")).json
        #expect(list["payments"] == [])
        let page = try await served.call(.get, "/v1/payments?before=\(id)", nil, Self.bearer("secret-b")).json
        #expect(page["payments"] == [])
        let quote = try await served.call(.post, "/v1/quotes", ["link": Self.link], Self.bearer("secret-a")).json
        let foreign = try await served.begin(
            ["quote": try #require(quote["id"]), "option": "tab"], key: "q", Self.bearer("secret-b"))
        #expect(foreign.status == 404)
        let other: JSONValue = ["link": "https://shop.example/order/8", "option": "tab"]
        let bob = try await served.begin(other, key: "k", Self.bearer("secret-b"))
        #expect(bob.status == 201 && bob.json["id"]?.string != id)
        #expect(try await served.settled(id, Self.bearer("secret-a"))["state"] == "waiting")
    }

    @Test("Pages of a browser are refused, whatever they ask")
    func browsers() async throws {
        let served = try await ServedShop()
        for origin in ["https://evil.example", "null", "http://127.0.0.1:1", ""] {
            let answer = try await served.begin(["link": Self.link, "option": "tab"], ["Origin": origin])
            #expect((answer.status, answer.json["error"]?["code"]) == (403, "browser-refused"))
            #expect(try await served.call(.get, "/health", nil, ["Origin": origin]).status == 403)
        }
        #expect(await served.shop.charges == 0)
    }

    @Test("The file of tokens is its owner's alone, and each line is a token")
    func files() throws {
        let folder = ScratchFolder()
        let file = folder.file("tokens")
        try "ann \(Self.digest("a")) read".write(toFile: file, atomically: true, encoding: .utf8)
        for (mode, isTaken) in [(0o644, false), (0o640, false), (0o602, false), (0o600, true), (0o400, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let tokens = try? ServeTokens(OwnersFile(path: file, of: "tokens"))
            #expect((tokens != nil) == isTaken, "\(String(mode, radix: 8))")
        }
        #expect(throws: CommandError.self) { try ServeTokens(OwnersFile(path: folder.file("none"), of: "tokens")) }
        // A name that is not UTF-8.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try Data([0xFF] + Array(" \(Self.digest("a")) read".utf8)).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let malformed = #expect(throws: CommandError.self) { try ServeTokens(OwnersFile(path: file, of: "tokens")) }
        #expect(malformed?.description == "the file of tokens \(file) cannot be used: it is not UTF-8")
        // A mebibyte is read, and no more.
        for (count, isTaken) in [(1_048_576, true), (1_048_577, false)] {
            let token = "ann \(Self.digest("a")) read\n"
            let text = token + "#" + String(repeating: "-", count: count - token.utf8.count - 1)
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            let tokens = try? ServeTokens(OwnersFile(path: file, of: "tokens"))
            #expect((tokens != nil) == isTaken, "\(count)")
        }
        let digest = Self.digest("a")
        let last = "\n# a comment\r\nann\t\(digest) read\r\n\t\nbob secret read"
        let error = #expect(throws: CommandError.self) { try ServeTokens(OwnersFile(last, called: "tokens")) }
        #expect(error?.description.hasPrefix("line 5 of tokens is no token") == true, "\(error?.description ?? "")")
        for text in [
            "", "# nothing", "ann \(digest)", "ann \(digest) read write", "ann \(digest) read pay",
            "ann \(digest) write", "ann \(digest) read,",
            "ann \(digest.dropLast(2)) read", "ann secret read", "ann \(digest) read\nbob \(digest) pay",
        ] {
            #expect(throws: CommandError.self, "\(text)") { try ServeTokens(OwnersFile(text, called: "tokens")) }
        }
    }

    @Test("Malformed calls get an error of the one form, and change nothing")
    func malformed() async throws {
        let served = try await ServedShop()
        let bodies = [
            "", "{", "[]", "1", "null", "{\"link\":1}", "{\"link\":null}", "{\"link\":\"\"}",
            "{\"link\":\"x\",\"more\":1}",
            "{\"link\":\"x\",\"link\":\"y\"}", "{\"link\":\"x\",\"limits\":[]}", "{\"link\":\"x\",\"limits\":[{}]}",
            "{\"link\":\"x\",\"option\":\"a\",\"limits\":[{\"amount\":\"1\",\"unit\":\"iso4217/EUR\"}]}",
            "{\"link\":\"x\",\"amount\":{\"amount\":\"-1\",\"unit\":\"sat\"}}",
            "{\"link\":\"x\",\"amount\":{\"amount\":\"1\",\"unit\":\"caip19/eip155:1/slip44:60\"}}",
            "{\"link\":\"x\",\"amount\":{\"amount\":\"1\",\"unit\":\"sat\",\"decimals\":400}}",
            "{\"link\":\"x\",\"accounts\":[\"none\"]}", "{\"link\":\"x\",\"accounts\":{}}",
            "{\"link\":\"x\",\"acceptingUnverified\":\"yes\"}", String(repeating: "[", count: 100_000),
        ]
        for body in bodies + ["\u{0}", "{\"link\":\"\\ud800\"}"] {
            let answer = try await served.send(.post, "/v1/payments", Array(body.utf8), ["Idempotency-Key": "k"])
            #expect(answer.status == 422, "\(body.prefix(60)): \(answer.json.text)")
        }
        let invalid = try await served.send(.post, "/v1/payments", [0xFF, 0xFE, 0x00], ["Idempotency-Key": "k"])
        #expect(invalid.status == 422)
        #expect(try await served.call(.get, "/v1/payments").json["payments"] == [])
        for key in ["", "with blank", "ü", String(repeating: "k", count: 256)] {
            #expect(try await served.begin(["link": Self.link, "option": "tab"], key: key).status == 400)
        }
        #expect(try await served.call(.post, "/v1/payments", ["link": Self.link]).status == 400)
        let twice: HTTPHeaders = ["Idempotency-Key": "a", "idempotency-key": "b"]
        #expect(try await served.call(.post, "/v1/payments", ["link": Self.link], twice).status == 400)
        #expect(await served.shop.charges == 0)
    }

    @Test("Keys, pages and waits reach their limits")
    func limits() async throws {
        let served = try await ServedShop()
        for key in ["!", String(repeating: "~", count: 255)] {
            #expect(try await served.begin(["link": Self.link, "option": "tab"], key: key).status == 201)
        }
        #expect(try await served.call(.get, "/v1/payments?limit=200").status == 200)
        let path = "/v1/payments/\(try await served.pay(["link": Self.link, "option": "tab"])["id"]?.string ?? "")"
        for (wait, status) in [("0", 200), ("60", 200), ("61", 422), ("-1", 422)] {
            #expect(try await served.call(.get, "\(path)?wait=\(wait)").status == status)
        }
        for (count, status) in [(100, 422), (101, 404)] {
            let provider = String(repeating: "x", count: count)
            #expect(try await served.call(.post, "/v1/notifications/\(provider)").status == status)
        }
    }

    @Test("A call that takes no members refuses them, and changes nothing")
    func noMembers() async throws {
        let served = try await ServedShop([])
        let id = try await served.pay(["link": Self.link])["id"]?.string ?? ""
        for path in ["resume", "cancel"] {
            #expect(try await served.call(.post, "/v1/payments/\(id)/\(path)", ["now": true]).status == 422)
        }
        #expect(try await served.settled(id)["state"] == "waiting")
    }

    @Test("Unknown paths, methods and parameters are errors, never a failure of the server")
    func paths() async throws {
        let served = try await ServedShop()
        for path in ["/", "//", "/v1", "/v1/", "/v2/payments", "/v1/payments/", "/v1/payments//events", "/health/x"] {
            #expect(try await served.call(.get, path).status == 404, "\(path)")
        }
        for path in ["/v1/payments/pay_1", "/v1/payments/%00", "/v1/payments/..", "/v1/payments/pay_1/events"] {
            #expect(try await served.call(.get, path).status == 404, "\(path)")
        }
        let put = try await served.call(.put, "/v1/payments")
        #expect(put.status == 405 && put.headers["Allow"] == "POST, GET")
        for method in ["DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "X"] {
            #expect(try await served.call(HTTPRequest.Method(rawValue: method), "/v1/refunds").status == 405)
        }
        for query in ["?x=1", "?limit=0", "?limit=201", "?limit=a", "?limit", "?limit=1&limit=2", "?limit=-1"] {
            #expect(try await served.call(.get, "/v1/payments\(query)").status == 422, "\(query)")
        }
        #expect(try await served.call(.get, "/v1/payments?before=pay_1").json["payments"] == [])
        #expect(try await served.call(.post, "/v1/payments/pay_1/resume").status == 404)
    }

    @Test("A body of 10 MiB is refused, and the next call is answered")
    func large() async throws {
        let served = try await ServedShop()
        let server = try LoopbackServer(served.api)
        defer { server.stop() }
        let body = String(repeating: "x", count: 10 << 20)
        let requests = [
            "POST /v1/readings HTTP/1.1\r\nHost: self\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
            "GET /health HTTP/1.1\r\nHost: self\r\n\r\n",
        ]
        let client = RawClient(server.baseURL)
        #expect(await client.exchange([requests[0]]).first?.status == 413)
        #expect(await client.exchange([requests[1]]).first?.status == 200)
        let foreign = "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        #expect(await client.exchange([foreign]).first?.status == 421)
    }

    @Test("The description has every endpoint, and no other")
    func description() {
        let served = Set(ServeEndpoint.all.map { "\($0.method.rawValue) \($0.path)" })
        #expect(Description.shared.operations == served)
        #expect(served.count == ServeEndpoint.all.count)
    }

    @Test("An answer that breaks the description is noticed")
    func sharpness() throws {
        let good: JSONValue = ["error": ["code": "not-found", "message": "m", "phase": "before-send"]]
        let breach = { (status: Int, json: JSONValue?) in
            try Description.shared.breach(.get, "/v1/payments/pay_1", status, json)
        }
        #expect(try breach(404, good) == nil)
        #expect(try breach(404, ["error": ["code": "not-found", "message": "m", "phase": "late"]]) != nil)
        #expect(try breach(200, good) != nil && breach(201, good) != nil && breach(404, nil) != nil)
    }
}
