import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto

/// One history of two wallets that are online half of the time, over a homeserver that loses, doubles and delays, with
/// processes that stop anywhere: the payer pays each request once, and both hold the receipt at the end.
package struct LinkHistory: Sendable {
    package let seed: UInt64
    /// The fault rate, in percent of the usual one.
    package let trouble: UInt64

    /// The result of a history.
    package struct Verdict: Sendable {
        package let seed: UInt64
        package var breaches: [String] = []
        package var payments = 0
        package var crashes = 0
        package var requests = 0
        package var turns = 0

        package init(seed: UInt64) { self.seed = seed }
    }

    /// The number of turns with faults; afterwards everything has to complete.
    private static let troubled = 60
    private static let most = 600

    package init(seed: UInt64, trouble: UInt64 = 100) {
        self.seed = seed
        self.trouble = trouble
    }

    /// Runs the history to its end. A history that throws is a breach.
    package func verdict() async -> Verdict {
        do { return try await run() } catch {
            var verdict = Verdict(seed: seed)
            verdict.breaches = ["the history stopped: \(error)"]
            return verdict
        }
    }

    /// Runs a history in which nothing goes wrong. One without a payment, with more than three or with a crash is a
    /// breach.
    package static func calm(seed: UInt64) async -> Verdict {
        var verdict = await LinkHistory(seed: seed, trouble: 0).verdict()
        if verdict.crashes > 0 { verdict.breaches.append("a calm history crashed") }
        if !(1...3 ~= verdict.payments) {
            verdict.breaches.append("a calm history had \(verdict.payments) payments; it should have one to three")
        }
        return verdict
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
