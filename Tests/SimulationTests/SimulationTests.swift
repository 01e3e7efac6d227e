import Foundation
import PaymentCore
import PaymentTesting
import Testing

/// How many histories a run makes.
enum Seeds {
    static let count = ProcessInfo.processInfo.environment["SEEDS"].flatMap { Int($0) } ?? 200
    static let parts = 8

    static func part(_ index: Int) -> Range<UInt64> {
        UInt64(count * index / parts)..<UInt64(count * (index + 1) / parts)
    }

    /// The commit that is tested, when it can be read.
    static let commit: String = {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        func read(_ path: String) -> String? {
            try? String(contentsOf: root.appending(path: ".git/" + path), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let head = read("HEAD") else { return "unknown" }
        return head.hasPrefix("ref: ") ? read(String(head.dropFirst(5))) ?? "unknown" : head
    }()
}

@Suite("Simulation")
struct SimulationTests {
    @Test("Histories with faults and crashes keep every promise", arguments: 0..<Seeds.parts)
    func histories(part: Int) {
        var captures = 0
        var failures = 0
        for seed in Seeds.part(part) {
            let verdict = History(seed: seed).run()
            captures += verdict.captures
            guard !verdict.breaches.isEmpty else { continue }
            failures += 1
            let text = "SEED=\(seed) COMMIT=\(Seeds.commit)\n  " + verdict.breaches.joined(separator: "\n  ")
            Issue.record("\(text)\n\(failures == 1 ? verdict.trace.joined(separator: "\n") : "")")
            if failures == 3 { return }
        }
        #expect(captures > Seeds.part(part).count / 4, "histories in which nothing is paid prove nothing")
    }

    @Test(
        "The same seed gives the same history, five times out of five",
        arguments: [1, 2, 3, 4, 5, 77, 4711] as [UInt64])
    func replay(seed: UInt64) {
        let first = History(seed: seed).run().trace
        #expect(first.count > 10)
        for _ in 0..<4 { #expect(History(seed: seed).run().trace == first) }
        #expect(History(seed: seed &+ 1000).run().trace != first)
    }
}
