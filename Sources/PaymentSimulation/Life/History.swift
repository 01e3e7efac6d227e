import PaymentCore
import PaymentTesting

/// One simulated life of some payments: faults, crashes, restarts, two processes and two devices at once, calls from
/// outside; then everything heals and must end.
package struct History: Sendable {
    /// The number that determines everything.
    package let seed: UInt64
    /// The composition of the history.
    package var variation: Variation

    package init(seed: UInt64, variation: Variation) {
        self.seed = seed
        self.variation = variation
    }

    /// Runs the history.
    ///
    /// - Parameter isTraced: true if the verdict has a trace.
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
