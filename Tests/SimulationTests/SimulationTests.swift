import Foundation
import PaymentSimulation
import PaymentTesting
import TestSupport
import Testing
import VendorSimulation

/// The number of histories in a run. These are few: `.ci/run` plays ten thousand in release.
private enum Seeds {
    static let count = ProcessInfo.processInfo.environment["SEEDS"].flatMap { UInt64($0) } ?? 200
    static let parts: UInt64 = 8

    static func part(_ index: UInt64) -> Range<UInt64> { count * index / parts..<count * (index + 1) / parts }
}

@Suite("Simulation")
struct SimulationTests {
    @Test("Histories with faults and crashes keep every promise", arguments: 0..<Seeds.parts)
    func histories(part: UInt64) {
        let totals = Campaign(seeds: Seeds.part(part), threads: 1).run()
        for (seed, breaches) in totals.failures {
            Issue.record("\(Replay.hint(seed))\n  \(breaches.joined(separator: "\n  "))")
        }
        #expect(totals.captures > totals.histories / 2, "histories in which nothing is paid prove nothing")
        #expect(totals.processes > totals.histories * 2)
    }

    @Test("People who cannot be paid, or change how, are paid once or not at all", arguments: 0..<Seeds.parts)
    func payees(part: UInt64) {
        var variation = Variation()
        variation.markets = MarketMaker.paykit
        let totals = Campaign(seeds: Seeds.part(part), threads: 1, variation: variation).run()
        for (seed, breaches) in totals.failures {
            Issue.record("seed \(seed)\n  \(breaches.joined(separator: "\n  "))")
        }
        #expect(totals.captures > totals.histories / 2 && totals.captures < totals.payments)
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

    @Test("Another process replays the same history, byte for byte", arguments: [6, 43290])
    func otherProcess(seed: UInt64) async throws {
        let program = try #require(Program.url("Simulate"))
        let outputs = try await [
            Program.run("--seed", "\(seed)", executable: program),
            Program.run("--seed", "\(seed)", executable: program),
        ].map(\.output)
        let trace = History(seed: seed).run().trace.joined(separator: "\n")
        #expect(outputs[0].hasPrefix(trace + "\n"))
        #expect(outputs[0] == outputs[1])
        #expect(outputs[0].contains("SEED=\(seed) COMMIT=\(Replay.commit)"))
    }

    @Test("Whether it is written down changes nothing")
    func untraced() {
        for seed in 0..<20 as Range<UInt64> {
            let (traced, silent) = (History(seed: seed).run(), History(seed: seed).run(isTraced: false))
            #expect(silent.trace.isEmpty)
            #expect(silent.seconds == traced.seconds && silent.captures == traced.captures)
        }
    }
}
