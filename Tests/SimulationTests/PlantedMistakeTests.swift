import Simulation
import Testing

/// Proves that the simulator finds mistakes: each is planted from outside and must be caught.
@Suite("Planted mistakes")
struct PlantedMistakeTests {
    @Test("Is found within 10,000 histories", arguments: Mistake.all.indices)
    func found(index: Int) {
        let mistake = Mistake.all[index]
        #expect(mistake.found(in: 0..<10_000) != nil, "nobody noticed that \(mistake.name)")
    }

    @Test("The same histories without the mistake are sound", arguments: Mistake.controls.indices)
    func control(index: Int) {
        for (seed, breaches) in Campaign(seeds: 0..<100, threads: 1, variation: Mistake.controls[index]).run().failures
        {
            Issue.record("seed \(seed): \(breaches)")
        }
    }

    @Test("A record that is missing when the request leaves is noticed at once")
    func uncovered() {
        let verdicts = (0..<20 as Range<UInt64>).map { seed in
            History(seed: seed, variation: Mistake.uncovered).run(isTraced: false)
        }
        #expect(verdicts.contains { $0.breaches.contains { $0.contains("left before its step was durable") } })
    }
}
