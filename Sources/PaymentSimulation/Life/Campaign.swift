import Dispatch
import Foundation
import Synchronization

/// Many histories, on several threads. The thread of a history does not matter: a history depends on its seed only.
package struct Campaign: Sendable {
    /// The findings so far.
    package struct Totals: Sendable {
        package var histories = 0
        package var payments = 0
        package var captures = 0
        package var broadcasts = 0
        package var words = 0
        package var processes = 0
        /// Virtual seconds.
        package var seconds = 0.0
        /// The histories that broke a promise, in no particular order.
        package var failures: [(seed: UInt64, breaches: [String])] = []
        /// The breaches of promises that are not given yet, in no particular order.
        package var open: [Promise: [(seed: UInt64, text: String)]] = [:]
    }

    private let seeds: Range<UInt64>
    private let threads: Int
    private let variation: Variation
    private let mostFailures: Int

    /// - Parameter mostFailures: the number of failures after which no further history begins.
    package init(
        seeds: Range<UInt64>, threads: Int, variation: Variation, mostFailures: Int = 3
    ) {
        self.seeds = seeds
        self.threads = max(1, threads)
        self.variation = variation
        self.mostFailures = mostFailures
    }

    /// Runs them all. `report` gets the totals after every history, one call at a time.
    package func run(_ report: @escaping @Sendable (Totals) -> Void = { _ in }) -> Totals {
        let next = Mutex(seeds.lowerBound)
        let totals = Mutex(Totals())
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while totals.withLock({ $0.failures.count }) < mostFailures,
                let seed = next.withLock({ next -> UInt64? in
                    guard next < seeds.upperBound else { return nil }
                    defer { next += 1 }
                    return next
                })
            {
                let verdict = History(seed: seed, variation: variation).run(isTraced: false)
                totals.withLock { totals in
                    totals.histories += 1
                    totals.payments += verdict.payments
                    totals.captures += verdict.captures
                    totals.broadcasts += verdict.broadcasts
                    totals.words += verdict.words
                    for breach in verdict.open { totals.open[breach.promise, default: []].append((seed, breach.text)) }
                    totals.processes += verdict.processes
                    totals.seconds += verdict.seconds
                    if !verdict.breaches.isEmpty { totals.failures.append((seed, verdict.breaches)) }
                    report(totals)
                }
            }
        }
        return totals.withLock { $0 }
    }
}

/// The instructions for repeating a failure.
package enum Replay {
    /// The tested commit, if it can be read.
    package static let commit: String = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        func read(_ path: String) -> String? {
            try? String(contentsOf: root.appending(path: ".git/" + path), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let head = read("HEAD") else { return "unknown" }
        return head.hasPrefix("ref: ") ? read(String(head.dropFirst(5))) ?? "unknown" : head
    }()

    /// Seed, commit and the command that repeats exactly this history.
    ///
    /// - Parameter target: the target of the makefile that plays such histories.
    package static func hint(_ seed: UInt64, _ target: String = "simulate") -> String {
        "SEED=\(seed) COMMIT=\(commit); play it again: git checkout \(commit) && make \(target) SEED=\(seed)"
    }
}
