import PaymentTesting
import Testing

@Suite("The conformance check of stores of spendings")
struct SpendingConformanceTests {
    @Test("A sound store passes every probe")
    func sound() async {
        let report = await SpendingConformance.check(FlawedSpendingStore.subject(nil))
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    @Test("Every flaw is found by the probe that is there for it", arguments: FlawedSpendingStore.Flaw.allCases)
    func flaws(flaw: FlawedSpendingStore.Flaw) async {
        let report = await SpendingConformance.check(FlawedSpendingStore.subject(flaw))
        #expect(report.failed.contains(flaw.probe), "\(report)")
    }

    @Test("Every probe has a flaw that it finds")
    func probes() {
        #expect(Set(FlawedSpendingStore.Flaw.allCases.map(\.probe)) == Set(SpendingConformance.Probe.allCases))
    }
}
