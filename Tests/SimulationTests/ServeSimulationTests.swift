import Foundation
import PaymentSimulation
import Testing
import VendorSimulation

/// Histories of applications that pay over `payroute serve`, with faults, crashes and other programs at its journal.
/// `make simulate-serve` plays more, and `make simulate-mistakes` plants mistakes in them.
@Suite("serve through troubled times")
struct ServeSimulationTests {
    /// A quarter of the histories of each kind that run here.
    private static let share = (ProcessInfo.processInfo.environment["SERVE_SEEDS"].flatMap { UInt64($0) } ?? 24) / 4

    @Test(
        "Keys are paid once, by their own terms, and nothing false is stated of them",
        arguments: 0..<4 as Range<UInt64>, [true, false])
    func histories(part: UInt64, hasWallet: Bool) {
        let seeds = part * Self.share..<(part + 1) * Self.share
        let totals = Campaign(seeds: seeds, threads: 1, variation: hasWallet ? .servedFromWallet : .served).run()
        for (seed, breaches) in totals.failures {
            Issue.record("history \(seed)\n  \(breaches.joined(separator: "\n  "))")
        }
        #expect(totals.payments > 0 && totals.processes > totals.histories * 2)
    }

    @Test("The same seed gives the same history, with the keys of a server", arguments: [1, 6, 9] as [UInt64])
    func replay(seed: UInt64) {
        for variation in [Variation.served, .servedFromWallet] {
            let trace = History(seed: seed, variation: variation).run().trace
            #expect(trace.contains { $0.contains("POST /v1/payments") })
            #expect(History(seed: seed, variation: variation).run().trace == trace)
        }
    }
}
