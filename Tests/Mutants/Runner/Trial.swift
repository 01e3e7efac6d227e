import Foundation
import MutationList

/// One mutation, built and tried.
struct Trial {
    /// What became of it.
    enum Verdict: Equatable {
        /// The expected tests noticed: the first of them.
        case killed(by: String)
        /// Only others did, or the simulator: the list names the wrong suites.
        case killedElsewhere(by: String)
        /// Nobody noticed.
        case survived
        case doesNotApply(String)
        case doesNotBuild(String)

        var isGood: Bool {
            switch self {
            case .killed, .killedElsewhere: true
            case .survived, .doesNotApply, .doesNotBuild: false
            }
        }

        var text: String {
            switch self {
            case .killed(let test): test
            case .killedElsewhere(let test): "ELSEWHERE: \(test)"
            case .survived: "SURVIVED"
            case .doesNotApply(let why): "DOES NOT APPLY: \(why)"
            case .doesNotBuild(let why): "DOES NOT BUILD: \(why)"
            }
        }
    }

    /// How long the expected tests may take.
    private static let limit = Duration.seconds(120)
    /// How long all tests may take, and the simulator.
    private static let longLimit = Duration.seconds(900)
    /// As many histories as a debug build plays in a minute.
    private static let histories = 1000

    let mutation: Mutation
    let checkout: Checkout
    /// Whether only the expected tests are run.
    let isQuick: Bool

    /// Tries it and sets the line back.
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
        let expected = try checkout.test(mutation.killedBy, within: Self.limit)
        if let test = Self.noticed(expected) { return .killed(by: test) }
        if isQuick { return .survived }
        let all = try checkout.test([], within: Self.longLimit)
        if let test = Self.noticed(all) { return .killedElsewhere(by: test) }
        let simulator = try checkout.simulate(Self.histories, within: Self.longLimit)
        if !simulator.ending.isGood { return .killedElsewhere(by: "the simulator, \(Self.time(simulator))") }
        return .survived
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

    private static func time(_ command: Command.Ended) -> String {
        command.ending == .outOfTime ? "which did not end" : "after \(Int(command.seconds)) s"
    }

    static func firstError(_ output: String) -> String {
        output.split(separator: "\n").first { $0.contains("error:") }.map(String.init) ?? "see the build's output"
    }
}
