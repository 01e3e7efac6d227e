import Dispatch
import Foundation
public import PaymentTesting
import Synchronization

/// Histories of payments at a vendor: processes that die between any two operations, lost and doubled messages, several
/// devices, wrong clocks, restored backups, merchants who refund and cancel at any time. In the end everything heals,
/// and every payment must end.
///
/// ```swift
/// let broken = VendorSimulation.play(SimulatedTea.self, histories: 0..<1000)
/// #expect(broken.isEmpty, "\(broken)")
/// ```
///
/// The judgement knows every movement of money, every live signature and every outcome that was stated. A history
/// follows from its number alone, so a broken one can be played again. ``PaymentTesting/ProviderConformance`` finds
/// single defects faster. Histories find those that need several events.
public enum VendorSimulation {
    /// A history that broke a promise.
    public struct Broken: Sendable, Hashable, CustomStringConvertible {
        /// The history's number: the same one breaks in the same way.
        public let history: UInt64
        /// The breaches, one sentence each.
        public let breaches: [String]
        /// The events, line by line.
        public let trace: [String]

        /// The number, and what was broken.
        public var description: String { "history \(history): " + breaches.joined(separator: "; ") }
    }

    /// Plays histories, one after the other, until three are broken. It takes about ten milliseconds for each.
    ///
    /// - Parameters:
    ///   - vendor: The vendor; its payments need at least one scenario that ends paid.
    ///   - histories: The numbers of the histories.
    /// - Returns: the broken ones.
    public static func play<Vendor: SimulatedVendor>(
        _ vendor: Vendor.Type, histories: Range<UInt64> = 0..<300
    ) -> [Broken] {
        let market = VendorMarket.maker(share: 1) { try Vendor(clock: $0.clock, random: $0.random) }
        var broken: [Broken] = []
        for number in histories where broken.count < 3 {
            let history = History(seed: number, variation: Variation([market]))
            guard !history.run(isTraced: false).breaches.isEmpty else { continue }
            let verdict = history.run()
            broken.append(Broken(history: number, breaches: verdict.breaches, trace: verdict.trace))
        }
        return broken
    }
}

// MARK: - Many histories

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

/// Many histories, with progress on standard error.
package enum ManyHistories {
    /// Runs `count` histories on all cores and prints the totals.
    ///
    /// - Returns: the status of the program: 0 if no promise was broken.
    package static func run(
        _ count: UInt64, from first: UInt64 = 0, mostFailures: Int = 3, variation: Variation
    ) -> Int32 {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let start = ContinuousClock.now
        let isTerminal = isatty(STDERR_FILENO) == 1
        let next = Mutex(start + .seconds(1))
        let campaign = Campaign(
            seeds: first..<first + count, threads: threads, variation: variation, mostFailures: mostFailures)
        let totals = campaign.run { totals in
            let now = ContinuousClock.now
            let isDue = next.withLock { next in
                guard now >= next else { return false }
                next = now + .seconds(isTerminal ? 1 : 30)
                return true
            }
            guard isDue else { return }
            let rate = Double(totals.histories) / seconds(now - start)
            let left = Int(Double(Int(count) - totals.histories) / rate)
            let line = "\(totals.histories) of \(count) histories, \(Int(rate)) /s, \(left) s left"
            FileHandle.standardError.write(Data((isTerminal ? "\r\u{1B}[K\(line)" : line + "\n").utf8))
        }
        if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        let time = seconds(ContinuousClock.now - start)
        for (seed, breaches) in totals.failures.sorted(by: { $0.seed < $1.seed }) {
            print("BROKEN in \(Replay.hint(seed, variation.target))")
            for breach in breaches { print("  \(breach)") }
        }
        print(
            "\(totals.histories) histories in \(String(format: "%.1f", time)) s on \(threads) threads "
                + "(\(Int(Double(totals.histories) / time)) seeds/s): \(totals.payments) payments, "
                + "\(totals.captures) captures, \(totals.broadcasts) broadcasts, \(totals.words) words, "
                + "\(totals.processes) processes, "
                + "\(Int(totals.seconds / 86_400)) days of virtual time, \(totals.failures.count) failures")
        for (promise, breaches) in totals.open.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let first = breaches.sorted { $0.seed < $1.seed }
            print("not kept yet: \(promise.rawValue), in \(Set(first.map(\.seed)).count) histories; the first:")
            for (seed, text) in first.prefix(5) { print("  \(seed): \(text)") }
        }
        return totals.failures.isEmpty ? 0 : 1
    }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
