import PaymentTesting
import Testing

@Suite("Payrails' merchant, probed as every service is")
struct MerchantConformanceTests {
    @Test("It conforms")
    func merchant() async throws {
        let report = await ProviderConformance.check(Subjects.payrailsMerchant())
        #expect(report.isComplete, "\(report)")
    }
}
