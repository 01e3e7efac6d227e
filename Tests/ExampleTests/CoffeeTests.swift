import PaymentCore
import PaymentTesting
import Testing

@testable import custom_provider

@Suite("The provider to copy")
struct CoffeeTests {
    @Test("It conforms")
    func conformance() async throws {
        let host = "api.coffee.example"
        let provider = CoffeeProvider(gateway: try HTTPURL("https://\(host)"))
        let report = await ProviderConformance.check(
            ConformanceSubject(provider) { behaviour, clock, _ in
                let gateway = CoffeeGateway(clock: clock, isSlow: behaviour == .neverSettles)
                return ConformanceSubject.Backend(
                    link: "https://coffee.example/order/42", services: [host: gateway]
                ) {
                    await Array(repeating: 480, count: gateway.payments)
                }
            })
        // It has none.
        #expect(report.isPassed && report.skipped == [.echoes, .secrets], "\(report)")
    }
}
