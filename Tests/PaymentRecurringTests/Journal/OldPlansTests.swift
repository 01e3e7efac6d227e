import Foundation
import PaymentCore
import PaymentStore
import TestSupport
import Testing

@testable import PaymentRecurring

/// A file of plans that an earlier version has left in the middle of its work, as the fixture has it.
@Suite("Plans of an older file")
struct OldPlansTests {
    private struct Finder: RecurringPayer {
        func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
            .paid(transactionID: "new")
        }
        func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
            .paid(transactionID: "found")
        }
    }

    @Test("What had ended stays as it was, what was begun is asked about, and what follows is charged")
    func goesOn() async throws {
        let folder = ScratchFolder()
        let path = folder.file("recurring")
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/recurring/version-1.txt")
        let journal = try SQLiteRecurringJournal(path: path)
        let database = try Database(path: path)
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 4).map(String.init)
            let isPlan = words[0] == "plan"
            let third = words[3] == "-" ? Database.Value.null : .real(try #require(Double(words[3])))
            try database.run(
                isPlan
                    ? "INSERT INTO plan (id, revision, due, detail) VALUES (?1, ?2, ?3, ?4)"
                    : "INSERT INTO charge (plan, number, look, detail) VALUES (?1, ?2, ?3, ?4)",
                [.text(words[1]), .integer(try #require(Int64(words[2]))), third, .text(words[4])])
        }
        let hourly = RecurringPlan.ID(rawValue: "plan-4")
        let before = try await journal.charges(of: hourly)
        let clock = VirtualClock(RecurringSamples.start.addingTimeInterval(14 * 3600))
        let scheduler = RecurringScheduler(journal: journal, payer: Finder(), clock: clock)
        try await scheduler.look()
        let after = try await journal.charges(of: hourly)
        #expect(after.count > before.count, "what begins later is opened")
        for (old, new) in zip(before, after) {
            switch old.state {
            case .paid, .missed: #expect(new == old)
            case .started, .unknown: #expect(new.state == .paid(transactionID: "found"), "\(old.id)")
            case .due, .announced, .waiting:
                #expect(new.state.isFinal && !new.state.isOpen, "\(old.id) is \(new.state)")
            }
        }
    }
}
