import Foundation
import MutationList

/// One mutation, compiled and tried.
struct Trial {
    /// The result of a trial.
    enum Verdict: Equatable {
        /// The named suites noticed, twice: the first of their failed tests.
        case killed(by: String)
        /// They did not. Other suites are not run: one of thousands of tests can fail for another reason.
        case survived
        /// A test failed, and none the next time.
        case sometimes(String)
        /// No test failed, and they did not end.
        case hung(seconds: Int)
        case notTried(String)

        var isGood: Bool { if case .killed = self { true } else { false } }

        var text: String {
            switch self {
            case .killed(let test): test
            case .survived: "SURVIVED"
            case .sometimes(let test): "ONLY SOMETIMES: \(test)"
            case .hung(let seconds): "HUNG: nothing failed and nothing ended within \(seconds) s"
            case .notTried(let why): "NOT TRIED: \(why)"
            }
        }
    }

    let mutation: Mutation
    let workshop: Workshop
    let worker: Int
    /// The time limit of the named suites: far above their duration, so that only hanging tests exceed it.
    let limit: Duration

    /// Runs the trial.
    func verdict() throws -> Verdict {
        let applied: Mutation.Applied
        do { applied = try mutation.applied(to: workshop.texts) } catch { return .notTried("\(error)") }
        switch try workshop.build(applied, worker: worker) {
        case .failed(let why): return .notTried("it does not compile: \(why)")
        case .same: return .notTried("it makes the same code")
        case .interface: return .notTried("it changes what other files see, not only the body of a function")
        case .folder(let folder):
            let first = Self.noticed(try workshop.test(mutation.killedBy, in: folder, within: limit))
            guard case .failed(let test) = first else { return Self.unnoticed(first) }
            let second = Self.noticed(try workshop.test(mutation.killedBy, in: folder, within: limit))
            if case .failed = second { return .killed(by: test) }
            return second == .nothing ? .sometimes(test) : Self.unnoticed(second)
        }
    }

    private static func unnoticed(_ found: Noticed) -> Verdict {
        switch found {
        case .nothing, .failed: .survived
        case .outOfTime(let seconds): .hung(seconds: seconds)
        case .notRun(let why): .notTried("the tests did not run: \(why)")
        }
    }

    /// The findings of a run of tests.
    enum Noticed: Equatable {
        case nothing
        /// The first test that failed, or a crash.
        case failed(String)
        case outOfTime(seconds: Int)
        case notRun(String)
    }

    /// Reads the output of a run of tests.
    static func noticed(_ tests: Command.Ended) -> Noticed {
        for line in tests.output.split(separator: "\n") {
            // An argument that spans lines hides the place.
            guard
                let found = line.firstMatch(
                    of: #/✘ Test (.+?) (?:recorded an issue(?:.*? at ([A-Za-z0-9_+]+)\.swift)?|failed)/#)
            else { continue }
            let suite = found.2.map { "\($0): " } ?? ""
            return .failed(suite + found.1.replacing(#/ with \d+ (test cases|argument values?.*)$/#, with: ""))
        }
        return switch tests.ending {
        case .exited(0): tests.output.contains(#/Test run with [1-9]/#) ? .nothing : .notRun("there are none")
        case .exited, .foundEarly: .notRun(String(tests.output.suffix(300)))
        case .signalled(let signal): .failed("a crash (signal \(signal))")
        case .outOfTime: .outOfTime(seconds: Int(tests.seconds))
        }
    }
}
