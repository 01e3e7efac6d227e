import PaymentTesting
import Testing
import WalletConnectPaySandbox

@Suite("WalletConnect Pay, probed as every vendor is")
struct ConformanceTests {
    @Test("It conforms")
    func conformance() async {
        let scenario = WalletConnectPaySandbox.Scenario.paidAfterPolling.rawValue
        let report = await ProviderConformance.check(SimulatedWalletConnectPay.self, paying: scenario)
        #expect(report.isComplete, "\(report)")
    }
}
