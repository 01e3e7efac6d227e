import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto

/// One history of two wallets that are there half of the time, over a homeserver that loses, doubles and delays, with
/// processes that stop anywhere: who is asked pays once, and both hold the receipt in the end.
package struct LinkHistory: Sendable {
    package let seed: UInt64
    /// How much goes wrong, in percent of the usual.
    package let trouble: UInt64

    /// What came of it.
    package struct Verdict: Sendable {
        package let seed: UInt64
        package var breaches: [String] = []
        package var payments = 0
        package var crashes = 0
        package var requests = 0
        package var turns = 0

        package init(seed: UInt64) { self.seed = seed }
    }

    /// So many turns have trouble; afterwards everything has to come to its end.
    private static let troubled = 60
    private static let most = 600

    package init(seed: UInt64, trouble: UInt64 = 100) {
        self.seed = seed
        self.trouble = trouble
    }

    /// Plays it to its end. A history that stops is a breach.
    package func verdict() async -> Verdict {
        do { return try await run() } catch {
            var verdict = Verdict(seed: seed)
            verdict.breaches = ["the history stopped: \(error)"]
            return verdict
        }
    }

    package func run() async throws -> Verdict {
        let world = try await LinkWorld(seed: seed, trouble: trouble)
        var verdict = Verdict(seed: seed)
        for turn in 0..<Self.most {
            if turn == Self.troubled { await world.calm() }
            let isDone = turn > Self.troubled ? try await world.isDone() : false
            if isDone { break }
            verdict.turns = turn
            await world.turn(&verdict)
        }
        try await world.judge(&verdict)
        return verdict
    }
}
