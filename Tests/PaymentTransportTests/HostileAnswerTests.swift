import Foundation
import PaymentCore
import PaymentTransport
import Synchronization
import Testing

/// A service that answers so that the client does not come to an end.
struct HostileAnswer: Sendable, CustomTestStringConvertible {
    /// The end that the client makes of it.
    enum End: Sendable, Hashable {
        /// An answer that is not one, before the time is up.
        case malformed
        case tooLarge
        case connectionLost
        case timedOut
        /// The first answer stands, whatever follows it.
        case answered(Int)
    }

    let name: String
    let end: End
    let steps: [LoopbackServer.Step]

    init(_ name: String, _ end: End, _ steps: LoopbackServer.Step...) {
        self.name = name
        self.end = end
        self.steps = steps
    }

    var testDescription: String { name }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let endless = Int.max
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    /// An empty SETTINGS frame, a HEADERS frame with `:status: 200` and an empty DATA frame of HTTP/2 (RFC 9113).
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
    private static let emptyData: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1]

    static let all: [HostileAnswer] = [
        // HTTP/2 although it was not offered.
        HostileAnswer("frames of HTTP/2", .malformed, .sendBytes(settings + head + emptyData), .stall),
        HostileAnswer(
            "empty DATA frames without end", .malformed, .sendBytes(settings + head),
            .repeated(String(decoding: emptyData, as: UTF8.self), upTo: endless)),
        HostileAnswer(
            "a switch to HTTP/2", .malformed,
            .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
            .sendBytes(settings + head), .repeated(String(decoding: emptyData, as: UTF8.self), upTo: endless)),
        HostileAnswer("an answer that calls itself HTTP/2", .malformed, .send("HTTP/2 200\r\n\r\n"), .flood(endless)),
        // Endless headers and interim answers.
        HostileAnswer("a status line without end", .malformed, .send("HTTP/1.1 200 "), .repeated("K", upTo: endless)),
        HostileAnswer("header lines", .malformed, .send("HTTP/1.1 200 OK\r\n"), .repeated("X: y\r\n", upTo: endless)),
        HostileAnswer("one header line", .malformed, .send("HTTP/1.1 200 OK\r\nX: "), .repeated("y", upTo: endless)),
        HostileAnswer("interim answers", .malformed, .repeated("HTTP/1.1 103 E\r\n\r\n", upTo: endless)),
        HostileAnswer("continues", .malformed, .repeated("HTTP/1.1 100 Continue\r\n\r\n", upTo: endless)),
        // Endless bodies.
        HostileAnswer("one chunk extension", .malformed, .send(chunked + "5;"), .repeated("x=y;", upTo: endless)),
        HostileAnswer(
            "an extension for each byte", .malformed, .send(chunked),
            .repeated("1;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\na\r\n", upTo: endless)),
        HostileAnswer("zeros before a chunk's size", .connectionLost, .send(chunked), .repeated("0", upTo: endless)),
        HostileAnswer("trailers", .malformed, .send(chunked + "0\r\n"), .repeated("X: y\r\n", upTo: endless)),
        HostileAnswer("one trailer", .connectionLost, .send(chunked + "0\r\nX: "), .repeated("y", upTo: endless)),
        HostileAnswer("chunks of one byte", .malformed, .send(chunked), .repeated("1\r\na\r\n", upTo: endless)),
        HostileAnswer("a body until the end", .tooLarge, .send("HTTP/1.1 200 OK\r\n\r\n"), .flood(endless)),
        HostileAnswer(
            "a body of a terabyte", .tooLarge, .send("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n"),
            .flood(endless)),
        HostileAnswer("a second answer without end", .answered(200), .send(ok), .repeated(ok, upTo: endless)),
        HostileAnswer(
            "a body where none may be", .answered(204), .send("HTTP/1.1 204 No Content\r\n\r\n"), .flood(endless)),
        HostileAnswer(
            "a body of an unchanged resource", .answered(304), .send("HTTP/1.1 304 Not Modified\r\n\r\n"),
            .flood(endless)),
        // Slow ones: progress that is none.
        HostileAnswer("silence", .timedOut, .stall),
        HostileAnswer("half a status line", .timedOut, .send("HTTP/1."), .stall),
        HostileAnswer("half a body", .timedOut, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok"), .stall),
        HostileAnswer("half a chunk", .timedOut, .send(chunked + "4\r\nok"), .stall),
        HostileAnswer("no end of chunks", .timedOut, .send(chunked + "2\r\nok\r\n"), .stall),
        HostileAnswer("a slow header", .timedOut, .send("HTTP/1.1 200 OK\r\nX: "), .drip("y")),
        HostileAnswer("slow header lines", .timedOut, .send("HTTP/1.1 200 OK\r\n"), .drip("X: y\r\n")),
        HostileAnswer("slow interim answers", .timedOut, .drip("HTTP/1.1 102 Processing\r\n\r\n")),
        HostileAnswer(
            "a slow body", .timedOut, .send("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"), .drip("y")),
        HostileAnswer("slow chunks", .timedOut, .send(chunked), .drip("1\r\na\r\n")),
        HostileAnswer("a slow chunk extension", .timedOut, .send(chunked + "1;"), .drip("x")),
        HostileAnswer("slow trailers", .timedOut, .send(chunked + "0\r\n"), .drip("X: y\r\n")),
        // Answers that readers understand differently.
        HostileAnswer("no answer", .connectionLost, .close),
        HostileAnswer(
            "a chunk of more than 64 bits", .connectionLost, .send(chunked + "fffffffffffffffff\r\n"), .flood(endless)),
        HostileAnswer(
            "a negative length", .malformed, .send("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), .flood(endless)),
        HostileAnswer("something else", .malformed, .repeated("220 mail.example ESMTP\r\n", upTo: endless)),
    ]
}

/// The promises of a request's time limit and to its neighbours, held against services of all kinds.
@Suite("Hostile answers", .timeLimit(.minutes(10))) struct HostileAnswerTests {
    private static let limit = Duration.milliseconds(800)

    @Test("There are 36 of them") func count() {
        #expect(HostileAnswer.all.count == 36)
        #expect(Set(HostileAnswer.all.map(\.name)).count == 36)
    }

    @Test("The time limit covers the whole exchange", arguments: Subject.faithful, HostileAnswer.all)
    func ends(subject: Subject, answer: HostileAnswer) async throws {
        try await LoopbackServer.serving({ _ in answer.steps }) { hostile in
            let begin = ContinuousClock.now
            let (found, error) = await Self.end(subject.make(), try Self.request(hostile, timeout: Self.limit))
            #expect(found == answer.end, "\(String(describing: error))")
            #expect(error?.phase ?? .maybeSent == .maybeSent)
            #expect(ContinuousClock.now - begin < Self.limit + .seconds(4))
        }
    }

    /// No clock says so: an exchange that nothing but its time limit ends has an hour, and is open after the honest
    /// answers; one that floods has no end, so that a client that reads it to its end never answers. A clock says only
    /// that they are quick.
    @Test(
        "While a hostile answer comes, an honest host beside it is answered", arguments: Subject.faithful,
        HostileAnswer.all)
    func neighbours(subject: Subject, answer: HostileAnswer) async throws {
        try await LoopbackServer.serving({ _ in answer.steps }) { hostile in
            try await LoopbackServer.serving({ _ in [.ok()] }) { honest in
                let transport = subject.make()
                let request = try Self.request(hostile, timeout: .seconds(3600))
                let hasEnded = Atomic(false)
                async let end = Self.end(transport, request) { hasEnded.store(true, ordering: .sequentiallyConsistent) }
                await hostile.hasReceived(1)
                try #require(hostile.received.count == 1)
                var quickest = Duration.seconds(60)
                for _ in 0..<12 {
                    let start = ContinuousClock.now
                    let response = try await transport.send(
                        HTTPRequest(.get, honest.url(), timeout: .seconds(60)))
                    quickest = min(quickest, ContinuousClock.now - start)
                    #expect(response.status == 200)
                }
                let isOpen = !hasEnded.load(ordering: .sequentiallyConsistent)
                #expect(isOpen || answer.end != .timedOut)
                #expect(quickest < .milliseconds(50))
                hostile.stop()
                _ = await end
            }
        }
    }

    private static func request(_ hostile: LoopbackServer, timeout: Duration) throws -> HTTPRequest {
        HTTPRequest(.post, try hostile.url(), body: [1], timeout: timeout, responseLimit: 1 << 20)
    }

    /// A connection with something left over on it would answer the next request with it.
    @Test("What follows an answer is not the next one's", arguments: Subject.faithful)
    func leftOver(subject: Subject) async throws {
        let forged = "HTTP/1.1 201 Created\r\nContent-Length: 6\r\n\r\nforged"
        let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { request in
            request.connection == 0 ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + forged)] : [.ok("own")]
        }
        try await LoopbackServer.serving(script) { server in
            let transport = subject.make()
            _ = try await transport.send(HTTPRequest(.get, server.url()))
            let second = try await transport.send(HTTPRequest(.get, server.url()))
            #expect(second.status == 200)
            #expect(String(decoding: second.body, as: UTF8.self) == "own")
        }
    }

    private static func end(
        _ transport: any HTTPTransport, _ request: HTTPRequest, hasEnded: @Sendable () -> Void = {}
    ) async -> (HostileAnswer.End?, TransportError?) {
        defer { hasEnded() }
        do {
            return (.answered(try await transport.send(request).status), nil)
        } catch {
            let end: HostileAnswer.End? =
                switch error.reason {
                case .malformedResponse: .malformed
                case .responseTooLarge: .tooLarge
                case .connectionLost: .connectionLost
                case .timedOut: .timedOut
                default: nil
                }
            return (end, error)
        }
    }
}

