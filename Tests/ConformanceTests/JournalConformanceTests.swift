import PaymentTesting
import Testing

@Suite("The conformance check of journals")
struct JournalConformanceTests {
    @Test("A sound journal passes every probe")
    func sound() async {
        let report = await JournalConformance.check(FlawedJournal.subject(nil))
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    @Test("Every flaw is found by the probe that is there for it", arguments: FlawedJournal.Flaw.allCases)
    func flaws(flaw: FlawedJournal.Flaw) async {
        let report = await JournalConformance.check(FlawedJournal.subject(flaw))
        #expect(report.failed.contains(flaw.probe), "\(report)")
    }

    @Test("Every probe has a flaw that it finds")
    func probes() {
        #expect(Set(FlawedJournal.Flaw.allCases.map(\.probe)) == Set(JournalConformance.Probe.allCases))
    }

    @Test("What cannot be probed is said to be so, and is no failure")
    func gaps() async {
        let report = await JournalConformance.check(
            JournalSubject("plain") { JournalSubject.Storage(FlawedJournal(nil)) })
        #expect(report.isPassed && report.skipped == [.sharing, .powerLoss])
        #expect("\(report)".contains("not probed  \(JournalConformance.Probe.sharing.rawValue): the journal cannot"))
    }
}
