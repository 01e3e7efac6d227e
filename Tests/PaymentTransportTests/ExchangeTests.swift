import PaymentCore
import PaymentTransport
import Testing

@Suite("Requests and answers", .timeLimit(.minutes(10))) struct ExchangeTests {
    @Test("Carries method, fields and body unchanged", arguments: Subject.allCases)
    func carriesMethodFieldsAndBodyUnchanged(_ subject: Subject) async throws {
        let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let cases: [(method: HTTPRequest.Method, body: [UInt8])] = [
            (.get, []), (.post, [0, 1, 0, 255]), (.post, []), (.put, bytes), (.patch, [123, 125]), (.delete, []),
            (.delete, [1]), (.init(rawValue: "OPTIONS"), []), (.init(rawValue: "QUERY"), [7]), (.post, bytes),
        ]
        try await LoopbackServer.serving({ _ in [.ok()] }) { server in
            let transport = subject.make()
            for item in cases {
                _ = try await transport.send(
                    HTTPRequest(
                        item.method, server.url("/a/../b%20c?x=%2F&y"),
                        headers: ["Idempotency-Key": "k 1", "X-Empty": ""], body: item.body))
            }
            let received = server.received
            try #require(received.count == cases.count)
            for (item, request) in zip(cases, received) {
                #expect(request.method == item.method.rawValue)
                #expect(request.body == item.body)
                #expect(request.headers["Idempotency-Key"] == "k 1")
                #expect(request.headers["Expect"] == nil)
                #expect(request.headers["User-Agent"] == "swift-payment-router/0.1")
                #expect(!item.body.isEmpty || Int(request.headers["Content-Length"] ?? "0") == 0)
                if Subject.faithful.contains(subject) {
                    #expect(request.target == "/a/../b%20c?x=%2F&y")
                    #expect(request.headers["X-Empty"] == "")
                    #expect(request.headers["Content-Type"] == nil)
                }
            }
        }
    }

    @Test("Returns status, fields and body unchanged", arguments: Subject.allCases)
    func returnsStatusFieldsAndBodyUnchanged(_ subject: Subject) async throws {
        let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { request in
            switch request.target {
            case "/chunked":
                [
                    .send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
                    .send("2\r\nde\r\n0\r\n\r\n"),
                ]
            case "/until-close": [.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcde"), .close]
            case "/slow-head":
                [
                    .send("HTTP/1.1 402 Pay"), .send("ment Required\r\nX-A: 1"),
                    .send("\r\nContent-Length: 5\r\n\r\nabcde"),
                ]
            case "/interim": [.send("HTTP/1.1 103 Early Hints\r\nX-A: no\r\n\r\n"), .ok("abcde", fields: "X-A: 1\r\n")]
            default: [.ok("abcde", status: "500 Oops", fields: "X-A: 1\r\n")]
            }
        }
        try await LoopbackServer.serving(script) { server in
            let transport = subject.make()
            let expected = ["/chunked": 201, "/until-close": 200, "/slow-head": 402, "/interim": 200, "/": 500]
            for (path, status) in expected {
                if path == "/interim", !Subject.faithful.contains(subject) { continue }
                let response = try await transport.send(HTTPRequest(.get, server.url(path)))
                #expect(response.status == status, "\(path)")
                #expect(response.body == Array("abcde".utf8), "\(path)")
                if status == 402 || status == 500 { #expect(response.headers.values("x-a") == ["1"], "\(path)") }
            }
        }
    }

    @Test("Answers to HEAD have no body", arguments: Subject.allCases)
    func answersToHeadHaveNoBody(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n")] }) {
            server in
            let response = try await subject.make().send(
                HTTPRequest(.init(rawValue: "HEAD"), server.url(), responseLimit: 10))
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            #expect(server.received.map(\.method) == ["HEAD"])
        }
    }

    @Test("Trailers are not header fields", arguments: Subject.faithful)
    func trailersAreNotHeaderFields(_ subject: Subject) async throws {
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n1\r\na\r\n0\r\nX-A: 2\r\n\r\n"
        try await LoopbackServer.serving({ _ in [.send(answer)] }) { server in
            let response = try await subject.make().send(HTTPRequest(.get, server.url()))
            #expect(response.headers.values("X-A") == ["1"])
        }
    }

    @Test("Repeated fields stay apart", arguments: Subject.faithful)
    func repeatedFieldsStayApart(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok(fields: "X-A: 1\r\nx-a:2  \r\n")] }) { server in
            var request = try HTTPRequest(.get, server.url())
            request.headers.append("X-B", "1")
            request.headers.append("X-B", "2")
            let response = try await subject.make().send(request)
            #expect(response.headers.values("X-A") == ["1", "2"])
            #expect(server.received.first?.headers.values("X-B") == ["1", "2"])
        }
    }

    @Test("Reuses a connection", arguments: Subject.allCases)
    func reusesAConnection(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok()] }) { server in
            let transport = subject.make()
            for method in [HTTPRequest.Method.get, .post, .post, .get] {
                _ = try await transport.send(HTTPRequest(method, server.url(), body: method == .post ? [1] : []))
            }
            #expect(server.received.map(\.method) == ["GET", "POST", "POST", "GET"])
            #expect(server.connections == 1)
        }
    }

    @Test("Nothing is left over from the request before", arguments: Subject.allCases)
    func nothingIsLeftOverFromTheRequestBefore(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok("", fields: "Set-Cookie: a=b\r\n")] }) { server in
            let transport = subject.make()
            _ = try await transport.send(
                HTTPRequest(.init(rawValue: "QUERY"), server.url("/1"), headers: ["Authorization": "x"], body: [1, 2]))
            _ = try await transport.send(HTTPRequest(.init(rawValue: "HEAD"), server.url("/2")))
            _ = try await transport.send(HTTPRequest(.get, server.url("/3")))
            _ = try await transport.send(HTTPRequest(.post, server.url("/4")))
            let received = server.received
            #expect(received.map(\.method) == ["QUERY", "HEAD", "GET", "POST"])
            for request in received.dropFirst() {
                #expect(request.headers["Authorization"] == nil)
                #expect(request.headers["Cookie"] == nil)
                #expect(request.body.isEmpty)
            }
        }
    }

    @Test("Many requests at once", arguments: Subject.allCases)
    func manyRequestsAtOnce(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ request in [.ok(request.target)] }) { server in
            let transport = subject.make()
            let url = try server.url()
            let answers = try await withThrowingTaskGroup(of: (Int, HTTPResponse).self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let url = try url.appending([String(number)])
                        return (number, try await transport.send(HTTPRequest(.post, url, body: [1])))
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = String(decoding: $1.1.body, as: UTF8.self) }
            }
            #expect(answers == Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, "/\($0)") }))
            #expect(server.received.count == 200)
        }
    }

    @Test("Redirects are returned", arguments: Subject.allCases)
    func redirectsAreReturned(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok("other")] }) { other in
            let target = try other.url("/stolen").text
            let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { request in
                [.ok("", status: "\(request.target.dropFirst()) Go", fields: "Location: \(target)\r\n")]
            }
            try await LoopbackServer.serving(script) { server in
                let transport = subject.make()
                for status in [301, 302, 303, 307, 308] {
                    for method in [HTTPRequest.Method.get, .post] {
                        let response = try await transport.send(
                            HTTPRequest(
                                method, server.url("/\(status)"), headers: ["Authorization": "secret"],
                                body: method == .post ? [1] : []))
                        #expect(response.status == status)
                        #expect(response.headers["Location"] == target)
                    }
                }
                #expect(server.received.count == 10)
            }
            #expect(other.connections == 0)
        }
    }
}
