import PaymentCore
import PaymentTesting
import Testing

@testable import custom_provider

@Suite("The provider to copy")
struct CoffeeTests {
    @Test("It conforms")
    func conformance() async throws {
        let report = await ProviderConformance.check(SimulatedCoffee.self)
        // It has none.
        #expect(report.isPassed && report.skipped == [.echoes, .secrets], "\(report)")
    }
}
