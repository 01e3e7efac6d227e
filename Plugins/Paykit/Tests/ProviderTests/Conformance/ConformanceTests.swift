import PaymentTesting
import Testing

@Suite("Paykit, probed as every vendor is")
struct ConformanceTests {
    @Test(
        "It conforms, for a key and for an invoice, and the provider of bare texts does",
        arguments: [
            SimulatedPaykit.Target.key, .invoice, .text,
        ])
    func conformance(target: SimulatedPaykit.Target) async {
        let report = await ProviderConformance.check {
            try SimulatedPaykit(target, clock: $0, random: $1)
        }
        // It has no secrets: the payer's key signs in the sandbox alone.
        #expect(report.isPassed && report.skipped == [.echoes, .secrets], "\(report)")
    }

    @Test("It conforms, for a request over a private link")
    func request() async {
        let report = await ProviderConformance.check(SimulatedRequest.self)
        #expect(report.isComplete, "\(report)")
    }
}
