import Foundation
import MutationList
import Synchronization

/// The trials of a run: what is left, and what was found.
final class Trials: Sendable {
    private struct State {
        var queue: ArraySlice<Int> = []
        var verdicts: [Int: Trial.Verdict] = [:]
        /// Those that are being tried.
        var running = 0
        /// Those that count: the others do not compile, or make the same code.
        var counted = 0
        /// True if the time is over.
        var isClosed = false
    }

    private let state: Mutex<State>
    private let draw: Int
    private let isGenerated: [Bool]
    /// Those that were tried in this code before, by a run that was interrupted.
    let known: Int
    /// True if a part of the mutations is tried.
    let isDrawn: Bool

    init(_ candidates: [Candidate], draw: Int, known verdict: (Int) -> Trial.Verdict?) {
        self.draw = draw
        isGenerated = candidates.map(\.isGenerated)
        isDrawn = draw < candidates.count
        var state = State()
        for index in candidates.indices where state.counted < draw {
            guard let known = verdict(index) else {
                state.queue.append(index)
                continue
            }
            state.verdicts[index] = known
            if Self.counts(known, isGenerated: candidates[index].isGenerated) { state.counted += 1 }
        }
        known = state.counted
        self.state = Mutex(state)
    }

    private static func counts(_ verdict: Trial.Verdict, isGenerated: Bool) -> Bool {
        if isGenerated, case .notTried = verdict { false } else { true }
    }

    /// True if something is left to try.
    var remain: Bool { state.withLock { !$0.queue.isEmpty && $0.counted < draw } }

    /// The mutations that are left to try.
    var remaining: [Int] { state.withLock { Array($0.queue) } }

    /// Takes the next mutation to try.
    func next() -> Int? {
        while true {
            let (index, isEnough) = state.withLock { state -> (Int?, Bool) in
                if state.isClosed || state.counted >= draw || state.queue.isEmpty { return (nil, true) }
                guard state.counted + state.running < draw, let index = state.queue.popFirst() else {
                    return (nil, false)
                }
                state.running += 1
                return (index, true)
            }
            if index != nil || isEnough { return index }
            // One that is being tried may not count.
            usleep(100_000)
        }
    }

    /// Ends the trials: none begins any more, and those in progress do not count.
    func close() { state.withLock { $0.isClosed = true } }

    /// True if the time is over.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Takes a verdict, and returns how many count by now.
    func end(_ index: Int, _ verdict: Trial.Verdict) -> Int {
        state.withLock { state in
            state.running -= 1
            guard !state.isClosed else { return state.counted }
            state.verdicts[index] = verdict
            if Self.counts(verdict, isGenerated: isGenerated[index]) { state.counted += 1 }
            return state.counted
        }
    }

    /// The verdicts that count, by the mutation's place.
    var counted: [(index: Int, verdict: Trial.Verdict)] {
        state.withLock { $0.verdicts }.filter { Self.counts($0.value, isGenerated: isGenerated[$0.key]) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// True if each that counts was noticed.
    var areAllNoticed: Bool { counted.allSatisfy { $0.verdict.isNoticed } }
}

/// The table of a run.
struct Report {
    private let candidates: [Candidate]
    private let trials: Trials

    init(_ candidates: [Candidate], trials: Trials) { (self.candidates, self.trials) = (candidates, trials) }

    /// Writes the table, and prints what was not noticed and the count by folder.
    func write(to file: URL, after seconds: Double) throws {
        let counted = trials.counted
        var rows = ["| mutation | what goes wrong | noticed by |", "| --- | --- | --- |"]
        var folders: [String: (tried: Int, noticed: Int, hung: Int)] = [:]
        for (index, verdict) in counted {
            let candidate = candidates[index]
            let text = verdict.text.split { $0.isNewline }.joined(separator: " ").replacing("|", with: "\\|")
            rows.append("| `\(candidate.name)` | \(candidate.meaning.replacing("|", with: "\\|")) | \(text) |")
            var row = folders[candidate.folder] ?? (0, 0, 0)
            row.tried += 1
            if verdict.isNoticed { row.noticed += 1 }
            if case .hung = verdict { row.hung += 1 }
            folders[candidate.folder] = row
        }
        try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: file)
        let unnoticed = counted.filter { !$0.verdict.isNoticed }
        if !unnoticed.isEmpty { say("\nnot noticed:") }
        for (index, verdict) in unnoticed {
            say("- \(candidates[index].name)\n  \(candidates[index].meaning)\n  \(verdict.text)")
        }
        say("\n| folder | tried | noticed | hung |\n| --- | --- | --- | --- |")
        for (folder, row) in folders.sorted(by: { $0.key < $1.key }) {
            say("| `\(folder)` | \(row.tried) | \(row.noticed) | \(row.hung) |")
        }
        let noticed = counted.count - unnoticed.count
        say("\n\(noticed) of \(counted.count) mutations were noticed, in \(Int(seconds)) s; \(file.path)")
    }
}

extension Candidate {
    /// The folder of the changed file.
    var folder: String { String(file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex)) }
}
