import Foundation
import MutationList
import PaymentCrypto
import Synchronization

/// The mutations that were noticed, kept in a file, so that an interrupted run continues: each with a digest of the
/// changed file and of all that its suites are made from.
final class Verdicts: Sendable {
    private struct Entry: Codable {
        let key: String
        let test: String
        let seconds: Double
    }

    private let file: URL
    private let entries: Mutex<[String: Entry]>

    init(_ file: URL) {
        self.file = file
        let data = (try? Data(contentsOf: file)) ?? Data()
        entries = Mutex((try? JSONDecoder().decode([String: Entry].self, from: data)) ?? [:])
    }

    /// The test that noticed a mutation of this key, and the seconds that it took.
    func test(_ mutation: Mutation, key: String) -> (test: String, seconds: Double)? {
        entries.withLock { $0[mutation.name] }.flatMap { $0.key == key ? ($0.test, $0.seconds) : nil }
    }

    /// Keeps a mutation that was noticed.
    func keep(_ mutation: Mutation, key: String, test: String, seconds: Double) throws {
        try entries.withLock {
            $0[mutation.name] = Entry(key: key, test: test, seconds: seconds)
            try JSONEncoder().encode($0).write(to: file, options: .atomic)
        }
    }

    /// A digest of the changed file, of all that its suites are made from, and of the files that tests read.
    static func key(_ mutation: Mutation, texts: [String: String], needs: [String: [UInt8]], read: [UInt8]) -> String? {
        guard let applied = try? mutation.applied(to: texts) else { return nil }
        var all = Digest.sha256.hash(Array(applied.file.utf8)) + Digest.sha256.hash(Array(applied.text.utf8)) + read
        for suite in mutation.killedBy.sorted() {
            all += Digest.sha256.hash(Array(suite.utf8)) + (needs[mutation.target(of: suite)] ?? [])
        }
        return Base64URL.encode(Digest.sha256.hash(all))
    }
}

extension Mutation {
    /// The target of a suite.
    func target(of suite: String) -> String { String(suite.prefix { $0 != "." }) }
}
