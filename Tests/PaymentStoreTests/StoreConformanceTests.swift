import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@Suite("The journals of this package keep the contract")
struct StoreConformanceTests {
    @Test("In memory")
    func memory() async {
        let report = await JournalConformance.check(
            JournalSubject("InMemoryJournal") { JournalSubject.Storage(InMemoryJournal()) })
        #expect(report.isPassed && report.skipped == [.sharing, .powerLoss], "\(report)")
    }

    @Test("In a file, on a disk that keeps nothing but what was synced")
    func file() async {
        let left = Mutex<[ScratchFolder]>([])
        let report = await JournalConformance.check(
            JournalSubject("SQLiteJournal") {
                let folder = ScratchFolder()
                try #require(FailingDisk.watch(folder))
                let path = folder.file("journal")
                return JournalSubject.Storage(
                    try SQLiteJournal(path: path),
                    reopen: { try SQLiteJournal(path: path, creating: false) },
                    losePower: {
                        let rest = try FailingDisk.afterPowerFailure(of: folder)
                        left.withLock { $0.append(rest) }
                        return try SQLiteJournal(path: rest.file("journal"), creating: false)
                    })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
        #expect(left.withLock { $0.count } == 1)
    }

    @Test("What is spent without a question, in memory")
    func spendingsInMemory() async {
        let report = await SpendingConformance.check(
            SpendingSubject("InMemoryJournal") { SpendingSubject.Storage(InMemoryJournal()) })
        #expect(report.isPassed && report.skipped == [.sharing, .powerLoss], "\(report)")
    }

    @Test("What is spent without a question, in a file, on a disk that keeps nothing but what was synced")
    func spendingsInAFile() async {
        let left = Mutex<[ScratchFolder]>([])
        let report = await SpendingConformance.check(
            SpendingSubject("SQLiteJournal") {
                let folder = ScratchFolder()
                try #require(FailingDisk.watch(folder))
                let path = folder.file("journal")
                return SpendingSubject.Storage(
                    try SQLiteJournal(path: path), reopen: { try SQLiteJournal(path: path, creating: false) },
                    losePower: {
                        let rest = try FailingDisk.afterPowerFailure(of: folder)
                        left.withLock { $0.append(rest) }
                        return try SQLiteJournal(path: rest.file("journal"), creating: false)
                    })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }
}
