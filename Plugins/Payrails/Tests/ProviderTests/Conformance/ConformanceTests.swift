import PaymentTesting
import PayrailsSandbox
import Testing

@Suite("Payrails, probed as every vendor is")
struct ConformanceTests {
    /// Both services with a stored card; the payer's provider alone with the rest.
    @Test("It conforms, whatever is paid with", arguments: ["stored", "card", "payPal", "redirect"])
    func conformance(option: String) async {
        let report = await ProviderConformance.check(paying: PayrailsSandbox.Scenario.challenge.rawValue) {
            SimulatedPayrails(paying: option, hasMerchant: option == "stored", clock: $0, random: $1)
        }
        #expect(report.isComplete, "\(report)")
    }
}
