import PaymentCore
import PaymentTransport
import Testing

/// Servers whose answers never end.
@Suite("Endless answers") struct FloodTests {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// The start of an answer, and the text that follows without end.
    static let floods: [(name: String, start: String, piece: String)] = [
        ("one chunk extension", chunked + "5;", "x=y;"),
        ("an extension for each byte", chunked, "1;" + String(repeating: "x", count: 4000) + "\r\na\r\n"),
        ("a short extension for each byte", chunked, "1;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\na\r\n"),
        ("zeros before a chunk's size", chunked, "0"),
        ("trailers", chunked + "2\r\nok\r\n0\r\n", "X: y\r\n"),
        ("one trailer", chunked + "2\r\nok\r\n0\r\nX: ", "y"),
        ("header lines", "HTTP/1.1 200 OK\r\n", "X: y\r\n"),
        ("empty header lines", "HTTP/1.1 200 OK\r\n", "X:\r\n"),
        ("one header line", "HTTP/1.1 200 OK\r\nX: ", "y"),
        ("folded header lines", "HTTP/1.1 200 OK\r\nX: y\r\n", " y\r\n"),
        ("a status line", "HTTP/1.1 200 ", "K"),
        ("interim answers", "", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
    ]

    @Test("They end in an error long before the time is up", arguments: Subject.faithful, floods)
    func ends(subject: Subject, flood: (name: String, start: String, piece: String)) async throws {
        let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { _ in
            [.send(flood.start), .repeated(flood.piece, upTo: 256 << 20), .stall]
        }
        try await LoopbackServer.serving(script) { server in
            let request = HTTPRequest(
                .post, try server.url(), body: [1], timeout: .seconds(300), responseLimit: 1 << 20)
            let error = try #require(await failure(subject.make(), request))
            #expect(error.phase == .maybeSent)
            #expect(error.reason != .timedOut, "\(flood.name)")
            // The system's buffers are filled before any client reads them.
            #expect(server.bytesFlooded < 32 << 20, "\(flood.name): \(server.bytesFlooded)")
        }
    }

    @Test("Small chunks with extensions are read", arguments: Subject.faithful)
    func honest(subject: Subject) async throws {
        let body = String(repeating: "1;a=b\r\nx\r\n", count: 20_000) + "0\r\nX-Sum: 1\r\n\r\n"
        try await LoopbackServer.serving({ _ in [.send(Self.chunked + body)] }) { server in
            let transport = subject.make()
            for _ in 0..<2 {
                let response = try await transport.send(HTTPRequest(.get, server.url()))
                #expect(response.body.count == 20_000)
            }
            #expect(server.connections == 1)
        }
    }

    @Test("A few header fields are normal, a thousand are not", arguments: Subject.faithful)
    func fields(subject: Subject) async throws {
        func answer(_ count: Int) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + (1..<count).map { "X-\($0): y\r\n" }.joined() + "\r\n"
        }
        for (count, isRead) in [(200, true), (1000, false)] {
            let text = answer(count)
            try await LoopbackServer.serving({ _ in [.send(text)] }) { server in
                let error = await failure(subject.make(), HTTPRequest(.get, try server.url()))
                #expect((error == nil) == isRead)
                #expect(error?.isMalformed ?? true)
            }
        }
    }
}
