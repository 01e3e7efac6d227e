import Foundation
import PaymentCore
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@Suite("What a failure of the power leaves")
struct PowerFailureTests {
    private let folder = ScratchFolder()

    /// A journal whose disk keeps only synced writes.
    private func journal() throws -> SQLiteJournal {
        try #require(FailingDisk.watch(folder))
        return try SQLiteJournal(path: folder.file("journal"))
    }

    /// The remaining history of the attempt.
    private func left() async throws -> AttemptHistory? {
        let rest = try FailingDisk.afterPowerFailure(of: folder)
        return try await SQLiteJournal(path: rest.file("journal"), creating: false).history(of: Samples.attempt().id)
    }

    /// The events of an attempt, and true for those that must survive once they are written.
    private typealias Script = [(event: JournalEntry.Event, isKept: Bool)]

    private static let before: Script = [
        (.stepStarted(name: "ask", kind: .query), false), (.stepFinished(name: "ask", result: ["a": 1]), false),
        (.stepStarted(name: "sign", kind: .interaction), false), (.stepFinished(name: "sign", result: "0x1"), false),
    ]

    private static let scripts: [(what: String, script: Script)] = [
        (
            "a request that is answered",
            before + [
                (.stepStarted(name: "pay", kind: .mutation(replay: .never)), true),
                (.stepFinished(name: "pay", result: "taken"), true),
                (.stepStarted(name: "look", kind: .query), true), (.stepFinished(name: "look", result: "paid"), true),
                (.outcome(.pending(retryAfter: nil)), true),
                (.outcome(.succeeded(PaymentReceipt(reference: Samples.reference()))), true),
            ]
        ),
        (
            "a request with a key that is refused",
            before + [
                (.stepStarted(name: "pay", kind: .mutation(replay: .sameKey)), true),
                (.stepFailed(name: "pay", reason: "refused"), true),
                (.outcome(.declined(DeclineReason(.refused, "refused"))), true),
            ]
        ),
        (
            "coins that the wallet sends",
            [
                (.stepStarted(name: "send", kind: .walletTransfer), true),
                (.stepFinished(name: "send", result: "0xtransaction"), true),
                (.stepStarted(name: "tell", kind: .interaction), true),
                (.outcome(.unknown(UnknownOutcome(reference: Samples.reference(), message: "?"))), true),
            ]
        ),
        ("an attempt that is given up", before + [(.abandoned(reason: "no"), true)]),
        ("an outcome that comes first of all", [(.outcome(.cancelled), true)]),
    ]

    @Test("All that matters of an attempt is on the disk when its writer continues", arguments: scripts.indices)
    func attempt(index: Int) async throws {
        let (what, script) = Self.scripts[index]
        let (journal, lease) = (try journal(), Samples.lease())
        let attempt = try Samples.attempt()
        #expect(try await journal.acquire(lease, at: Samples.now))
        try await journal.open(attempt, under: lease)
        #expect(try await left() == AttemptHistory(attempt: attempt), "\(what): the opening")
        var entries: [JournalEntry] = []
        for (position, (event, isKept)) in script.enumerated() {
            // A write that does not wait for the disk must not weaken the following ones.
            try await journal.renew(lease, at: Samples.now)
            #expect(try await journal.acquire(Samples.lease("other \(position)"), at: Samples.now))
            entries.append(Samples.entry(event, after: Double(position)))
            try await journal.append(entries[position], to: attempt.id, under: lease)
            let rest = try #require(try await left(), "\(what): \(event)")
            #expect(rest.attempt == attempt)
            #expect(
                rest.entries.elementsEqual(entries.prefix(rest.entries.count), by: Self.isSame), "\(what): \(event)")
            #expect(!isKept || rest.entries.count == entries.count, "\(what): \(event) is not on the disk")
        }
    }

    /// True if both are equal, except the wallet's answer, which the end of an attempt erases.
    private static func isSame(_ left: JournalEntry, _ written: JournalEntry) -> Bool {
        if case .stepFinished("sign", .null) = left.event { return left.date == written.date }
        return left == written
    }

    @Test("Nothing is lost while the log is moved into the file")
    func checkpoint() async throws {
        let (journal, lease) = (try journal(), Samples.lease())
        let attempt = try Samples.attempt()
        #expect(try await journal.acquire(lease, at: Samples.now))
        try await journal.open(attempt, under: lease)
        var entries: [JournalEntry] = []
        // Far more than the thousand pages after which SQLite restarts its log, none of which waits for the disk.
        for position in 0..<400 {
            entries.append(
                Samples.entry(.stepStarted(name: "\(position)" + String(repeating: "x", count: 4000), kind: .query)))
            try await journal.append(entries[position], to: attempt.id, under: lease)
            let rest = try #require(position % 20 == 0 ? try await left() : AttemptHistory(attempt: attempt))
            #expect(rest.entries.elementsEqual(entries.prefix(rest.entries.count)))
        }
        entries.append(Samples.entry(.stepStarted(name: "pay", kind: .mutation(replay: .never))))
        try await journal.append(entries[400], to: attempt.id, under: lease)
        #expect(try await left()?.entries == entries)
    }
}
