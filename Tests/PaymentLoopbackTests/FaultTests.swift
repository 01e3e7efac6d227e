import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

@Suite struct FaultTests {
    let url: HTTPURL

    init() throws { url = try HTTPURL("https://api.example/v1/confirm") }

    @Test("Statuses, garbage and redirects")
    func statusGarbageAndRedirect() async throws {
        let faults = FaultInjector(EchoService())
        faults.inject(.status(503, body: "busy"))
        faults.inject(.garbage)
        faults.inject(.redirect(to: "https://elsewhere.example/"))
        let transport = SandboxTransport(faults)
        let request = HTTPRequest(.get, url)
        let busy = try await transport.send(request)
        #expect(busy.status == 503 && busy.body == Array("busy".utf8))
        let garbage = try await transport.send(request)
        #expect(garbage.status == 200 && String(validating: garbage.body, as: UTF8.self) == nil)
        let redirect = try await transport.send(request)
        #expect(redirect.status == 307 && redirect.headers["location"] == "https://elsewhere.example/")
        #expect(try await transport.send(request).body == Array("GET /v1/confirm - 0".utf8))
    }

    @Test("Matches endpoint and count")
    func matchesEndpointAndCount() async throws {
        let faults = FaultInjector(EchoService())
        faults.inject(.status(500), times: 2, after: 1) { $0 == "POST" && $1.hasSuffix("/confirm") }
        let transport = SandboxTransport(faults)
        var statuses: [Int] = []
        for method in [HTTPRequest.Method.post, .get, .post, .post, .post] {
            statuses.append(try await transport.send(HTTPRequest(method, url)).status)
        }
        #expect(statuses == [200, 200, 500, 500, 200])
    }

    @Test("Drops before and after")
    func dropsBeforeAndAfter() async throws {
        let inner = FaultInjector(EchoService())
        let faults = FaultInjector(inner)
        faults.inject(.dropBefore)
        faults.inject(.dropAfter)
        let transport = SandboxTransport(faults)
        for processed in [0, 1] {
            let error = await #expect(throws: TransportError.self) { try await transport.send(HTTPRequest(.post, url)) }
            #expect(error?.phase == .maybeSent)
            #expect(error?.reason == .connectionLost("closed by the server"))
            #expect(inner.requests.count == processed)
        }
        #expect(faults.requests.count == 2)
    }

    @Test("Drops on the wire")
    func dropsOnTheWire() async throws {
        let faults = FaultInjector(EchoService())
        faults.inject(.dropAfter)
        let server = try LoopbackServer(faults)
        let client = RawClient(server.baseURL)
        #expect(await client.exchange([LoopbackServerTests.get("/")]).isEmpty)
        #expect(await client.exchange([LoopbackServerTests.get("/")]).count == 1)
        server.stop()
    }

    @Test("A huge body")
    func hugeBody() async throws {
        let faults = FaultInjector(EchoService())
        faults.inject(.hugeBody(bytes: 1 << 40))
        faults.inject(.hugeBody(bytes: 100))
        faults.inject(.hugeBody(bytes: 300_000))
        let transport = SandboxTransport(faults)
        let error = await #expect(throws: TransportError.self) { try await transport.send(HTTPRequest(.get, url)) }
        #expect(error?.reason == .responseTooLarge(limit: 1 << 20))
        #expect(try await transport.send(HTTPRequest(.get, url)).body.count == 100)
        let server = try LoopbackServer(faults)
        let answers = await RawClient(server.baseURL).exchange([
            LoopbackServerTests.get("/"), LoopbackServerTests.get("/x"),
        ])
        #expect(answers.map(\.body.count) == [300_000, "GET /x - 0".utf8.count])
        #expect(answers.map(\.isComplete) == [true, true])
        server.stop()
    }

    @Test("Stalls until released")
    func stallsUntilReleased() async throws {
        let faults = FaultInjector(EchoService())
        faults.inject(.stall(nil), times: 2)
        let clock = TestClock()
        let transport = SandboxTransport(faults, clock: clock)
        let request = HTTPRequest(.get, url)
        let first = Task { try await transport.send(request) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(30))
        // The client's request timed out; the server still stalls.
        let error = await #expect(throws: TransportError.self) { try await first.value }
        #expect(error?.reason == .timedOut && error?.phase == .maybeSent)
        async let second = transport.send(HTTPRequest(.get, url))
        await clock.sleepers(1)
        faults.release()
        #expect(try await second.status == 200)
    }

    @Test("Stalls for a time")
    func stallsForATime() async throws {
        let clock = TestClock()
        let faults = FaultInjector(EchoService(), clock: clock)
        faults.inject(.stall(.seconds(5)))
        let transport = SandboxTransport(faults)
        async let answer = transport.send(HTTPRequest(.get, url))
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        #expect(try await answer.status == 200)
    }

    @Test("A cancelled sender leaves the service running")
    func cancelledSenderLeavesTheServiceRunning() async throws {
        let gate = GateService()
        let transport = SandboxTransport(gate)
        let request = HTTPRequest(.post, url)
        let sending = Task { try await transport.send(request) }
        await gate.arrival(of: 1)
        sending.cancel()
        let error = await #expect(throws: TransportError.self) { try await sending.value }
        #expect(error?.reason == .cancelled && error?.phase == .maybeSent)
        #expect(gate.cancelledCount == 0)
        gate.open()
    }

    @Test("Records requests without header values")
    func recordsRequestsWithoutHeaderValues() async throws {
        let faults = FaultInjector(EchoService())
        let url = try HTTPURL("https://api.example/p%2Fq?a=b")
        let request = HTTPRequest(.post, url, headers: ["Api-Key": "secret-value"], body: [1, 2])
        _ = try await SandboxTransport(faults).send(request)
        let seen = try #require(faults.requests.first)
        #expect(seen.method == "POST" && seen.path == "/p%2Fq" && seen.query == "a=b")
        #expect(seen.headerNames == ["api-key"] && seen.body == [1, 2])
        var dumped = ""
        dump(seen, to: &dumped)
        #expect(!dumped.contains("secret-value"))
    }
}
