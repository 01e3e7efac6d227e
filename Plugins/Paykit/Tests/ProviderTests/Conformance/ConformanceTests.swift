import PaymentTesting
import Testing

@Suite("Paykit, probed as every provider is")
struct ConformanceTests {
    @Test("It conforms, for a key and for an invoice", arguments: [true, false])
    func provider(byKey: Bool) async throws {
        let report = await ProviderConformance.check(try Subjects.paykit(byKey: byKey))
        #expect(report.isComplete, "\(report)")
    }

    @Test("It conforms, for a request over a private link")
    func request() async throws {
        let report = await ProviderConformance.check(try Subjects.paykitRequest())
        #expect(report.isComplete, "\(report)")
    }

    @Test("The provider of bare bitcoin texts conforms")
    func bitcoin() async throws {
        let report = await ProviderConformance.check(try Subjects.bitcoin())
        #expect(report.isComplete, "\(report)")
    }
}
