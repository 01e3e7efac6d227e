import Foundation
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import SandboxHome
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

@Suite("sandbox tail and notify")
struct SandboxEventsTests {
    /// A listener on loopback that sends `text` to every connection.
    private static func speaker(saying text: String) throws -> (url: String, end: @Sendable () -> Int32) {
        #if canImport(Glibc)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        try #require(isListening)
        Thread.detachNewThread {
            while case let peer = accept(listener, nil, nil), peer >= 0 {
                // All of the request: a connection that is closed with bytes unread is reset, and the answer lost.
                var request = ""
                var bytes = [UInt8](repeating: 0, count: 4096)
                while !request.hasSuffix("\r\n\r\n"), case let count = read(peer, &bytes, bytes.count), count > 0 {
                    request += String(decoding: bytes.prefix(count), as: UTF8.self)
                }
                let answer = Array(text.utf8)
                _ = write(peer, answer, answer.count)
                close(peer)
            }
            // Here, and not by its user: another socket may reuse its number as soon as it is closed.
            close(listener)
        }
        return (
            "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))",
            { shutdown(listener, Int32(SHUT_RDWR)) }
        )
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    private static let request =
        #"{"at":"2026-11-22T13:04:05Z","detail":"","fault":"stall","kind":"request","n":1,"payment":"pay_1","status":504,"title":"POST /v1/confirm"}"#
    private static let ledger =
        #"{"at":"2026-11-22T13:04:06Z","detail":"","kind":"ledger","n":2,"payment":"pay_1","title":"captured"}"#

    @Test("tail shows requests, faults and the ledger as they happen, and says when the sandbox has stopped")
    func tail() async throws {
        let text =
            Self.head + ": hello\n\nid: 1\ndata: \(Self.request)\n\nid: 2\r\ndata:\(Self.ledger)\r\n\r\ndata: {\n\n"
        let (url, end) = try Self.speaker(saying: text)
        defer { _ = end() }
        let result = await payroute("sandbox", "tail", "--sandbox", url)
        #expect(
            result.lines == [
                "13:04:05  request       POST /v1/confirm -> 504  fault stall  pay_1",
                "13:04:06  ledger        captured  pay_1",
            ])
        #expect(result.errors == "The sandbox has stopped.\n" && result.code == 0)
        let json = await payroute("sandbox", "tail", "--sandbox", url, "--json", "--kind", "ledger")
        #expect(json.output == Self.ledger + "\n")
    }

