import Foundation
import MutationList
import PaymentCrypto
import Synchronization

// Applies the mutations of the list one at a time, beside the quick build, and finds the test of the named suites that
// notices.
//
//     make mutants [MUTANTS=<regular expression over names, places and suites>]

/// Prints a text at once, also to a file.
@Sendable func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Ends the program with a message about the failure.
@Sendable func give(up reason: String) -> Never {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(1)
}

/// A duration since a moment, in seconds.
@Sendable func seconds(since start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start) / .seconds(1) }

/// A digest of the files that tests read while they run.
func digestOfVectors(in root: URL) throws -> [UInt8] {
    var all: [UInt8] = []
    let folder = root.appending(path: "Tests/Vectors")
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
        let data = (try? Data(contentsOf: folder.appending(path: path))) ?? Data()
        all += Digest.sha256.hash(Array(path.utf8)) + Digest.sha256.hash([UInt8](data))
    }
    return all
}

setenv("NO_COLOR", "1", 1)
// Looking up where a program crashed takes many seconds, and is not read here.
setenv("SWIFT_BACKTRACE", "enable=no", 1)
let filter = CommandLine.arguments.dropFirst().first ?? ""
guard let pattern = try? Regex(filter) else { give(up: "'\(filter)' is not a regular expression") }
let chosen = try MutationList.all().filter { mutation in
    filter.isEmpty || ([mutation.name, mutation.place] + mutation.killedBy).contains { $0.contains(pattern) }
}
guard !chosen.isEmpty else { give(up: "no mutation is called '\(filter)'") }

let root = MutationList.root
let plan = try BuildPlan(folder: root.appending(path: ".build/quick"))
let start = ContinuousClock.now

// What was noticed before, of the same code, by the same tests, is not tried again.
let texts = try Workshop.texts(of: root)
var needs: [String: [UInt8]] = [:]
var programs: [String: BuildPlan.Node] = [:]
for target in Set(chosen.flatMap { mutation in mutation.killedBy.map(mutation.target(of:)) }).sorted() {
    let needed = try plan.needs(of: target)
    needs[target] = needed.digest()
    for program in needed.programs { programs[program.outputs.first ?? ""] = program }
}
let read = try digestOfVectors(in: root)
let keys = chosen.map { Verdicts.key($0, texts: texts, needs: needs, read: read) }
let folder = root.appending(path: ".build/mutants")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let verdicts = Verdicts(folder.appending(path: "noticed.json"))
let remaining = chosen.indices.filter { index in
    keys[index].flatMap { verdicts.test(chosen[index], key: $0) } == nil
}
say("\(chosen.count) mutations; \(chosen.count - remaining.count) were noticed in this code before")

let files = Set(remaining.compactMap { try? chosen[$0].applied(to: texts).file })
let workshop = try Workshop(root, plan: plan, files: files, programs: Array(programs.values))
say("compiled file by file and linked in \(Int(seconds(since: start))) s")

let suites = Set(remaining.flatMap { chosen[$0].killedBy }).sorted()
// On a machine with other work a run of some suites may take longer than that of all did.
var durationOfAll = 0.0
if !suites.isEmpty {
    let tests = try workshop.tests()
    for suite in suites where !tests.contains(where: { $0.hasPrefix(suite + "/") || $0.hasPrefix(suite + ".") }) {
        give(up: "there is no suite \(suite)")
    }
    let sound = try workshop.test(suites, within: .seconds(1800))
    guard Trial.noticed(sound) == .nothing else {
        give(up: "without any change a test fails: \(Trial.noticed(sound))")
    }
    durationOfAll = sound.seconds
    say("\(suites.count) suites notice nothing without a change, in \(Int(sound.seconds)) s\n")
}

// As many at once as there are processors: a compiler and most suites use one.
let limit = Duration.seconds(60 + 2 * durationOfAll)
let queue = Mutex(ArraySlice(remaining))
let results = Mutex([Int: (verdict: Trial.Verdict, seconds: Double)]())
let begin = ContinuousClock.now
let workers = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8)
DispatchQueue.concurrentPerform(iterations: workers) { worker in
    while let index = queue.withLock({ $0.popFirst() }) {
        let moment = ContinuousClock.now
        do {
            let mutation = chosen[index]
            let verdict = try Trial(mutation: mutation, workshop: workshop, worker: worker, limit: limit).verdict()
            try workshop.checkUntouched()
            let duration = seconds(since: moment)
            if case .killed(let test) = verdict, let key = keys[index] {
                try verdicts.keep(mutation, key: key, test: test, seconds: duration)
            }
            let count = results.withLock {
                $0[index] = (verdict, duration)
                return $0.count
            }
            let mark = verdict.isGood ? "✔" : "✘"
            let time = String(format: "%.1f", duration)
            say("\(count)/\(remaining.count) \(mark) \(mutation.name) (\(time) s): \(verdict.text)")
        } catch {
            give(up: "\(chosen[index].name): \(error)")
        }
    }
}
let elapsed = seconds(since: begin)

var rows = ["| mutation | what goes wrong | noticed by | s |", "| --- | --- | --- | --- |"]
var noticed = 0
for (index, mutation) in chosen.enumerated() {
    let before = keys[index].flatMap { verdicts.test(mutation, key: $0) }
    let result = results.withLock { $0[index] }
    if before != nil { noticed += 1 }
    let text = before?.test ?? result?.verdict.text ?? ""
    let time = String(format: "%.1f", before?.seconds ?? result?.seconds ?? 0)
    rows.append("| `\(mutation.name)` | \(mutation.meaning) | \(text) | \(time) |")
}
let report = folder.appending(path: "report.md")
try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: report)
let each = remaining.isEmpty ? "" : String(format: ", %.1f s each", elapsed / Double(remaining.count))
say("\n\(noticed) of \(chosen.count) mutations were noticed; \(remaining.count) were tried now\(each); \(report.path)")
if noticed < chosen.count { say("\(chosen.count - noticed) were not, or could not be tried") }
exit(noticed == chosen.count ? 0 : 1)
