import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// The journal on a disk that keeps any part of the unsynced writes, and that runs full.
@Suite("A disk that fails at any moment")
struct TornDiskTests {
    private let folder = ScratchFolder()

    /// The content of a journal, and the parts that must remain after each number of disk events.
    private struct Written {
        var attempts: [AttemptID: [JournalEntry]] = [:]
        /// The required counts of entries after a number of disk events.
        var promises: [(events: Int, kept: [AttemptID: Int])] = []
    }

    private static let answers: [JournalEntry.Event] = [
        .stepStarted(name: "ask", kind: .query), .stepFinished(name: "ask", result: ["a": 1]),
        .stepStarted(name: "sign", kind: .interaction),
    ]

    private static let movements: [[JournalEntry.Event]] = [
        [.stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFinished(name: "move", result: "done")],
        [.stepStarted(name: "send", kind: .walletTransfer), .stepFinished(name: "send", result: "0xabc")],
        [.stepStarted(name: "move", kind: .mutation(replay: .sameKey)), .stepFailed(name: "move", reason: "no")],
        [],
    ]

    /// Pays some payments, each with its entries, and records the promises about them.
    private func write(_ journal: SQLiteJournal, _ random: SeededRandomSource) async throws -> Written {
        var written = Written()
        for number in 0..<4 {
            let attempt = try Samples.attempt("a\(number)", "p\(number)")
            let lease = Samples.lease("p\(number)")
            #expect(try await journal.acquire(lease, at: Samples.now))
            try await journal.open(attempt, under: lease)
            written.attempts[attempt.id] = []
            promise(&written)
            let movement = Self.movements[Int(random.next() % UInt64(Self.movements.count))]
            var events = Array(Self.answers.prefix(Int(random.next() % 4))) + movement
            // Long ones span several pages.
            if random.next() % 2 == 0 {
                events.append(.stepStarted(name: String(repeating: "x", count: 9000), kind: .query))
            }
            if random.next() % 2 == 0 { events.append(.outcome(.cancelled)) }
            var hasMoved = false
            for (position, event) in events.enumerated() {
                let entry = Samples.entry(event, after: Double(position))
                written.attempts[attempt.id]?.append(entry)
                try await journal.append(entry, to: attempt.id, under: lease)
                if case .stepStarted(_, let kind) = event, kind != .query, kind != .interaction { hasMoved = true }
                if case .outcome = event { hasMoved = true }
                // Earlier entries are there as well: it is one log.
                if hasMoved { promise(&written) }
            }
        }
        return written
    }

    private func promise(_ written: inout Written) {
        written.promises.append((FailingDisk.log(of: folder).events.count, written.attempts.mapValues(\.count)))
    }

    @Test(
        "What was promised is there whenever the power fails, and nothing else",
        arguments: 1...12 as ClosedRange<UInt64>)
    func tornWrites(seed: UInt64) async throws {
        try #require(FailingDisk.watch(folder))
        let random = SeededRandomSource(seed: seed)
        let journal = try SQLiteJournal(path: folder.file("journal"))
        let isMade = FailingDisk.log(of: folder).events.count
        let written = try await write(journal, random)
        let log = FailingDisk.log(of: folder)
        for _ in 0..<25 {
            let cut = Int(random.next() % UInt64(log.events.count + 1))
            let image = log.image(after: cut, DiskLog.Luck(random: random))
            let rest = try FailingDisk.files(image)
            // An unfinished new file is created again, or its creation continues.
            let left = try SQLiteJournal(path: rest.file("journal"), creating: cut < isMade)
            let kept = written.promises.last { $0.events <= cut }?.kept ?? [:]
            for (id, entries) in written.attempts {
                let history = try await left.history(of: id)
                guard let found = history?.entries else {
                    #expect(kept[id] == nil, "\(id) is gone after \(cut) of \(log.events.count) events")
                    continue
                }
                #expect(found.count >= kept[id] ?? 0, "\(id) after \(cut) of \(log.events.count) events")
                #expect(found.elementsEqual(entries.prefix(found.count)))
            }
            // The journal can be used further.
            let lease = Samples.lease("next")
            #expect(try await left.acquire(lease, at: Samples.now))
            try await left.open(try Samples.attempt("next", "next"), under: lease)
        }
    }

    @Test("A disk that does not sync loses entries, or its file is damaged, but no entry appears that was not written")
    func lyingDisk() async throws {
        try #require(FailingDisk.watch(folder))
        let random = SeededRandomSource(seed: 5)
        let journal = try SQLiteJournal(path: folder.file("journal"))
        let written = try await write(journal, random)
        let log = FailingDisk.log(of: folder)
        var intact = 0
        for _ in 0..<100 {
            let image = log.image(after: log.events.count, DiskLog.Luck(random: random, liesAboutSyncing: true))
            let rest = try FailingDisk.files(image)
            do {
                let left = try SQLiteJournal(path: rest.file("journal"), creating: false)
                for (id, entries) in written.attempts {
                    guard let history = try await left.history(of: id) else { continue }
                    for entry in history.entries { #expect(entries.contains(entry)) }
                }
                intact += 1
            } catch { #expect(error is JournalError) }
        }
        #expect(intact > 0)
    }

    @Test("A write for which there is no room leaves the journal as it was, wherever it fails")
    func fullDisk() async throws {
        try #require(FailingDisk.watch(folder))
        let journal = try SQLiteJournal(path: folder.file("journal"))
        let lease = Samples.lease()
        let attempt = try Samples.attempt()
        #expect(try await journal.acquire(lease, at: Samples.now))
        try await journal.open(attempt, under: lease)
        var entries: [JournalEntry] = []
        var refusals = 0
        for room in 0..<72 {
            let event = JournalEntry.Event.stepStarted(
                name: "\(room)" + String(repeating: "x", count: 9000), kind: room % 2 == 0 ? .query : .walletTransfer)
            let entry = Samples.entry(event)
            FailingDisk.leaveRoom(room % 24, in: folder)
            do {
                try await journal.append(entry, to: attempt.id, under: lease)
                entries.append(entry)
            } catch {
                refusals += 1
                guard case JournalError.full = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            FailingDisk.leaveRoom(nil, in: folder)
            #expect(try await journal.history(of: attempt.id)?.entries == entries)
        }
        #expect(refusals > 5 && entries.count > 5)
    }
}
