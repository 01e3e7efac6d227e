import PaymentTesting
import Testing

@Suite("WalletConnect Pay's merchant, probed as every service is")
struct MerchantConformanceTests {
    @Test("It conforms")
    func merchant() async throws {
        let report = await ProviderConformance.check(try Subjects.walletConnectPayMerchant())
        #expect(report.isComplete, "\(report)")
    }
}
