import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStore

/// Payments without a question, in a file: the rows that pruning leaves, and damaged rows.
@Suite("The account of spendings in a file")
struct SpendingFileTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("journal") }
    private static let today = SpendingDay(Samples.now, in: .gmt)

    private static func spending(_ id: String, _ cents: UInt128 = 10, on day: SpendingDay = today) throws -> Spending {
        Spending(
            attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: "acme", id: id),
            amounts: [try Money(minorUnits: cents, currency: .eur)], day: day, keeper: .journal)
    }

    private static func limits(_ cents: UInt128) throws -> [SpendingLimit] {
        [SpendingLimit(try Money(minorUnits: cents, currency: .eur), per: .month)]
    }

    @Test("Pruning leaves an attempt that money is reserved for, and takes it when that is settled")
    func pruning() async throws {
        let journal = try SQLiteJournal(path: path)
        let (attempt, lease) = (try Samples.attempt(), Samples.lease())
        #expect(try await journal.reserve(Self.spending(attempt.id.rawValue), within: Self.limits(10)) == .granted)
        #expect(try await journal.acquire(lease, at: Samples.now))
        try await journal.open(attempt, under: lease)
        try await journal.append(Samples.entry(.outcome(.cancelled)), to: attempt.id, under: lease)
        #expect(try await journal.prune(endedBefore: .distantFuture, keepingProofsSince: .distantFuture) == 0)
        try await journal.release(attempt.id)
        #expect(try await journal.prune(endedBefore: .distantFuture, keepingProofsSince: .distantFuture) == 1)
    }

    @Test("Pruning frees nothing that counts, and forgets what counts no more")
    func forgetting() async throws {
        let journal = try SQLiteJournal(path: path)
        let old = Self.today.earlier(by: SpendingLedger.longestMemory + 1)
        for (id, day) in [("old", old), ("old and open", old), ("today", Self.today)] {
            #expect(try await journal.reserve(Self.spending(id, on: day), within: Self.limits(20)) == .granted)
        }
        for id in ["old", "today"] { try await journal.commit(AttemptID(rawValue: id)) }
        // Too few days with spendings for any clock to be believed.
        _ = try await journal.prune(endedBefore: .distantFuture, keepingProofsSince: .distantFuture)
        #expect(try await journal.spending(of: AttemptID(rawValue: "old"))?.state == .paid)
        for number in 1..<SpendingLedger.longestMemory {
            let (id, day) = ("day \(number)", Self.today.earlier(by: number))
            #expect(try await journal.reserve(Self.spending(id, 1, on: day), within: Self.limits(1000)) == .granted)
            try await journal.commit(AttemptID(rawValue: id))
        }
        _ = try await journal.prune(endedBefore: Samples.now, keepingProofsSince: Samples.now)
        _ = try await journal.prune(endedBefore: .distantFuture, keepingProofsSince: .distantFuture)
        let left = try await journal.spendings(since: SpendingDay(number: .min)).map(\.spending.attempt.rawValue)
            .filter { !$0.hasPrefix("day ") }
        #expect(left == ["old and open", "today"])
        let verdict = try await journal.reserve(Self.spending("more", 11), within: Self.limits(20))
        if case .refused(.exceeded) = verdict {} else { Issue.record("what was spent today is forgotten") }
    }

    @Test(
        "A row that cannot be read is damage, and never room",
        arguments: [
            "amounts = '{\"amounts\":[]}'", "subject = 'gift'", "amounts = '[]'", "amounts = ''", "state = 'Released'",
            "keeper = 'nobody'", "amounts = replace(amounts, '10', '-10')", "amounts = replace(amounts, 'EUR', 'XXQ')",
        ])
    func damage(change: String) async throws {
        do {
            let journal = try SQLiteJournal(path: path)
            #expect(try await journal.reserve(Self.spending("a"), within: Self.limits(10)) == .granted)
        }
        do { try Database(path: path).execute("UPDATE spending SET \(change)") }
        let journal = try SQLiteJournal(path: path)
        await #expect {
            _ = try await journal.reserve(Self.spending("b"), within: Self.limits(10))
        } throws: {
            if case JournalError.damaged = $0 { true } else { false }
        }
    }

    @Test("A file that another process keeps locked grants nothing")
    func locked() async throws {
        let journal = try SQLiteJournal(JournalFile(path: path, timeout: .milliseconds(20)))
        let other = try Database(path: path)
        try other.execute("BEGIN IMMEDIATE")
        await #expect(throws: JournalError.self) {
            _ = try await journal.reserve(Self.spending("a"), within: Self.limits(10))
        }
        try other.execute("ROLLBACK")
        #expect(try await journal.reserve(Self.spending("b"), within: Self.limits(10)) == .granted)
        #expect(try await journal.reservedSpendings().map(\.spending.attempt.rawValue) == ["b"])
    }
}
