import PaymentCore
import PaymentTesting

/// One simulated life of some payments: faults, crashes, restarts, two processes and two devices at once, what comes
/// from outside; then everything heals and must come to an end.
package struct History: Sendable {
    /// The number that everything follows from.
    package let seed: UInt64
    /// What it is made of.
    package var variation: Variation

    package init(seed: UInt64, variation: Variation = Variation()) {
        self.seed = seed
        self.variation = variation
    }

    /// Plays it.
    ///
    /// - Parameter isTraced: whether the verdict has a trace.
    package func run(isTraced: Bool = true) -> Verdict {
        let random = SeededRandomSource(seed: seed ^ 0x5EED)
        var faults = SimulatedFaults.drawn(from: random)
        variation.faults(&faults)
        let world = SimulatedWorld(seed: seed, faults: faults, isTraced: isTraced)
        var verdict = Verdict()
        do {
            let life = try Life(world, variation, random)
            defer { life.hangs.release() }
            verdict = try world.run { try await life.verdict() }
        } catch {
            verdict.breaches = ["\(error)"]
        }
        world.end()
        verdict.trace = world.trace
        verdict.seconds = world.elapsed
        return verdict
    }
}
