import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@Suite("The journals of this package keep the contract")
struct StoreConformanceTests {
    /// A journal on a disk that keeps nothing but what was synced.
    private struct Disk: Sendable {
        let folder = ScratchFolder()
        let journal: SQLiteJournal
        /// The disks after failures of the power.
        let left: Collected<ScratchFolder>

        init(_ left: Collected<ScratchFolder>) throws {
            try #require(FailingDisk.watch(folder))
            journal = try SQLiteJournal(path: folder.file("journal"))
            self.left = left
        }

        func reopen() throws -> SQLiteJournal { try SQLiteJournal(path: folder.file("journal"), creating: false) }

        func losePower() throws -> SQLiteJournal {
            let rest = try FailingDisk.afterPowerFailure(of: folder)
            left.add(rest)
            return try SQLiteJournal(path: rest.file("journal"), creating: false)
        }
    }

    @Test("In memory")
    func memory() async {
        let report = await JournalConformance.check(
            JournalSubject("InMemoryJournal") { JournalSubject.Storage(InMemoryJournal()) })
        #expect(report.isPassed && report.skipped == [.sharing, .powerLoss], "\(report)")
    }

    @Test("In a file, on a disk that keeps nothing but what was synced")
    func file() async {
        let left = Collected<ScratchFolder>()
        let report = await JournalConformance.check(
            JournalSubject("SQLiteJournal") {
                let disk = try Disk(left)
                return JournalSubject.Storage(
                    disk.journal, reopen: { try disk.reopen() }, losePower: { try disk.losePower() })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
        #expect(left.all.count == 1)
    }

    @Test("What is spent without a question, in memory")
    func spendingsInMemory() async {
        let report = await SpendingConformance.check(
            SpendingSubject("InMemoryJournal") { SpendingSubject.Storage(InMemoryJournal()) })
        #expect(report.isPassed && report.skipped == [.sharing, .powerLoss], "\(report)")
    }

    @Test("What is spent without a question, in a file, on a disk that keeps nothing but what was synced")
    func spendingsInAFile() async {
        let report = await SpendingConformance.check(
            SpendingSubject("SQLiteJournal") {
                let disk = try Disk(Collected())
                return SpendingSubject.Storage(
                    disk.journal, reopen: { try disk.reopen() }, losePower: { try disk.losePower() })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }
}
