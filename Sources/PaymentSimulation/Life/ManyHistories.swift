import Foundation
import Synchronization

/// Many histories, with progress on standard error.
package enum ManyHistories {
    /// Runs `count` histories on all cores and prints the totals.
    ///
    /// - Returns: the status of the program: 0 where no promise was broken.
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
