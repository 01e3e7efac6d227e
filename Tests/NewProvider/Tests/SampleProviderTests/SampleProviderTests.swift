import PaymentCore
import PaymentSimulation
import PaymentTesting
import Testing

@testable import SampleProvider

@Suite("Sample")
struct SampleProviderTests {
    @Test("It conforms: spoilt answers, crashes and cancellations at any moment, secrets, hosts")
    func conformance() async {
        let report = await ProviderConformance.check(SimulatedSample.self)
        // It has no secrets yet: name them in the vendor's `secrets` as soon as it has some.
        #expect(report.isPassed && report.skipped == [.echoes, .secrets], "\(report)")
    }

    @Test("Histories with crashes, lost answers and several devices break nothing")
    func histories() {
        let broken = VendorSimulation.play(SimulatedSample.self, histories: 0..<100)
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test(
        "Every state of the service has its report, and a state that is not known is unknown",
        arguments: [("paid", true), ("void", true), ("open", false), ("working", false), ("brand-new", false)])
    func states(word: String, isFinal: Bool) throws {
        let payment = PaymentReference(provider: "sample", id: "42")
        let order = SampleOrder(id: "42", shop: "Sample Shop", price: "4.80", state: word)
        #expect(try order.report(of: payment).isFinal == isFinal)
        #expect(try !order.report(of: PaymentReference(provider: "sample", id: "43")).isFinal)
    }

    @Test(
        "Links that name an order are read, others are not its own",
        arguments: [
            ("https://sample.example/order/42", "42"), ("https://sample.example/order", nil),
            ("https://sample.example/order/42/more", nil), ("https://sample.example/order/..%2F", nil),
        ])
    func links(text: String, order: String?) throws {
        let provider = SampleProvider(service: try HTTPURL("https://api.sample.example"))
        #expect(provider.recognize(try PaymentLink(text))?.reference == order)
    }
}
