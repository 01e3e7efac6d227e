import PaymentCore
import PaymentSandbox
import PaymentTesting
import Simulation
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

    @Test("WalletConnect Pay conforms")
    func walletConnectPay() async throws {
        let report = await ProviderConformance.check(try Subjects.walletConnectPay())
        #expect(report.isComplete, "\(report)")
    }

    @Test(
        "Citcon conforms, however it hands the payer over",
        arguments: [CitconSandbox.Scenario.unionPay, .toss, .payPal]
    )
    func citcon(scenario: CitconSandbox.Scenario) async throws {
        let report = await ProviderConformance.check(try Subjects.citcon(scenario))
        #expect(report.isComplete, "\(report)")
    }

    @Test("Citcon's merchant conforms; its notifications do not age, and the report says so")
    func citconMerchant() async throws {
        let report = await ProviderConformance.check(try Subjects.citconMerchant())
        #expect(report.isPassed && report.skipped == [.notificationAge], "\(report)")
    }

    @Test("WalletConnect Pay's merchant conforms")
    func walletConnectPayMerchant() async throws {
        let report = await ProviderConformance.check(try Subjects.walletConnectPayMerchant())
        #expect(report.isComplete, "\(report)")
    }

    @Test("Payrails conforms, whatever is paid with", arguments: ["stored", "card", "payPal", "redirect"])
    func payrails(option: String) async {
        let report = await ProviderConformance.check(Subjects.payrails(paying: option))
        #expect(report.isComplete, "\(report)")
    }

    @Test("Paykit conforms, for a key and for an invoice", arguments: [true, false])
    func paykit(byKey: Bool) async throws {
        let report = await ProviderConformance.check(try Subjects.paykit(byKey: byKey))
        #expect(report.isComplete, "\(report)")
    }

    @Test("Paykit conforms, for a request over a private link")
    func paykitRequest() async throws {
        let report = await ProviderConformance.check(try Subjects.paykitRequest())
        #expect(report.isComplete, "\(report)")
    }

    @Test("The provider of bare bitcoin texts conforms")
    func bitcoin() async throws {
        let report = await ProviderConformance.check(try Subjects.bitcoin())
        #expect(report.isComplete, "\(report)")
    }

    @Test("Payrails' merchant conforms")
    func payrailsMerchant() async throws {
        let report = await ProviderConformance.check(Subjects.payrailsMerchant())
        #expect(report.isComplete, "\(report)")
    }

    @Test("A flaw is found by the probe that is there for it", arguments: BrokenProvider.Flaw.allCases)
    func flaw(flaw: BrokenProvider.Flaw) async {
        let report = await ProviderConformance.check(Subjects.keyed(BrokenProvider(flaw)))
        #expect(report.failed.contains(flaw.probe), "\(report)")
        #expect(report.description.contains("FAILED   \(flaw.probe.rawValue)"))
    }

    @Test("A provider that is paid before it is asked is found when it is cancelled")
    func hopeWhenCancelled() async {
        let report = await ProviderConformance.check(Subjects.keyed(BrokenProvider(.hopes)))
        #expect(report.failed.contains(.cancellation), "\(report)")
    }

    @Test("Capabilities that are only claimed are found")
    func capabilities() async {
        let report = await ProviderConformance.check(Subjects.keyed(capabilities: [.refunds]))
        #expect(report.failed == [.capabilities])
    }

    @Test("Every probe is shown to fail here")
    func complete() {
        let shown = Set(BrokenProvider.Flaw.allCases.map(\.probe)).union([.capabilities, .cancellation])
            .union(ShopMistake.allCases.map(\.finding.probe))
        #expect(shown == Set(ProviderConformance.Probe.allCases))
    }

    @Test("A script that is not played as written says where")
    func script() async throws {
        let transport = ScriptedTransport([
            .answer("GET", "/a", HTTPResponse(status: 204)), .fail("POST", "/b", .maybeSent, .timedOut),
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
