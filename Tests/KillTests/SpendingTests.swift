import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// Eight workers in two processes that spend without a question over one journal, and are killed again and again.
@Suite("Spending by processes that are killed", .serialized)
struct SpendingTests {
    private let folder = ScratchFolder()
    private static let rounds = ProcessInfo.processInfo.environment["PAYROUTE_KILLS"].flatMap { Int($0) } ?? 6

    private func process(_ seed: Int, _ count: Int) throws -> Program {
        try Program(
            [folder.file("journal"), folder.file("till"), "\(seed)", "\(count)"],
            executable: Program.url("SpendingProcess"))
    }

    /// The payments in the till, by payee, in cents.
    private var taken: [String: UInt128] {
        let text = (try? String(contentsOfFile: folder.file("till"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { sums, line in
            let words = line.split(separator: " ")
            sums[words.dropFirst().dropLast().joined(separator: " "), default: 0] += UInt128(words.last ?? "") ?? 0
        }
    }

    /// The recorded spendings, by payee, in cents.
    private func counted(_ records: [SpendingRecord]) -> [String: UInt128] {
        records.filter { $0.state != .released }.reduce(into: [:]) {
            $0[$1.spending.payee ?? "", default: 0] += $1.spending.amounts[0].minorUnits
        }
    }

    private func checkLimits(_ sums: [String: UInt128], _ what: String) {
        for (payee, sum) in sums { #expect(sum <= 300, "\(payee) \(what) \(sum)") }
        #expect(sums.values.reduce(0, +) <= 4000, "all \(what) \(sums)")
    }

    @Test("Whenever they are killed, no limit is exceeded, and nothing stays reserved permanently")
    func killed() async throws {
        let random = SeededRandomSource(seed: 16)
        var settled = 0
        for round in 0..<Self.rounds {
            let programs = [try process(2 * round, 40), try process(2 * round + 1, 40)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for program in programs {
                    let lines = 1 + Int(random.next() % 40)
                    group.addTask {
                        var left = lines
                        for await _ in program.lines {
                            left -= 1
                            if left == 0 { program.signal(SIGKILL) }
                        }
                        _ = await program.end()
                    }
                }
                try await group.waitForAll()
            }
            let records = try await SQLiteJournal(path: folder.file("journal")).spendings(since: SpendingDay(number: 0))
            checkLimits(taken, "got")
            checkLimits(counted(records), "counts")
            settled += records.count { $0.state == .reserved }
        }
        let last = try await process(0, 0).captured()
        #expect(last.code == 0, "\(last)")
        let journal = try SQLiteJournal(path: folder.file("journal"))
        #expect(try await journal.unfinished().isEmpty)
        #expect(try await journal.reservedSpendings().isEmpty)
        let paid = try await journal.spendings(since: SpendingDay(number: 0)).filter { $0.state == .paid }
        #expect(counted(paid) == taken, "the account says what the till says")
        #expect(!paid.isEmpty)
        print(
            "\(2 * Self.rounds) spending processes killed: \(paid.count) paid, \(settled) found reserved, none left so")
    }
}
