import Dispatch
import Foundation
import PaymentSimulation
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
        print(Replay.hint(seed, variation.target))
        return verdict.breaches.isEmpty ? 0 : 1
    }
}

/// The planted mistakes.
enum Mistakes {
    /// - Parameters:
    ///   - word: what the names of the played mistakes contain; nil for all of them, and the controls.
    ///   - count: the number of histories of each control.
    static func run(_ word: String? = nil, controls count: UInt64 = 2000) -> Int32 {
        // The slow ones first, so that the threads end together.
        let named = Mistake.all.filter { word.map($0.name.contains) ?? true }
        let mistakes = named.filter(\.isSlow) + named.filter { !$0.isSlow }
        let found = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: mistakes.count) { index in
            let seed = mistakes[index].found(in: 0..<10_000)
            found.withLock { found in
                if seed != nil { found += 1 }
                let end = seed.map { "found in history \($0)" } ?? "NOT found in 10,000 histories"
                print("\(mistakes[index].name): \(end)")
            }
        }
        let failures = word == nil ? controls(count) : 0
        let all = found.withLock { $0 }
        print("\(all) of \(mistakes.count) mistakes found, \(failures) failures without mistakes")
        return all == mistakes.count && failures == 0 ? 0 : 1
    }

    /// Plays `count` histories of each variation of the mistakes without them, and returns the number of those that
    /// broke a promise.
    static func controls(_ count: UInt64 = 2000) -> Int {
        var failures = 0
        for (number, control) in Mistake.controls.enumerated() {
            let threads = ProcessInfo.processInfo.activeProcessorCount
            let totals = Campaign(seeds: 0..<count, threads: threads, variation: control).run()
            failures += totals.failures.count
            print("control \(number + 1) without mistakes: \(totals.failures.count) failures in \(count) histories")
            for (seed, breaches) in totals.failures { print("  \(seed): \(breaches.joined(separator: "; "))") }
        }
        return failures
    }
}
