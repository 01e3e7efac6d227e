import LinkSimulation
import Synchronization

/// Two wallets with a private link, through troubled times.
enum Links {
    private struct Totals {
        var histories = 0
        var payments = 0
        var crashes = 0
        var requests = 0
        var failures: [(seed: UInt64, breaches: [String])] = []
    }

    static func run(_ count: UInt64, from first: UInt64) async -> Int32 {
        let start = ContinuousClock.now
        let totals = await withTaskGroup(of: (UInt64, LinkHistory.Verdict).self) { group in
            var totals = Totals()
            var next = first
            func begin() {
                guard next < first + count, totals.failures.count < 3 else { return }
                let seed = next
                next += 1
                group.addTask { (seed, await verdict(seed)) }
            }
            for _ in 0..<8 { begin() }
            for await (seed, verdict) in group {
                totals.histories += 1
                totals.payments += verdict.payments
                totals.crashes += verdict.crashes
                totals.requests += verdict.requests
                if !verdict.breaches.isEmpty { totals.failures.append((seed, verdict.breaches)) }
                begin()
            }
            return totals
        }
        for (seed, breaches) in totals.failures {
            print("BROKEN in history \(seed)")
            for breach in breaches { print("  \(breach)") }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        print(
            "\(totals.histories) histories in \(seconds) s: \(totals.payments) payments, \(totals.crashes) crashes, "
                + "\(totals.requests) requests, \(totals.failures.count) failures")
        return totals.failures.isEmpty ? 0 : 1
    }

    private static func verdict(_ seed: UInt64) async -> LinkHistory.Verdict {
        do { return try await LinkHistory(seed: seed).run() } catch {
            var verdict = LinkHistory.Verdict()
            verdict.breaches = ["the history stopped: \(error)"]
            return verdict
        }
    }
}
