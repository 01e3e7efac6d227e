import Foundation
import MutationList

/// One mutation, compiled and tried.
struct Trial {
    /// The result of a trial.
    enum Verdict: Codable, Equatable {
        /// The suites noticed, twice: the first of their failed tests, and its id.
        case killed(by: String, id: String?)
        /// They did not. Other suites are not run: one of thousands of tests can fail for another reason.
        case survived
        /// A test failed, and none the next time.
        case sometimes(String)
        /// No test failed, and they did not end.
        case hung(seconds: Int)
        /// It does not compile, makes the same code, or is seen by files that are not compiled.
        case notTried(String)

        var isNoticed: Bool { if case .killed = self { true } else { false } }

        var text: String {
            switch self {
            case .killed(let test, _): test
            case .survived: "SURVIVED"
            case .sometimes(let test): "ONLY SOMETIMES: \(test)"
            case .hung(let seconds): "HUNG: nothing failed and nothing ended within \(seconds) s"
            case .notTried(let why): "NOT TRIED: \(why)"
            }
        }
    }

    let candidate: Candidate
    let workshop: Workshop
    let worker: Int
    /// Tests that noticed changes nearby, which are asked first.
    let near: [String]

    /// Runs the trial.
    func verdict() throws -> Verdict {
        switch try workshop.build(candidate, worker: worker) {
        case .failed(let why): return .notTried("it does not compile: \(why)")
        case .same: return .notTried("it makes the same code")
        case .interface: return .notTried("it changes what other files see, not only the body of a function")
        case .folder(let folder): return try verdict(in: folder)
        }
    }

    private func verdict(in folder: URL) throws -> Verdict {
        let targets = candidate.targets
        func run(_ names: [String], in folder: URL, within limit: Duration) throws -> Noticed {
            try workshop.test(names, of: targets, in: folder, within: limit).noticed
        }
        var doubtful: String?
        var hung: Verdict?
        // The suite of the file's own name fails where the others may hang.
        let own = try candidate.isGenerated ? workshop.suites(of: candidate) : []
        for (index, suites) in ([own, near] + candidate.stages).enumerated() where !suites.isEmpty {
            // Tests nearby end at once; the others get a time far above their duration, which only hanging ones exceed.
            let limit = index < 2 ? Duration.seconds(45) : try workshop.limit(of: suites, of: targets)
            var found = try run(suites, in: folder, within: limit)
            while case .failed(let test, let id) = found {
                // The test that failed fails alone, and passes without the change.
                let again = try run(id.map { [$0] } ?? suites, in: folder, within: limit)
                if case .failed = again, try id.map({ try workshop.passes($0, of: targets) }) ?? true {
                    return .killed(by: test, id: id)
                }
                if doubtful != nil { return .sometimes(test) }
                doubtful = test
                found = try run(suites, in: folder, within: limit)
            }
            switch found {
            case .outOfTime(let seconds): hung = .hung(seconds: seconds)
            case .notRun(let why): return .notTried("the tests did not run: \(why)")
            case .nothing, .failed: break
            }
        }
        return hung ?? doubtful.map { .sometimes($0) } ?? .survived
    }
}

/// The findings of a run of tests.
enum Noticed: Equatable {
    case nothing
    /// The first test that failed, with its id, or a crash.
    case failed(String, id: String?)
    case outOfTime(seconds: Int)
    case notRun(String)

    /// Reads the output of a run of tests, and its stream of events.
    init(_ tests: Command.Ended, events: URL) {
        for line in tests.output.split(separator: "\n") {
            // An argument that spans lines hides the place.
            guard
                let found = line.firstMatch(
                    of: #/✘ Test (.+?) (?:recorded an issue(?:.*? at ([A-Za-z0-9_+]+)\.swift)?|failed)/#)
            else { continue }
            let suite = found.2.map { "\($0): " } ?? ""
            let name = found.1.replacing(#/ with \d+ (test cases|argument values?.*)$/#, with: "")
            self = .failed(suite + name, id: Self.firstFailed(events))
            return
        }
        self =
            switch tests.ending {
            case .exited(0): tests.output.contains(#/Test run with [1-9]/#) ? .nothing : .notRun("there are none")
            case .exited, .foundEarly: .notRun(String(tests.output.suffix(300)))
            case .signalled(let signal): .failed("a crash (signal \(signal))", id: nil)
            case .outOfTime: .outOfTime(seconds: Int(tests.seconds))
            }
    }

    private struct Event: Decodable {
        struct Payload: Decodable {
            let kind: String?
            let testID: String?
        }
        let kind: String
        let payload: Payload
    }

    /// The id of the first test with an issue, without its place.
    private static func firstFailed(_ events: URL) -> String? {
        let text = (try? String(contentsOf: events, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.contains("issueRecorded") {
            guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)), event.kind == "event",
                event.payload.kind == "issueRecorded", let id = event.payload.testID
            else { continue }
            return id.lastIndex(of: "/").map { String(id[..<$0]) } ?? id
        }
        return nil
    }
}
