import Foundation
import PaymentCore
import Testing

@testable import PaymentTransport

@Suite("Failures", .timeLimit(.minutes(10))) struct FailureTests {
    // MARK: Nothing was sent

    @Test("To a refused port nothing is sent", arguments: Subject.allCases)
    func aRefusedPortIsNotSent(_ subject: Subject) async throws {
        let url = try HTTPURL("http://127.0.0.1:\(LoopbackServer.refusedPort())/secret-path")
        let error = try #require(await failure(subject.make(), HTTPRequest(.post, url, body: [1])))
        #expect(error.phase == .notSent)
        #expect(error.isConnectFailure)
        #expect(!error.description.contains("secret-path"))
    }

    @Test("To an unknown host nothing is sent", arguments: Subject.allCases)
    func anUnknownHostIsNotSent(_ subject: Subject) async throws {
        let request = try HTTPRequest(.post, HTTPURL("https://nowhere.invalid/"))
        let error = try #require(await failure(subject.make(), request))
        #expect(error == TransportError(.notSent, .hostNotFound, origin: "https://nowhere.invalid"))
    }

    @Test("Through a handshake that stalls nothing is sent", arguments: Subject.faithful)
    func aHandshakeThatStallsIsNotSent(_ subject: Subject) async throws {
        // A listener that never accepts: the connection stands, the handshake gets no answer.
        let (socket, port) = try LoopbackServer.listen()
        defer { close(socket) }
        let request = try HTTPRequest(
            .post, HTTPURL("https://127.0.0.1:\(port)/"), timeout: .milliseconds(100))
        let error = try #require(await failure(subject.make(), request))
        #expect(error.phase == .notSent)
        #expect(error.reason == .timedOut)
    }

    @Test("Invalid requests are refused", arguments: Subject.allCases)
    func invalidRequestsAreRefused(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok()] }) { server in
            let transport = subject.make()
            let url = try server.url()
            let requests = [
                HTTPRequest(.get, url, headers: ["X-A": "1\r\nX-B: 2"]),
                HTTPRequest(.get, url, headers: ["X-A": "1\n"]),
                HTTPRequest(.get, url, headers: ["X-A": "\0"]),
                HTTPRequest(.get, url, headers: ["X-A\r\nX-B": "2"]),
                HTTPRequest(.get, url, headers: ["X-A:": "2"]),
                HTTPRequest(.get, url, headers: ["X A": "2"]),
                HTTPRequest(.get, url, headers: ["": "2"]),
                HTTPRequest(.get, url, headers: ["content-length": "5"]),
                HTTPRequest(.get, url, headers: ["Transfer-Encoding": "chunked"]),
                HTTPRequest(.get, url, headers: ["Host": "other.example"]),
                HTTPRequest(.init(rawValue: "GET / HTTP/1.1\r\nX-A: 1\r\n\r\nGET"), url),
                HTTPRequest(.init(rawValue: ""), url),
                HTTPRequest(.init(rawValue: "CONNECT"), url),
                HTTPRequest(.init(rawValue: "HEAD"), url, body: [1]),
            ]
            for request in requests {
                let error = try #require(await failure(transport, request))
                #expect(error.phase == .notSent)
                #expect(error.isInvalidRequest)
            }
            let late = HTTPRequest(.get, url, timeout: .zero)
            #expect(await failure(transport, late)?.reason == .timedOut)
            #expect(server.connections == 0)
        }
    }

    @Test("A cancelled task sends nothing", arguments: Subject.allCases)
    func aCancelledTaskSendsNothing(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok()] }) { server in
            let transport = subject.make()
            let request = try HTTPRequest(.post, server.url("/cancelled"), body: [1])
            let error = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failure(transport, request)
            }.value
            #expect(error?.phase == .notSent)
            #expect(error?.reason == .cancelled)
            // The same transport still works, and its first request is the only one that arrives.
            _ = try await transport.send(HTTPRequest(.get, server.url("/after")))
            #expect(server.received.map(\.target) == ["/after"])
        }
    }

    // MARK: It may have been sent

    @Test(
        "A stalled answer times out", arguments: Subject.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"])
    func aStalledAnswerTimesOut(_ subject: Subject, _ beginning: String) async throws {
        // A busy machine may need longer than the timeout to send at all; that is another case.
        for timeout in [Duration.milliseconds(500), .seconds(5), .seconds(50)] {
            let wasSent = try await LoopbackServer.serving({ _ in [.send(beginning), .stall] }) { server in
                let request = try HTTPRequest(.post, server.url(), body: [1], timeout: timeout)
                let error = try #require(await failure(subject.make(), request))
                #expect(error.reason == .timedOut)
                guard !server.received.isEmpty else { return false }
                #expect(error.phase == .maybeSent)
                await server.clientsClosed(1)
                #expect(server.received.count == 1)
                return true
            }
            if wasSent { return }
        }
        Issue.record("nothing was sent within 50 seconds")
    }

    @Test("Cancelling during a request ends it", arguments: Subject.allCases)
    func cancellingDuringARequestEndsIt(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.stall] }) { server in
            let transport = subject.make()
            let request = try HTTPRequest(.post, server.url(), body: [1])
            let task = Task { await failure(transport, request) }
            await server.hasReceived(1)
            task.cancel()
            let error = await task.value
            #expect(error?.phase == .maybeSent)
            #expect(error?.reason == .cancelled)
            await server.clientsClosed(1)
        }
    }

    @Test("A connection that ends early is lost", arguments: Subject.allCases)
    func aConnectionThatEndsEarlyIsLost(_ subject: Subject) async throws {
        let scripts: [[LoopbackServer.Step]] = [
            [.close], [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), .close],
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), .close],
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n"), .close],
        ]
        for steps in scripts {
            try await LoopbackServer.serving({ _ in steps }) { server in
                let request = try HTTPRequest(.post, server.url(), body: [1], timeout: .seconds(5))
                let error = try #require(await failure(subject.make(), request))
                #expect(error.phase == .maybeSent)
                if Subject.faithful.contains(subject) { #expect(error.isConnectionLost) }
                #expect(server.received.count == 1)
            }
        }
    }

    @Test("An answer that is not HTTP is malformed", arguments: Subject.faithful)
    func anAnswerThatIsNotHTTPIsMalformed(_ subject: Subject) async throws {
        let answers = [
            "garbage garbage garbage\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
            "HTTP/1.1 99999 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-A: 1\r\n folded: 2\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: 0123456789\r\n", count: 5000) + "\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        ]
        for answer in answers {
            try await LoopbackServer.serving({ _ in [.send(answer), .close] }) { server in
                let error = await failure(subject.make(), try HTTPRequest(.post, server.url(), body: [1]))
                #expect(error?.phase == .maybeSent, "\(answer.prefix(60))")
                #expect(error?.isMalformed == true, "\(answer.prefix(60)): \(error?.description ?? "no error")")
            }
        }
    }

    @Test("An answer that is too large is cut off", arguments: Subject.allCases)
    func anAnswerThatIsTooLargeIsCutOff(_ subject: Subject) async throws {
        let size = 100 << 20
        let heads = ["Content-Length: \(size)\r\n", "Connection: close\r\n"]
        for head in heads {
            try await LoopbackServer.serving({ _ in [.send("HTTP/1.1 200 OK\r\n\(head)\r\n"), .flood(size), .close] }) {
                server in
                let request = try HTTPRequest(.post, server.url(), body: [1], responseLimit: 100_000)
                let error = try #require(await failure(subject.make(), request))
                #expect(error.phase == .maybeSent)
                #expect(error.reason == .responseTooLarge(limit: 100_000))
                // The rest was never read: the server's bytes beyond the limit are in the sockets' buffers.
                if Subject.faithful.contains(subject) { #expect(server.bytesFlooded < 50 << 20) }
            }
        }
    }

    @Test("The limit itself is allowed", arguments: Subject.allCases)
    func theLimitItselfIsAllowed(_ subject: Subject) async throws {
        try await LoopbackServer.serving({ _ in [.ok("12345")] }) { server in
            let transport = subject.make()
            let response = try await transport.send(HTTPRequest(.get, server.url(), responseLimit: 5))
            #expect(response.body.count == 5)
            let error = await failure(transport, try HTTPRequest(.get, server.url(), responseLimit: 4))
            #expect(error?.reason == .responseTooLarge(limit: 4))
        }
    }

    // MARK: Repeating by itself

    /// The second request of a connection is read and the connection closed without an answer: the case in which
    /// libcurl sends a request again by itself.
    private static let closesReused: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { request in
        request.index == 0 ? [.ok()] : [.close]
    }

    @Test("An unrepeatable request arrives once", arguments: Subject.faithful, [HTTPRequest.Method.post, .get])
    func anUnrepeatableRequestArrivesOnce(_ subject: Subject, _ method: HTTPRequest.Method) async throws {
        for body in [[], [1, 2, 3], [UInt8](repeating: 7, count: 3 << 20)] {
            try await LoopbackServer.serving(Self.closesReused) { server in
                let transport = subject.make()
                _ = try await transport.send(HTTPRequest(.get, server.url("/warm-up")))
                let request = try HTTPRequest(method, server.url("/once"), body: body, replay: .never)
                let error = await failure(transport, request)
                #expect(server.received.map(\.target) == ["/warm-up", "/once"])
                #expect(error?.phase == .maybeSent)
                #expect(error?.isConnectionLost == true)
                // Afterwards the transport still works.
                let after = try await transport.send(HTTPRequest(.get, server.url("/after")))
                #expect(after.status == 200)
            }
        }
    }

    @Test("A repeatable request is sent again on a fresh connection", arguments: Subject.faithful)
    func aRepeatableRequestIsSentAgainOnAFreshConnection(_ subject: Subject) async throws {
        try await LoopbackServer.serving(Self.closesReused) { server in
            let transport = subject.make()
            let first = try await transport.send(HTTPRequest(.get, server.url("/warm-up")))
            #expect(!first.mayFollowEarlierCopy)
            let request = try HTTPRequest(.post, server.url("/again"), body: [1, 2], replay: .safe)
            let response = try await transport.send(request)
            #expect(response.status == 200)
            #expect(response.mayFollowEarlierCopy)
            #expect(server.received.map(\.target) == ["/warm-up", "/again", "/again"])
            #expect(server.received.map(\.body) == [[], [1, 2], [1, 2]])
        }
    }
}
