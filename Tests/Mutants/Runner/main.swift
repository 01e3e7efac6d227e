import Foundation
import MutationList

// Applies the mutations of the list one at a time, in a private copy, and finds the test of the named suites that
// notices.
//
//     make mutants [MUTANTS=<regular expression over names, places and suites>]
//     swift run Mutants [<regular expression>]

/// Prints a text at once, also to a file.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Ends the program with a message about the failure.
func give(up reason: String) -> Never {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(1)
}

let filter = CommandLine.arguments.dropFirst().first ?? ""
guard let pattern = try? Regex(filter) else { give(up: "'\(filter)' is not a regular expression") }
let chosen = try MutationList.all().filter { mutation in
    filter.isEmpty || ([mutation.name, mutation.place] + mutation.killedBy).contains { $0.contains(pattern) }
}
guard !chosen.isEmpty else { give(up: "no mutation is called '\(filter)'") }

let checkout = try Checkout(of: MutationList.root)
say("\(chosen.count) mutations, in \(checkout.folder.path)")
let build = try checkout.build()
guard build.ending.isGood else { give(up: "the code itself does not build: \(Trial.firstError(build.output))") }
say("built in \(Int(build.seconds)) s")

let suites = Set(chosen.flatMap(\.killedBy)).sorted()
let tests = try checkout.tests()
for suite in suites where !tests.contains(where: { $0.hasPrefix(suite + "/") || $0.hasPrefix(suite + ".") }) {
    give(up: "there is no suite \(suite)")
}
let sound = try checkout.test(suites, within: .seconds(900))
if let failure = Trial.noticed(sound) { give(up: "without any change a test fails: \(failure)") }
say("\(suites.count) suites notice nothing without a change, in \(Int(sound.seconds)) s\n")

var rows = ["| mutation | what goes wrong | noticed by | s |", "| --- | --- | --- | --- |"]
var verdicts: [Trial.Verdict] = []
let report = MutationList.root.appending(path: ".build/mutants/report.md")
let start = ContinuousClock.now
for (index, mutation) in chosen.enumerated() {
    let begin = ContinuousClock.now
    let verdict = try Trial(mutation: mutation, checkout: checkout).verdict()
    let seconds = String(format: "%.1f", (ContinuousClock.now - begin) / .seconds(1))
    verdicts.append(verdict)
    say("\(index + 1)/\(chosen.count) \(verdict.isGood ? "✔" : "✘") \(mutation.name) (\(seconds) s): \(verdict.text)")
    rows.append("| `\(mutation.name)` | \(mutation.meaning) | \(verdict.text) | \(seconds) |")
    try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: report)
}

let bad = verdicts.count { !$0.isGood }
let minutes = String(format: "%.1f", (ContinuousClock.now - start) / .seconds(60))
say("\n\(verdicts.count - bad) of \(verdicts.count) mutations were noticed, in \(minutes) minutes; \(report.path)")
if bad > 0 { say("\(bad) were not, or could not be tried") }
exit(bad == 0 ? 0 : 1)
