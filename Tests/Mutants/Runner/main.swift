import Foundation
import MutationList
import PaymentCrypto
import Synchronization

// Applies mutations one at a time, beside the quick build, and finds the test that notices: the chosen ones of
// `Tests/Mutants/Lines`, or generated ones.
//
//     make mutants [MUTANTS=<regular expression over names, files and suites>]
//     make mutants GENERATED=1 | DRAW=1000 SEED=today | CHANGED=1 [BASE=commit] | SURVIVORS=1

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

/// The mutations that are asked for, in the order in which they are tried, and those that are known to change nothing.
func candidates(_ options: Options, texts: [String: String], verdicts: Verdicts) throws -> [Candidate] {
    let pattern = try Regex(options.filter)
    func isWanted(_ candidate: Candidate) -> Bool {
        options.filter.isEmpty
            || ([candidate.name, candidate.file] + candidate.stages.joined()).contains { $0.contains(pattern) }
    }
    guard options.isGenerated else {
        return try MutationList.all().map { mutation in
            do { return try Candidate(mutation, of: texts) } catch { give(up: "\(mutation.name): \(error)") }
        }.filter(isWanted)
    }
    var generated = try MutationList.generated(from: texts)
    if let base = options.base {
        guard let changed = try ChangedLines(since: base, in: MutationList.root) else {
            say("0 of 0 mutations: there is no earlier commit here to compare with, as in a shallow clone")
            exit(0)
        }
        say("compared with \(changed.base)")
        generated = generated.filter(changed.touch)
        if generated.isEmpty {
            say("0 of 0 mutations: no line that decides about money was changed since \(changed.base)")
            exit(0)
        }
    }
    let equivalent = Set(try EquivalentMutation.all().map(\.name))
    let folders = try MutatedFolder.all()
    let all = generated.compactMap { mutation -> Candidate? in
        guard !equivalent.contains(mutation.name), let folder = folders.first(where: { $0.holds(mutation.file) })
        else { return nil }
        return Candidate(mutation, of: texts, in: folder)
    }.filter { candidate in
        guard isWanted(candidate) else { return false }
        guard options.onlySurvivors else { return true }
        return switch verdicts.last(of: candidate)?.verdict {
        case .survived, .hung, .sometimes: true
        default: false
        }
    }
    guard options.draw != nil else { return all }
    return all.map { (GeneratedMutation.digest("\(options.seed) \($0.name)"), $0) }
        .sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }.map(\.1)
}

setenv("NO_COLOR", "1", 1)
// Looking up where a program crashed takes many seconds, and is not read here.
setenv("SWIFT_BACKTRACE", "enable=no", 1)
let interruptions = Command.endWithChildren(on: [SIGINT, SIGTERM])
let start = ContinuousClock.now
let root = MutationList.root
let folder = root.appending(path: ".build/mutants")
do {
    let options = try Options(CommandLine.arguments.dropFirst())
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let verdicts = Verdicts(folder.appending(path: "verdicts.json"))
    let texts = try Workshop.texts(of: root)
    // A draw counts what compiles and makes other code: about two of three.
    let draw = options.draw ?? .max
    let chosen = try Array(
        candidates(options, texts: texts, verdicts: verdicts).prefix(options.draw.map { 2 * $0 } ?? .max))
    guard !chosen.isEmpty else {
        guard options.base != nil else { give(up: "there is no such mutation") }
        say("0 of 0 mutations: the changed lines have none that a test could notice")
        exit(0)
    }

    // What is known of the same code, by the same tests, is not tried again.
    let plan = try BuildPlan(folder: root.appending(path: ".build/quick"))
    var needs: [String: [UInt8]] = [:]
    var programs: [String: [BuildPlan.Node]] = [:]
    for target in chosen.reduce(into: Set<String>(), { $0.formUnion($1.targets) }).sorted() {
        let needed = try plan.needs(of: target)
        needs[target] = needed.digest()
        programs[target] = needed.programs
    }
    var made: [String: [UInt8]] = [:]
    let read = try digestOfVectors(in: root)
    let keys = try chosen.map { candidate in
        let module = plan.module(of: root.appending(path: candidate.file).path) ?? ""
        if made[module] == nil { made[module] = module.isEmpty ? [] : try plan.needs(of: module).digest() }
        return Verdicts.Keys(candidate, module: made[module] ?? [], needs: needs, read: read)
    }
    let trials = Trials(
        chosen, draw: draw,
        known: { options.onlySurvivors ? nil : verdicts.entry(of: chosen[$0], keys: keys[$0])?.verdict })
    let count = trials.isDrawn ? "up to \(draw)" : "\(chosen.count)"
    say("\(count) mutations; \(trials.known) were tried in this code before")

    let (table, begun) = (folder.appending(path: "report.md"), start)
    let report: @Sendable () throws -> Void = {
        try Report(chosen, trials: trials).write(to: table, after: seconds(since: begun))
    }
    if let limit = options.limit {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit + Options.grace) {
            trials.close()
            try? report()
            Command.endChildren()
            exit(trials.areAllNoticed ? 0 : 1)
        }
    }

    if trials.remain {
        let workshop = try Workshop(
            root, plan: plan, files: Set(trials.remaining.map { chosen[$0].file }), programs: programs, needs: needs)
        say("compiled file by file and linked in \(Int(seconds(since: start))) s")
        if !options.isGenerated {
            let suites = Set(trials.remaining.flatMap { chosen[$0].stages.joined() }).sorted()
            let targets = Set(suites.map { String($0.prefix { $0 != "." }) })
            let names = try workshop.names(of: targets)
            for suite in suites where !names.contains(where: { $0.hasPrefix(suite + "/") || $0.hasPrefix(suite + ".") })
            {
                give(up: "there is no suite \(suite)")
            }
            let duration = try workshop.check(suites, of: targets)
            say("\(suites.count) suites notice nothing without a change, in \(Int(duration)) s\n")
        }
        // As many at once as there are processors: a compiler and most suites use one.
        let workers = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 8)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            while options.limit.map({ seconds(since: start) < $0 }) ?? true, let index = trials.next() {
                let moment = ContinuousClock.now
                let candidate = chosen[index]
                do {
                    let near = candidate.isGenerated ? verdicts.tests(near: candidate, atMost: 4) : []
                    let verdict = try Trial(candidate: candidate, workshop: workshop, worker: worker, near: near)
                        .verdict()
                    guard !trials.isClosed else { return }
                    try workshop.checkUntouched()
                    let duration = seconds(since: moment)
                    try verdicts.keep(candidate, keys: keys[index], verdict: verdict, seconds: duration)
                    let count = trials.end(index, verdict)
                    if candidate.isGenerated, case .notTried = verdict { continue }
                    let time = String(format: "%.1f", duration)
                    say("\(count) \(verdict.isNoticed ? "✔" : "✘") \(candidate.name) (\(time) s): \(verdict.text)")
                    if candidate.isGenerated, !verdict.isNoticed { say("    \(candidate.meaning)") }
                } catch {
                    guard !trials.isClosed else { return }
                    give(up: "\(candidate.name): \(error)")
                }
            }
        }
    }
    try report()
    exit(trials.areAllNoticed ? 0 : 1)
} catch {
    give(up: "\(error)")
}
