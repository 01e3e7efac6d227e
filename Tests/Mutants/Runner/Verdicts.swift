import Foundation
import MutationList
import PaymentCrypto
import Synchronization

/// The verdicts on mutations, kept in a file, so that an interrupted run continues: each with a digest of the changed
/// file and of all that its suites are made from.
final class Verdicts: Sendable {
    /// A kept verdict.
    struct Entry: Codable {
        let key: String
        let verdict: Trial.Verdict
        let file: String
        let line: Int
        let seconds: Double
    }

    private let file: URL
    private let entries: Mutex<[String: Entry]>

    init(_ file: URL) {
        self.file = file
        let data = (try? Data(contentsOf: file)) ?? Data()
        entries = Mutex((try? JSONDecoder().decode([String: Entry].self, from: data)) ?? [:])
    }

    /// The last verdict on a mutation, whatever code it was about.
    func last(of candidate: Candidate) -> Entry? { entries.withLock { $0[candidate.name] } }

    /// The verdict on a mutation of these keys. What a chosen mutation came to is kept only if it was noticed.
    func entry(of candidate: Candidate, keys: Keys) -> Entry? {
        guard let entry = last(of: candidate), entry.key == keys.key(of: entry.verdict) else { return nil }
        return candidate.isGenerated || entry.verdict.isNoticed ? entry : nil
    }

    /// Keeps a verdict.
    func keep(_ candidate: Candidate, keys: Keys, verdict: Trial.Verdict, seconds: Double) throws {
        let entry = Entry(
            key: keys.key(of: verdict), verdict: verdict, file: candidate.file, line: candidate.line, seconds: seconds)
        try entries.withLock {
            $0[candidate.name] = entry
            try JSONEncoder().encode($0).write(to: file, options: .atomic)
        }
    }

    /// The tests that noticed changes of the nearest lines of a file, the nearest first.
    func tests(near candidate: Candidate, atMost count: Int) -> [String] {
        let near = entries.withLock { $0.values.filter { $0.file == candidate.file } }
            .sorted { abs($0.line - candidate.line) < abs($1.line - candidate.line) }
        var tests: [String] = []
        for case .killed(_, let id?) in near.map(\.verdict) where !tests.contains(id) && tests.count < count {
            tests.append(id)
        }
        return tests
    }

    /// The state of the code that a verdict is about.
    struct Keys: Sendable {
        /// Of the changed file and of what its module is made from.
        let module: String
        /// Of that and of all that its suites are made from, and of the files that tests read.
        let suites: String

        init(_ candidate: Candidate, module: [UInt8], needs: [String: [UInt8]], read: [UInt8]) {
            let changed =
                Digest.sha256.hash(Array(candidate.file.utf8)) + Digest.sha256.hash(Array(candidate.text.utf8))
            var all = changed + read
            for suite in candidate.stages.joined() { all += Digest.sha256.hash(Array(suite.utf8)) }
            for target in candidate.targets.sorted() { all += needs[target] ?? [] }
            self.module = Base64URL.encode(Digest.sha256.hash(changed + module))
            suites = Base64URL.encode(Digest.sha256.hash(all))
        }

        func key(of verdict: Trial.Verdict) -> String {
            if case .notTried = verdict { module } else { suites }
        }
    }
}
