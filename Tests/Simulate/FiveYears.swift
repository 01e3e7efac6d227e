import Foundation
import RecurringSimulation

/// Five years of plans that are charged repeatedly.
enum FiveYears {
    static func run(_ plans: Int, _ seed: UInt64) async throws -> Int32 {
        let start = ContinuousClock.now
        let verdict = try await RecurringHistory(seed: seed, size: .init(plans: plans)).run()
        for breach in verdict.breaches { print("BROKEN: \(breach)") }
        let missed = verdict.missed.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print(
            "\(plans) plans, \(verdict.periods) periods: \(verdict.paid) paid, missed: \(missed); "
                + "\(verdict.looks) looks, \(verdict.crashes) crashes, \(verdict.stalls) stalls, "
                + "\(verdict.breaches.count) breaches, in \((ContinuousClock.now - start) / .seconds(1)) s")
        return verdict.breaches.isEmpty ? 0 : 1
    }
}
