import PaymentCore
import PaymentTesting
import SimulatedShop
import Testing

@Suite("Provider conformance")
struct ConformanceTests {
    @Test("The reference provider conforms")
    func reference() async {
        let report = await ProviderConformance.check(Subjects.keyed())
        #expect(report.isPassed, "\(report)")
        #expect(report.probes.map(\.name) == ProviderConformance.Probe.allCases)
        #expect(report.isComplete, "\(report)")
    }

    @Test("A provider that sends several requests in one step conforms", arguments: [2, 3])
    func severalRequests(count: Int) async {
        let report = await ProviderConformance.check(Subjects.keyed(SeveralRequestsProvider(requests: count)))
        #expect(report.isComplete, "\(report)")
    }

    @Test("A flaw is found by the probe that is there for it", arguments: BrokenProvider.Flaw.allCases)
    func flaw(flaw: BrokenProvider.Flaw) async {
        let report = await ProviderConformance.check(only: [flaw.probe], Subjects.keyed(BrokenProvider(flaw)))
        #expect(report.failed.contains(flaw.probe), "\(report)")
        #expect(report.description.contains("FAILED   \(flaw.probe.rawValue)"))
    }

    @Test("A provider that is paid before it is asked is found when it is cancelled")
    func hopeWhenCancelled() async {
        let report = await ProviderConformance.check(
            only: [.cancellation], Subjects.keyed(BrokenProvider(.hopes)))
        #expect(report.failed.contains(.cancellation), "\(report)")
    }

    @Test("A provider that takes the refusal of a second copy for one of the first is found")
    func secondCopies() async {
        let report = await ProviderConformance.check(
            only: [.doubledRequests], Subjects.keyed(BrokenProvider(.believes), refusesCopies: true))
        #expect(report.failed.contains(.doubledRequests), "\(report)")
    }

    @Test("Capabilities that are only claimed are found")
    func capabilities() async {
        let report = await ProviderConformance.check(Subjects.keyed(capabilities: [.refunds]))
        #expect(report.failed == [.capabilities])
    }

    @Test("Every probe is shown to fail here")
    func complete() {
        let shown = Set(BrokenProvider.Flaw.allCases.map(\.probe)).union([
            .capabilities, .cancellation, .doubledRequests,
        ])
        .union(ShopMistake.allCases.map(\.finding.probe))
        #expect(shown == Set(ProviderConformance.Probe.allCases))
    }

    @Test("A script that is not played as written says where")
    func script() async throws {
        let transport = ScriptedTransport([
            .answer("GET", "/a", HTTPResponse(status: 204)), .fail("POST", "/b", .maybeSent, because: .timedOut),
            .answer("GET", "/c", HTTPResponse(status: 200)),
        ])
        func send(_ method: HTTPRequest.Method, _ path: String) async throws -> Int {
            try await transport.send(HTTPRequest(method, try HTTPURL("https://x.example\(path)"))).status
        }
        #expect(try await send(.get, "/a?q=1") == 204)
        await #expect { try await send(.post, "/b") } throws: { ($0 as? TransportError)?.reason == .timedOut }
        await #expect { try await send(.get, "/d") } throws: { ($0 as? TransportError)?.phase == .notSent }
        #expect(transport.requests.map(\.url.path) == ["/a", "/b", "/d"])
        #expect(
            transport.deviations == [
                "the script waits for GET /c, but the request was GET /d", "the script still waits for GET /c",
            ])
    }
}
