import PaykitLaboratory
import Synchronization

/// Two wallets with a private link, with faults.
enum Links {
    private struct Totals {
        var histories = 0
        var payments = 0
        var crashes = 0
        var requests = 0
        var failures: [(seed: UInt64, breaches: [String])] = []
    }

    /// Runs `count` histories with faults, and a tenth as many without.
    static func run(_ count: UInt64, from first: UInt64) async -> Int32 {
        let start = ContinuousClock.now
        let totals = await withTaskGroup(of: LinkHistory.Verdict.self) { group in
            var totals = Totals()
            var seeds = (first..<first + count + count / 10).makeIterator()
            var running = 0
            while true {
                while running < 8, totals.failures.count < 3, let seed = seeds.next() {
                    group.addTask {
                        seed < first + count
                            ? await LinkHistory(seed: seed).verdict() : await LinkHistory.calm(seed: seed - count)
                    }
                    running += 1
                }
                guard let verdict = await group.next() else { return totals }
                running -= 1
                totals.histories += 1
                totals.payments += verdict.payments
                totals.crashes += verdict.crashes
                totals.requests += verdict.requests
                if !verdict.breaches.isEmpty { totals.failures.append((verdict.seed, verdict.breaches)) }
            }
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
}
