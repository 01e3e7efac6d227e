import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

@Suite struct LoopbackServerTests {
    static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: self\r\nX-Ask: hello\r\n\r\n" }

    @Test(
        "The target arrives as it was sent",
        arguments: [
            (
                "/v1/pay%2Fment/https%253A%252F%252Fpay.wct.me%252F1",
                "/v1/pay%2Fment/https%253A%252F%252Fpay.wct.me%252F1", "-"
            ),
            ("/a+b/%20c/..%2F/d//e/?x=%41+1&y=%2B&y", "/a+b/%20c/..%2F/d//e/", "x=%41+1&y=%2B&y"),
            ("/%zz%00%ff?", "/%zz%00%ff", ""),
        ])
    func targetArrivesAsSent(target: String, path: String, query: String) async throws {
        let server = try LoopbackServer(EchoService())
        let answers = await RawClient(server.baseURL).exchange([Self.get(target)])
        #expect(answers.map(\.text) == ["GET \(path) \(query.isEmpty ? "" : query) 0"])
        #expect(answers.first?.headers["x-echo"] == "hello")
        server.stop()
    }

    @Test("Keeps connections alive")
    func keepsConnectionsAlive() async throws {
        let server = try LoopbackServer(EchoService())
        let requests = (0..<5).map { "POST /\($0) HTTP/1.1\r\nHost: self\r\nContent-Length: 3\r\n\r\nabc" }
        let answers = await RawClient(server.baseURL).exchange(requests)
        #expect(answers.map(\.text) == (0..<5).map { "POST /\($0) - 3" })
        server.stop()
    }

    @Test("Refuses targets that are no path", arguments: ["/\u{e9}", "/a\\b", "http://other.example/", "*"])
    func refusesTargetsThatAreNoPath(target: String) async throws {
        let server = try LoopbackServer(EchoService())
        let answers = await RawClient(server.baseURL).exchange([Self.get(target)])
        #expect(answers.map(\.status) == [400])
        server.stop()
    }

    @Test("Caps the body", arguments: [false, true])
    func capsTheBody(chunked: Bool) async throws {
        let server = try LoopbackServer(EchoService())
        let client = RawClient(server.baseURL)
        let fits = await client.upload(bytes: LoopbackServer.maximumBody, chunked: chunked)
        #expect(fits?.text == "POST /up - 1048576")
        let tooMuch = await client.upload(bytes: LoopbackServer.maximumBody + 1, chunked: chunked)
        #expect(tooMuch?.status == 413)
        server.stop()
    }

    @Test("A body that is announced as too large is refused unread")
    func announcedGiantIsRefusedUnread() async throws {
        let server = try LoopbackServer(EchoService())
        let answers = await RawClient(server.baseURL).exchange([
            "POST / HTTP/1.1\r\nHost: self\r\nContent-Length: 99999999999\r\n\r\n"
        ])
        #expect(answers.map(\.status) == [413])
        server.stop()
    }

    @Test("A port that is in use is named")
    func portInUseIsNamed() throws {
        // Any other program may take a freed port first: not five times in a row.
        for _ in 1...5 {
            let server = try LoopbackServer(EchoService())
            let port = server.baseURL.port
            let error = #expect(throws: SandboxError.portInUse(port)) { try LoopbackServer(EchoService(), port: port) }
            #expect(error?.description.contains("\(port)") == true)
            server.stop()
            guard let second = try? LoopbackServer(EchoService(), port: port) else { continue }
            #expect(second.baseURL.port == port)
            second.stop()
            return
        }
        Issue.record("a port that was given back is not free again")
    }

    @Test("Slow answers do not block others")
    func slowAnswersDoNotBlockOthers() async throws {
        let gate = GateService()
        let server = try LoopbackServer(gate)
        let client = RawClient(server.baseURL)
        await withTaskGroup(of: [RawClient.Answer].self) { group in
            for _ in 0..<40 { group.addTask { await client.exchange([Self.get("/")]) } }
            // All forty are being answered at the same time, by one server thread.
            await gate.arrival(of: 40)
            gate.open()
            for await answers in group { #expect(answers.map(\.status) == [204]) }
        }
        server.stop()
    }

    @Test("Stopping ends requests in flight")
    func stopEndsRequestsInFlight() async throws {
        let gate = GateService()
        let server = try LoopbackServer(gate)
        let client = RawClient(server.baseURL)
        async let answers = client.exchange([Self.get("/")])
        await gate.arrival(of: 1)
        server.stop()
        server.stop()
        #expect(await answers.isEmpty)
        #expect(gate.cancelledCount == 1)
        #expect(await !client.canConnect())
    }

    @Test("Leaves nothing behind")
    func leavesNothingBehind() async throws {
        weak var leaked: GateService?
        do {
            let gate = GateService()
            leaked = gate
            let server = try LoopbackServer(gate)
            let client = RawClient(server.baseURL)
            gate.open()
            _ = await client.exchange([Self.get("/a"), Self.get("/b")])
            await client.sendAndLeave("GET / HTTP/1.1\r\nHost: self\r\nContent-Length: 100\r\n\r\nhalf")
            await client.sendAndLeave("GET / HTTP/1.1\r\nno colon here\r\n\r\n")
            server.stop()
        }
        #expect(leaked == nil)
    }

    @Test("Stops while it refuses")
    func stopsWhileItRefuses() async throws {
        for _ in 0..<100 {
            let server = try LoopbackServer(EchoService())
            await RawClient(server.baseURL).sendAndLeave("GET / HTTP/1.1\r\nno colon here\r\n\r\n")
            server.stop()
        }
    }

    @Test("A client that leaves does no harm")
    func clientThatLeavesDoesNoHarm() async throws {
        let gate = GateService()
        let server = try LoopbackServer(gate)
        let client = RawClient(server.baseURL)
        await client.sendAndLeave(Self.get("/"))
        await gate.arrival(of: 1)
        gate.open()
        #expect(await client.exchange([Self.get("/")]).map(\.status) == [204])
        server.stop()
    }

    @Test("Many clients at once")
    func concurrentClients() async throws {
        let server = try LoopbackServer(EchoService())
        let client = RawClient(server.baseURL)
        await withTaskGroup(of: (Int, [RawClient.Answer]).self) { group in
            for number in 0..<16 {
                group.addTask { (number, await client.exchange((0..<50).map { Self.get("/\(number)/\($0)") })) }
            }
            for await (number, answers) in group {
                #expect(answers.map(\.text) == (0..<50).map { "GET /\(number)/\($0) - 0" })
            }
        }
        server.stop()
    }
}
