import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

/// The server talks to programs of this machine. A web page whose name resolves to 127.0.0.1 (DNS rebinding) is
/// refused, and every client's bytes are limited.
@Suite("Guards of the loopback server") struct LoopbackGuardTests {
    @Test("Only requests for its own address are answered")
    func hosts() async throws {
        let faults = FaultInjector(EchoService())
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let client = RawClient(server.baseURL)
        let port = server.baseURL.port
        for host in ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)", "LocalHost:\(port)"] {
            #expect(
                await client.exchange(["GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"]).map(\.status) == [200], "\(host)")
        }
        let accepted = faults.requests.count
        #expect(accepted == 4)
        for host in [
            "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:\(port).evil.example",
            "localhost.evil.example:\(port)", "127.0.0.2:\(port)", "2130706433:\(port)", "", "x@127.0.0.1:\(port)",
            "127.0.0.1:\(port)\r\nHost: evil.example", "evil.example\r\nHost: 127.0.0.1:\(port)",
        ] {
            let answers = await client.exchange([
                "POST /?confirm HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 2\r\n\r\nab"
            ])
            #expect(answers.map(\.status) == [421] || answers.map(\.status) == [400], "\(host)")
        }
        for request in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
            #expect(await client.exchange([request]).allSatisfy { $0.status == 421 || $0.status == 400 })
        }
        #expect(faults.requests.count == accepted)
    }

    static let floods: [(name: String, start: String, piece: String)] = [
        ("a target", "GET /", "x"), ("one header line", "GET / HTTP/1.1\r\nHost: self\r\nX: ", "y"),
        ("header lines", "GET / HTTP/1.1\r\nHost: self\r\n", "X: y\r\n"),
        ("empty header lines", "GET / HTTP/1.1\r\nHost: self\r\n", "X:\r\n"),
        ("blank lines", "", "\r\n"),
        ("one chunk extension", "POST / HTTP/1.1\r\nHost: self\r\nTransfer-Encoding: chunked\r\n\r\n5;", "x=y;"),
        (
            "an extension for each byte", "POST / HTTP/1.1\r\nHost: self\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1;" + String(repeating: "x", count: 4000) + "\r\na\r\n"
        ),
        (
            "trailers", "POST / HTTP/1.1\r\nHost: self\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
            "X: y\r\n"
        ),
        (
            "one trailer", "POST / HTTP/1.1\r\nHost: self\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: ", "y"
        ),
    ]

    @Test("Endless requests are cut off", arguments: floods)
    func endless(flood: (name: String, start: String, piece: String)) async throws {
        let faults = FaultInjector(EchoService())
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let client = RawClient(server.baseURL)
        let (sent, status) = await client.flood(flood.start, flood.piece, upTo: 256 << 20)
        #expect(sent < 96 << 20, "\(flood.name): \(sent) bytes, \(status ?? 0)")
        #expect(faults.requests.isEmpty)
        // It continues to serve others.
        #expect(await client.exchange(["GET / HTTP/1.1\r\nHost: self\r\n\r\n"]).map(\.status) == [200])
    }

    @Test("A request with two lengths is refused: a proxy before it may read the other one")
    func ambiguous() async throws {
        let faults = FaultInjector(EchoService())
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let client = RawClient(server.baseURL)
        for fields in [
            "Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2\r\ncontent-length: 2\r\n",
        ] {
            let answers = await client.exchange(["POST / HTTP/1.1\r\nHost: self\r\n\(fields)\r\nab"])
            #expect(answers.first?.status == 400 || answers.isEmpty, "\(fields.debugDescription): \(answers)")
        }
        #expect(faults.requests.isEmpty)
    }

    @Test(
        "A request that the library has not passed on as it was sent is refused",
        arguments: [
            "GET / HTTP/1.1\r\nHost: self\r\nX: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: self\r\nX:\0\r\nA:b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: self\0\r\n\r\n", "GET / HTTP/1.1\r\nHost: self\r\nN\0: b\r\n\r\n",
            "GET /a\0b HTTP/1.1\r\nHost: self\r\n\r\n", "GE\0T / HTTP/1.1\r\nHost: self\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: self\r\nX: a\r\n b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: self\r\nX: a\r\n\tb\r\nY: c\r\n\r\n", "GET / HTTP/1.1\r\nHost: self\r\n \r\n\r\n",
            "GET / HTTP/1.1\r\nHost: self\nX: y\r\n\r\n", "GET  / HTTP/1.1\r\nHost: self\r\n\r\n",
        ])
    func rewritten(request: String) async throws {
        let faults = FaultInjector(EchoService())
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let answers = await RawClient(server.baseURL).exchange([request])
        #expect(answers.map(\.status) == [400], "\(request.debugDescription): \(answers)")
        #expect(faults.requests.isEmpty)
    }

    @Test("A request that looks unusual is passed on as it was sent")
    func unusual() async throws {
        let server = try LoopbackServer(EchoService())
        defer { server.stop() }
        let requests = [
            "GET /a?b=c&d=%20e HTTP/1.1\r\nHost: self\r\nX:y\r\nZ:   w  \r\nE:\r\nF: \r\nCookie: a=b; c=d\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: self\r\nX: a:b: c\r\n\r\n", "GET /?a HTTP/1.1\r\nHost: self\r\n\r\n",
        ]
        #expect(await RawClient(server.baseURL).exchange(requests).map(\.status) == [200, 200, 200])
    }

    @Test("A few header fields are normal, a thousand are not")
    func fields() async throws {
        let server = try LoopbackServer(EchoService())
        defer { server.stop() }
        func request(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: self\r\n" + (1..<count).map { "X-\($0): y\r\n" }.joined() + "\r\n"
        }
        let client = RawClient(server.baseURL)
        #expect(await client.exchange([request(100)]).map(\.status) == [200])
        #expect(await client.exchange([request(1000)]).map(\.status) == [431])
    }
}
