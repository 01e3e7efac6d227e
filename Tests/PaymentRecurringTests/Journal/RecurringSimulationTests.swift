import Foundation
import RecurringSimulation
import Testing

/// `PAYROUTE_RECURRING_PLANS` is the number of plans that are charged for five years: few by default.
@Suite("Years of plans, with crashes, stalls, absences and wrong clocks")
struct RecurringSimulationTests {
    private static let plans =
        ProcessInfo.processInfo.environment["PAYROUTE_RECURRING_PLANS"].flatMap { Int($0) } ?? 10

    @Test("Every period is paid once, or reported missed by the policy", arguments: [true, false])
    func fiveYears(_ hasWrongClocks: Bool) async throws {
        let verdict = try await RecurringHistory(
            seed: 7, size: .init(plans: Self.plans, hasWrongClocks: hasWrongClocks)
        ).run()
        #expect(verdict.breaches.isEmpty, "\(verdict.breaches.joined(separator: "\n"))")
        // It had many faults.
        #expect(verdict.crashes > 10 && verdict.stalls > 10 && verdict.paid > 100, "\(verdict)")
        #expect(verdict.missed.keys.count >= 4, "\(verdict.missed)")
    }

    @Test("Some hundred days of few plans, many times over", arguments: 0..<10 as Range<UInt64>)
    func short(_ seed: UInt64) async throws {
        let verdict = try await RecurringHistory(
            seed: 1000 + seed, size: .init(plans: 6, days: 200, hasWrongClocks: seed % 2 == 0)
        ).run()
        #expect(verdict.breaches.isEmpty, "\(verdict.breaches.joined(separator: "\n"))")
    }

    @Test("Planted mistakes are found", arguments: RecurringHistory.Mistake.allCases)
    func mistakes(_ mistake: RecurringHistory.Mistake) async throws {
        for seed in 0..<40 as Range<UInt64> {
            let verdict = try await RecurringHistory(seed: seed, size: .init(plans: 8, days: 400), mistake: mistake)
                .run()
            if !verdict.breaches.isEmpty { return }
        }
        Issue.record("\(mistake.rawValue): not found in 40 histories")
    }
}
