import CitconSandbox
import PaymentTesting
import Testing

@Suite("Citcon, probed as every provider is")
struct ConformanceTests {
    @Test(
        "It conforms, however it hands the payer over",
        arguments: [CitconSandbox.Scenario.unionPay, .toss, .payPal]
    )
    func provider(scenario: CitconSandbox.Scenario) async throws {
        let report = await ProviderConformance.check(try Subjects.citcon(scenario))
        #expect(report.isComplete, "\(report)")
    }

    @Test("Its merchant conforms; its notifications do not age, and the report says so")
    func merchant() async throws {
        let report = await ProviderConformance.check(try Subjects.citconMerchant())
        #expect(report.isPassed && report.skipped == [.notificationAge], "\(report)")
    }
}