    @Test("What drives a terminal is shown as text")
    func hostile() async throws {
        let event = #"{"at":"2026-11-22T13:04:06Z","kind":"ledger","title":"\u001b[31mred\u202e"}"#
        let (url, end) = try Self.speaker(saying: Self.head + "data: \(event)\n\n")
        defer { _ = end() }
        for flags in [[], ["--json"]] {
            let result = await payroute(["sandbox", "tail", "--sandbox", url] + flags, input: [])
            #expect(
                !result.output.unicodeScalars.contains("\u{1B}") && !result.output.unicodeScalars.contains("\u{202E}"))
            #expect(result.lines.count == 1)
        }
    }

    @Test(
        "An address that answers and is no sandbox with events is reported, with exit code 1",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\n\r\n", "streams no events"), ("HTTP/1.1 503 Busy\r\n\r\n", "no room"),
            ("HTTP/1.1 500 Oh\r\n\r\n", "status 500"), ("220 smtp.example ESMTP\r\n", "is no sandbox"),
            ("", "is no sandbox"),
            (head + String(repeating: "x", count: 1_100_000), "too long"),
        ])
    func noSandbox(answer: String, message: String) async throws {
        let (url, end) = try Self.speaker(saying: answer)
        defer { _ = end() }
        let result = await payroute("sandbox", "tail", "--sandbox", url)
        #expect(result.code == 1 && result.output == "")
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("Without a sandbox the error says how to start one")
    func nobody() async throws {
        let server = try LoopbackServer(SandboxServices(.all).service)
        let url = server.baseURL.text
        server.stop()
        let result = await payroute("sandbox", "tail", "--sandbox", url)
        #expect(result.code == 1 && result.errors.contains("payroute sandbox"), "\(result)")
        #expect(await payroute("sandbox", "tail", "--sandbox", url, "--kind", "money").code == 64)
    }

    // MARK: notify

    /// A merchant's server that stores its requests.
    private actor Shop: SandboxService {
        private(set) var requests: [HTTPRequest] = []
        func respond(to request: HTTPRequest) -> HTTPResponse {
            requests.append(request)
            return HTTPResponse(status: 202, headers: ["X-Shop": "yes"], body: Array("taken".utf8))
        }
    }

    @Test("Notifications are handed on byte for byte, with their fields, and the server's answer goes back")
    func forward() async throws {
        let shop = Shop()
        let target = try HTTPURL("http://127.0.0.1:9/hooks")
        let forwarder = Forwarder(target: target, transport: SandboxTransport(shop)) { delivery in
            #expect(delivery.line(Style(isColored: false)) == "POST /any/path  5 bytes  -> 202")
        }
        var request = HTTPRequest(.post, try HTTPURL("http://127.0.0.1:8/any/path"), body: [0, 0xFF, 0x0D, 0x0A, 0x22])
        for (name, value) in [
            ("svix-signature", "v1,abc"), ("Host", "x"), ("Content-Length", "9"), ("A", "1"), ("A", "2"),
        ] {
            request.headers.append(name, value)
        }
        let answer = await forwarder.respond(to: request)
        #expect(answer.status == 202 && answer.headers["x-shop"] == "yes" && answer.body == Array("taken".utf8))
        let got = try #require(await shop.requests.first)
        #expect(got.body == request.body && got.url.text == target.text && got.headers["svix-signature"] == "v1,abc")
        #expect(
            got.headers.values("A") == ["1", "2"] && got.headers["Host"] == nil && got.headers["Content-Length"] == nil)
    }

    @Test("A server that is away counts as 502, so that the sandbox tries again")
    func away() async throws {
        let gone = Forwarder(target: try HTTPURL("http://127.0.0.1:9/"), transport: RecordingTransport(statuses: [0])) {
            #expect($0.status == nil && $0.line(Style(isColored: false)).contains("not delivered"))
        }
        let answer = await gone.respond(to: HTTPRequest(.post, try HTTPURL("http://127.0.0.1:8/")))
        #expect(answer.status == 502)
    }

    @Test("The whole way: a sandbox's webhook reaches a server through the program, which a signal ends with 0")
    func wholeWay() async throws {
        let shop = Shop()
        let server = try LoopbackServer(shop)
        defer { server.stop() }
        let program = try Program(["sandbox", "notify", "--forward-to", server.baseURL.text + "/hooks"])
        var lines = program.lines.makeAsyncIterator()
        let first = try #require(await lines.next())
        let address = try #require(first.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)).output
        let sites = SandboxServices(.all, webhooks: try HTTPURL(String(address)))
        let site = try #require(sites["walletconnect-pay"] as? WalletConnectPaySandbox)
        _ = await site.make("already-paid", amount: nil, at: server.baseURL)
        await site.finishDeliveries()
        #expect(try #require(await lines.next()).hasSuffix("-> 202"))
        #expect(await shop.requests.map(\.url.path) == ["/hooks"])
        #expect(await shop.requests.first?.headers["svix-signature"] != nil)
        program.signal(SIGINT)
        #expect(await program.end().code == 0)
    }

    @Test(
        "What makes no sense is refused with 64",
        arguments: [
            [], ["--forward-to", "https://shop.example/hooks"], ["--forward-to", "http://127.0.0.1:1/", "pay_1"],
            ["pay_1"],
            ["--forward-to", "http://127.0.0.1:1/", "--port", "99999"],
        ])
    func usage(words: [String]) async {
        let result = await payroute(["sandbox", "notify"] + words, input: [])
        #expect(result.code == 64 && result.output == "", "\(result)")
    }
}
