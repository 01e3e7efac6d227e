import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// Worker processes that charge the plans of one file, through routers that share a journal, and are killed again and
/// again.
@Suite("Plans charged by processes that are killed", .serialized)
struct PlansTests {
    private let folder = ScratchFolder()
    private static let rounds = ProcessInfo.processInfo.environment["PAYROUTE_KILLS"].flatMap { Int($0) } ?? 5
    /// Noon of the workers' first day.
    private static let noon = Date(timeIntervalSince1970: 1_800_014_400)
    private static let workers = 3
    /// The number of periods of each plan: all have begun when the last worker starts.
    private static let periods = 10 + 2 * rounds

    private func worker(hours: Int, looks: Int) throws -> Program {
        try Program(
            ["--plans", folder.file("plans"), folder.file("journal"), folder.file("till"), "\(hours)", "\(looks)"],
            executable: Program.url("SpendingProcess"))
    }

    /// The number of the till's payments for a period.
    private var taken: [String: Int] {
        let text = (try? String(contentsOfFile: folder.file("till"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { counts, line in
            counts[line.split(separator: " ").first.map(String.init) ?? "", default: 0] += 1
        }
    }

    /// Hourly plans that began in the morning: within the limits, above them, never automatic, of payees that refuse.
    private func plans() throws -> [RecurringPlan] {
        try (0..<8).map { number in
            let cents = number % 3 == 0 ? 70 : 12
            let payee = number == 7 ? "7refuses" : "\(number / 2)"
            return try RecurringPlan(
                id: RecurringPlan.ID(rawValue: "plan-\(number)"), provider: "till",
                amount: Money(minorUnits: UInt128(cents), currency: .eur),
                schedule: RecurringSchedule(
                    .every(seconds: 3600), from: Self.noon.addingTimeInterval(-9 * 3600), count: Self.periods),
                policy: RecurringPolicy(.all, mostCaughtUp: 100_000, grace: .seconds(30 * 86_400)),
                details: RecurringOrder(
                    link: "https://till.example/to/\(payee)/\(cents)", paysByItself: number != 4
                ).details)
        }
    }

    @Test("Whenever they are killed, every period is charged once, no plan is lost, and no lease is kept")
    func killed() async throws {
        let stored = RecurringPlans(try SQLiteRecords(path: folder.file("plans")))
        for plan in try plans() { try await stored.store(plan, opening: []) }
        let random = SeededRandomSource(seed: 33)
        var killed = 0
        for round in 0..<Self.rounds {
            killed += try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<Self.workers {
                    let program = try worker(hours: 2 * round, looks: 3)
                    let lines = 1 + Int(random.next() % 10)
                    group.addTask {
                        var left = lines
                        for await _ in program.lines {
                            left -= 1
                            if left == 0 { program.signal(SIGKILL) }
                        }
                        return await program.end().code == -SIGKILL
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken.allSatisfy { $0.value == 1 }, "\(taken.filter { $0.value != 1 })")
        }
        // No process is killed any more. Hours pass, so that postponed periods come due.
        for look in 1...6 {
            let last = try await worker(hours: 2 * Self.rounds + 3 * look, looks: 2).captured()
            #expect(last.code == 0, "\(last)")
        }
        try await judge(stored)
        print("\(killed) charging processes killed: \(taken.count) periods paid, each once")
    }

    private func judge(_ stored: RecurringPlans) async throws {
        let taken = taken
        var paid = 0
        let all = try await stored.all()
        #expect(all.map(\.id) == (try plans().map(\.id)), "no plan is lost")
        for plan in all {
            let charges = try await stored.charges(of: plan.id)
            #expect(charges.map(\.id.number) == Array(0..<Self.periods), "\(plan.id)")
            for charge in charges {
                switch charge.state {
                case .paid:
                    paid += 1
                    #expect(taken["\(charge.id)"] == 1, "\(charge.id) is told paid")
                case .missed(.declined) where plan.id.rawValue == "plan-7":
                    #expect(taken["\(charge.id)"] == nil, "\(charge.id) is told declined")
                default: Issue.record("\(charge.id) is \(charge.state), attempts \(charge.attempts)")
                }
            }
        }
        #expect(taken.count == paid)
        let journal = try SQLiteJournal(path: folder.file("journal"))
        #expect(try await journal.unfinished().isEmpty)
        #expect(try await journal.reservedSpendings().isEmpty)
        let unasked = try await journal.spendings(since: SpendingDay(number: 0)).filter { $0.state == .paid }
        #expect(!unasked.isEmpty && unasked.count < paid, "some are within the limits, and some were asked about")
        for (_, day) in Dictionary(grouping: unasked, by: \.spending.day) {
            #expect(day.reduce(0) { $0 + $1.spending.amounts[0].minorUnits } <= 4000)
            for (payee, all) in Dictionary(grouping: day, by: \.spending.payee) {
                #expect(all.reduce(0) { $0 + $1.spending.amounts[0].minorUnits } <= 300, "\(payee ?? "")")
            }
        }
        try await leasesAreFree(stored, all)
    }

    /// A new worker gets every lease at once.
    private func leasesAreFree(_ stored: RecurringPlans, _ plans: [RecurringPlan]) async throws {
        for plan in plans {
            for charge in try await stored.charges(of: plan.id) {
                let lease = RecurringPlans.lease(of: charge.id, holder: "later", duration: .seconds(1))
                #expect(try await stored.store.acquire(lease, at: Self.noon), "\(charge.id)")
                try await stored.store.release(lease)
            }
        }
    }
}
