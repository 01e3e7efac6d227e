import Foundation
import PaykitProvider
import Testing

@testable import PaykitLaboratory

/// Two wallets, a homeserver between them, and all faults (Protocol 12.8 and 12.9).
@Suite("Private links through troubled times")
struct LinkHistoryTests {
    /// A quarter of the histories that run here; `make simulate-links` runs more, faster, also of the calm ones.
    private static let share = (ProcessInfo.processInfo.environment["LINK_SEEDS"].flatMap { UInt64($0) } ?? 12) / 4

    @Test(
        "Where nothing goes wrong, a request is accepted, paid, proven and receipted, by two who are there half of the time"
    )
    func calm() async throws {
        for seed in 0..<4 as Range<UInt64> {
            #expect(await LinkHistory.calm(seed: seed).breaches == [], "history \(seed)")
        }
    }

    @Test(
        "Whatever is lost, doubled, late or stopped half-way, each request is paid once, and both hold its receipt",
        arguments: 0..<4)
    func troubled(_ part: UInt64) async throws {
        var crashes = 0
        for seed in part * Self.share..<(part + 1) * Self.share {
            let verdict = try await LinkHistory(seed: seed).run()
            #expect(verdict.breaches.isEmpty, "history \(seed)")
            crashes += verdict.crashes
        }
        #expect(crashes > Int(Self.share) / 2)
    }

    @Test("A message of the handshake that a late write removes does not end the link for good")
    func lostHandshake() async throws {
        #expect(try await LinkHistory(seed: 868).run().breaches == [])
    }

    @Test("The same seed plays the same history")
    func repeatable() async throws {
        let first = try await LinkHistory(seed: 7).run()
        let second = try await LinkHistory(seed: 7).run()
        #expect(
            first.crashes == second.crashes && first.requests == second.requests && first.turns == second.turns)
    }
}
