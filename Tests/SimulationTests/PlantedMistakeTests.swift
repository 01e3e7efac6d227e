import PaymentSimulation
import Testing
import VendorSimulation

/// Proves that the simulator finds mistakes: each is planted from outside and must be caught. `make simulate-mistakes`
/// looks for the slow ones, in release, with all others and with more histories without mistakes.
@Suite("Planted mistakes")
struct PlantedMistakeTests {
    @Test("Is found within 300 histories", arguments: Mistake.all.indices.filter { !Mistake.all[$0].isSlow })
    func found(index: Int) {
        let mistake = Mistake.all[index]
        #expect(mistake.found(in: 0..<300) != nil, "not noticed: \(mistake.name)")
    }

    @Test("Nearly all of them are looked for here")
    func slow() {
        #expect(Mistake.all.count >= 40)
        #expect(Mistake.all.count(where: \.isSlow) <= 13)
    }

    @Test("The same histories without the mistake are sound", arguments: Mistake.controls.indices)
    func control(index: Int) {
        for (seed, breaches) in Campaign(seeds: 0..<25, threads: 1, variation: Mistake.controls[index]).run().failures {
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