#if os(Linux)
    /// HTTP/2 has framing that costs a client work without an end, below all that libcurl counts: empty DATA frames.
    @Suite("HTTP/1.1 only") struct VersionTests {
        @Test("The TLS handshake offers HTTP/1.1 and nothing else")
        func offer() async throws {
            let (listener, port) = try LoopbackServer.listen()
            let hello = Task.detached {
                let socket = accept(listener, nil, nil)
                var bytes = [UInt8](repeating: 0, count: 16 << 10)
                let count = recv(socket, &bytes, bytes.count, 0)
                close(socket)
                close(listener)
                return Array(bytes.prefix(max(0, count)))
            }
            let url = try HTTPURL("https://127.0.0.1:\(port)/")
            #expect(await failure(CurlTransport(), HTTPRequest(.get, url, timeout: .seconds(20)))?.phase == .notSent)
            // RFC 7301: each protocol is its length and its name, all behind the type 16 and three lengths.
            let offered = await hello.value
            #expect(offered.contains(sequence: [0x00, 0x10, 0x00, 0x0B, 0x00, 0x09, 0x08] + Array("http/1.1".utf8)))
            #expect(!offered.contains(sequence: [0x02] + Array("h2".utf8)))
        }

        @Test("A request in clear asks for no other version")
        func clear() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                _ = try await CurlTransport().send(HTTPRequest(.get, server.url()))
                let headers = try #require(server.received.first?.headers)
                #expect(headers["Upgrade"] == nil && headers["HTTP2-Settings"] == nil)
            }
        }
    }

    extension [UInt8] {
        fileprivate func contains(sequence: [UInt8]) -> Bool {
            indices.contains { self[$0...].starts(with: sequence) }
        }
    }
#endif
