import BitcoinLaboratory
import Foundation
import PaymentSimulation
import Testing

/// Histories of payments from a simulated node of any kind, with faults, crashes and several processes.
/// `make simulate-wallets` plays more, and `make simulate-mistakes` plants mistakes in them.
@Suite("Wallets through troubled times")
struct WalletSimulationTests {
    /// A quarter of the histories that run here.
    private static let share = (ProcessInfo.processInfo.environment["WALLET_SEEDS"].flatMap { UInt64($0) } ?? 40) / 4
    private static let wallet = Variation.wallet(BitcoinMarket.maker())

    @Test("Invoices are paid once, and nothing false is stated", arguments: 0..<4 as Range<UInt64>)
    func histories(part: UInt64) {
        let seeds = part * Self.share..<(part + 1) * Self.share
        let totals = Campaign(seeds: seeds, threads: 1, variation: Self.wallet).run()
        for (seed, breaches) in totals.failures {
            Issue.record("history \(seed)\n  \(breaches.joined(separator: "\n  "))")
        }
        #expect(totals.captures > 0 && totals.captures < totals.payments && totals.processes > totals.histories * 2)
    }

    @Test("The same seed gives the same history, with orders in a real file", arguments: [2, 5, 6] as [UInt64])
    func replay(seed: UInt64) {
        let trace = History(seed: seed, variation: Self.wallet).run().trace
        #expect(trace.contains { $0.contains("the node sends a payment") })
        #expect(History(seed: seed, variation: Self.wallet).run().trace == trace)
    }
}
