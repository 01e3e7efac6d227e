import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import Testing

@Suite("Simulated world")
struct WorldTests {
    private actor Counter {
        var order: [Int] = []
        func add(_ number: Int) { order.append(number) }
    }

    private static func order(_ seed: UInt64) throws -> [Int] {
        try SimulatedWorld(seed: seed).run {
            let counter = Counter()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { await counter.add(number) } }
            }
            return await counter.order
        }
    }

    @Test("Another seed is another order; the same seed is the same")
    func orders() throws {
        var seen: Set<[Int]> = []
        for seed in 0..<50 as Range<UInt64> {
            let order = try Self.order(seed)
            #expect(order.sorted() == Array(0..<8))
            for _ in 0..<4 { #expect(try Self.order(seed) == order) }
            seen.insert(order)
        }
        #expect(seen.count > 40)
    }

    @Test("Years pass in no time, in order")
    func time() throws {
        let world = SimulatedWorld(seed: 1)
        let counter = Counter()
        try world.run {
            await withTaskGroup(of: Void.self) { group in
                for number in [3, 1, 2] {
                    group.addTask {
                        try? await world.clock.sleep(for: .seconds(number * 31_536_000))
                        await counter.add(number)
                    }
                }
            }
        }
        #expect(try world.run { await counter.order } == [1, 2, 3])
        #expect(world.elapsed == 3 * 31_536_000)
    }

    @Test("Waiting for an event that never happens, and never ending, are reported")
    func stalls() {
        let world = SimulatedWorld(seed: 9)
        #expect(throws: SimulationError.endless(seed: 9, steps: 1000)) {
            try world.run(steps: 1000) {
                while !Task.isCancelled { try await world.clock.sleep(for: .seconds(1)) }
            }
        }
    }

    @Test("A crash cuts off everything, and leaves what was durable")
    func crash() throws {
        let world = SimulatedWorld(seed: 3)
        let process = world.start()
        process.crash()
        try world.run {
            await #expect(throws: (any Error).self) { try await process.journal.unfinished() }
            await #expect(throws: (any Error).self) { try await process.clock.sleep(for: .seconds(1)) }
            let request = HTTPRequest(.get, try HTTPURL("https://a.example"))
            await #expect(throws: TransportError.self) { try await process.transport.send(request) }
        }
        #expect(world.requests.isEmpty)
        #expect(world.disk.histories.isEmpty)
    }

    @Test("One process dies alone; without power all do")
    func deaths() throws {
        let world = SimulatedWorld(seed: 3)
        let (first, second, third) = (world.start(), world.start(crashingAt: 0), world.start())
        first.crash()
        #expect(first.isDead && !second.isDead && !third.isDead)
        let lease = PaymentLease(
            payment: PaymentReference(provider: "a", id: "p"), holder: "h", duration: .seconds(1))
        try world.run {
            _ = try await second.journal.unfinished()
            await #expect(throws: (any Error).self) { try await second.journal.release(lease) }
        }
        #expect(second.isDead && third.isDead)
    }

    @Test("A process that is stopped does nothing until it continues")
    func stops() throws {
        let world = SimulatedWorld(seed: 3)
        let (stopped, other) = (world.start(), world.start())
        stopped.sleep(for: .seconds(1000))
        try world.run {
            _ = try await other.journal.unfinished()
            #expect(world.elapsed < 1)
            _ = try await stopped.journal.unfinished()
            #expect(world.elapsed >= 1000)
        }
    }
}
