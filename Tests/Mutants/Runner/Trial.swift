import Foundation
import MutationList

/// One mutation, built and tried.
struct Trial {
    /// The result of a trial.
    enum Verdict: Equatable {
        /// The named suites noticed: the first of their failed tests.
        case killed(by: String)
        /// They did not. Other suites are not run: one of thousands of tests can fail for another reason.
        case survived
        case doesNotApply(String)
        case doesNotBuild(String)

        var isGood: Bool {
            switch self {
            case .killed: true
            case .survived, .doesNotApply, .doesNotBuild: false
            }
        }

        var text: String {
            switch self {
            case .killed(let test): test
            case .survived: "SURVIVED"
            case .doesNotApply(let why): "DOES NOT APPLY: \(why)"
            case .doesNotBuild(let why): "DOES NOT BUILD: \(why)"
            }
        }
    }

    /// The time limit of the named suites: many times their duration, so that only hanging tests exceed it.
    private static let limit = Duration.seconds(300)

    let mutation: Mutation
    let checkout: Checkout

    /// Runs the trial and restores the line.
    func verdict() throws -> Verdict {
        let applied: Mutation.Applied
        do { applied = try mutation.applied(to: try checkout.texts()) } catch { return .doesNotApply("\(error)") }
        let sound = try checkout.text(of: applied.file)
        try checkout.write(applied.text, to: applied.file)
        let verdict = Result { try judged() }
        try checkout.write(sound, to: applied.file)
        return try verdict.get()
    }

    private func judged() throws -> Verdict {
        let build = try checkout.build()
        guard build.ending.isGood else { return .doesNotBuild(Self.firstError(build.output)) }
        let tests = try checkout.test(mutation.killedBy, within: Self.limit)
        return Self.noticed(tests).map { .killed(by: $0) } ?? .survived
    }

    /// The first test that failed; nil when none did.
    static func noticed(_ tests: Command.Ended) -> String? {
        if tests.ending.isGood { return nil }
        if tests.ending == .outOfTime { return "TIME: nothing ended within \(Int(tests.seconds)) s" }
        var names: [String] = []
        for line in tests.output.split(separator: "\n") {
            guard
                let found = line.firstMatch(
                    of: #/✘ Test (.+?) (?:recorded an issue .*?at ([A-Za-z0-9_+]+)\.swift|failed)/#)
            else { continue }
            let suite = found.2.map { "\($0): " } ?? ""
            names.append(suite + found.1.replacing(#/ with \d+ (test cases|argument values?.*)$/#, with: ""))
        }
        return names.first ?? "a crash (\(tests.ending))"
    }

    static func firstError(_ output: String) -> String {
        output.split(separator: "\n").first { $0.contains("error:") }.map(String.init) ?? "see the build's output"
    }
}
