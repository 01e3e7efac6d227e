import Foundation
import Simulation
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
