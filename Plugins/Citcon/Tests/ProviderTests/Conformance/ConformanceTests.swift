import CitconSandbox
import PaymentTesting
import Testing

@Suite("Citcon, probed as every vendor is")
struct ConformanceTests {
    @Test(
        "It conforms, however it hands the payer over; its notifications do not age, and the report says so",
        arguments: [CitconSandbox.Scenario.unionPay, .toss, .payPal])
    func conformance(scenario: CitconSandbox.Scenario) async {
        let report = await ProviderConformance.check(SimulatedCitcon.self, paying: scenario.rawValue)
        #expect(report.isPassed && report.skipped == [.notificationAge], "\(report)")
    }
}
