import Foundation
import Simulation
import Synchronization
import VendorSimulation

/// One history, printed line by line.
enum OneHistory {
    static func run(_ seed: UInt64, _ variation: Variation = Variation()) -> Int32 {
        let verdict = History(seed: seed, variation: variation).run()
        print(verdict.trace.joined(separator: "\n"))
        print(
            "\(verdict.payments) payments, \(verdict.captures) captures, \(verdict.broadcasts) broadcasts, "
                + "\(verdict.words) words, \(verdict.processes) processes")
        for breach in verdict.breaches { print("BROKEN: \(breach)") }
        for breach in verdict.open { print("NOT KEPT YET (\(breach.promise.rawValue)): \(breach.text)") }
        print(Replay.hint(seed))
        return verdict.breaches.isEmpty ? 0 : 1
    }
}

/// The planted mistakes.
enum Mistakes {
    /// - Parameter word: what the names of the played mistakes contain; nil for all of them, and the controls.
    static func run(_ word: String? = nil) -> Int32 {
        let mistakes = Mistake.all.filter { word.map($0.name.contains) ?? true }
        var found = 0
        for mistake in mistakes {
            let seed = mistake.found(in: 0..<10_000)
            if seed != nil { found += 1 }
            print("\(mistake.name): " + (seed.map { "found in history \($0)" } ?? "NOT found in 10,000 histories"))
        }
        let failures = word == nil ? controls() : 0
        print("\(found) of \(mistakes.count) mistakes found, \(failures) failures without mistakes")
        return found == mistakes.count && failures == 0 ? 0 : 1
    }

    /// Plays the histories of the mistakes without them, and returns the number of those that broke a promise.
    static func controls() -> Int {
        var failures = 0
        for (number, control) in Mistake.controls.enumerated() {
            let threads = ProcessInfo.processInfo.activeProcessorCount
            let totals = Campaign(seeds: 0..<2000, threads: threads, variation: control).run()
            failures += totals.failures.count
            print("control \(number + 1) without mistakes: \(totals.failures.count) failures in 2,000 histories")
            for (seed, breaches) in totals.failures { print("  \(seed): \(breaches.joined(separator: "; "))") }
        }
        return failures
    }
}

/// Many histories, with progress on standard error.
enum ManyHistories {
    static func run(_ count: UInt64, from first: UInt64 = 0, mostFailures: Int = 3) -> Int32 {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let start = ContinuousClock.now
        let isTerminal = isatty(STDERR_FILENO) == 1
        let next = Mutex(start + .seconds(1))
        let totals = Campaign(seeds: first..<first + count, threads: threads, mostFailures: mostFailures).run {
            totals in
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
            print("BROKEN in \(Replay.hint(seed))")
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
