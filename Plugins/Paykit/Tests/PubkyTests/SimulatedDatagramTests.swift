import PaykitProvider
import PaykitSandbox
import PaymentTesting
import Testing

@Suite("Simulated datagrams")
struct SimulatedDatagramTests {
    private static let here = DatagramAddress(192, 0, 2, 1, port: 7)
    private static let there = DatagramAddress(192, 0, 2, 2, port: 7)

    /// Sends a hundred datagrams and returns those that arrive within a minute, with their delays.
    private func send(_ faults: DatagramFaults, seed: UInt64 = 1) throws -> [(bytes: [UInt8], after: Double)] {
        let world = SimulatedWorld(seed: seed, isTraced: false)
        return try world.run {
            let network = SimulatedDatagrams(in: world, faults: faults)
            let sender = try await network.machine(at: Self.here).open(Self.here)
            let receiver = try await network.machine(at: Self.there).open(.any)
            for number in 0..<100 as Range<UInt8> { try await sender.send([number, 0], to: receiver.localAddress) }
            var arrived: [(bytes: [UInt8], after: Double)] = []
            while let datagram = try await receiver.receive(within: .seconds(60), clock: world.clock) {
                #expect(datagram.sender == Self.here)
                arrived.append((datagram.bytes, world.elapsed))
            }
            return arrived
        }
    }

    private let all = (0..<100 as Range<UInt8>).map { [$0, 0] }

    @Test("Without faults each arrives once, soon, and out of order")
    func calm() throws {
        let arrived = try send(.none)
        #expect(Set(arrived.map(\.bytes)) == Set(all) && arrived.count == 100)
        #expect(arrived.map(\.bytes) != all)
        #expect(arrived.allSatisfy { $0.after <= 0.05 })
    }

    @Test("They are lost, doubled, late and damaged as often as asked for")
    func faulty() throws {
        var faults = DatagramFaults()
        faults.lost = 1
        #expect(try send(faults).isEmpty)
        faults.lost = 0.5
        #expect((20...80).contains(try send(faults).count))
        faults.lost = 0
        faults.doubled = 1
        #expect(try send(faults).count == 200)
        faults.doubled = 0
        faults.delayed = 1
        let late = try send(faults)
        #expect(late.count == 100 && late.contains { $0.after > 5 } && late.allSatisfy { $0.after <= 10 })
        faults.damaged = 1
        let damaged = try send(faults)
        #expect(damaged.count == 100 && damaged.contains { $0.bytes[1].nonzeroBitCount == 1 })
        #expect(damaged.allSatisfy { $0.bytes.count == 2 && $0.bytes[1].nonzeroBitCount <= 1 })
    }

    @Test("The same seed gives the same arrivals, another gives others")
    func seeded() throws {
        var faults = DatagramFaults()
        faults.lost = 0.3
        faults.doubled = 0.3
        let (first, second, other) = (try send(faults), try send(faults), try send(faults, seed: 2))
        #expect(first.map(\.bytes) == second.map(\.bytes) && first.map(\.after) == second.map(\.after))
        #expect(first.map(\.bytes) != other.map(\.bytes))
    }

    @Test("An address is one socket's until that is closed, and a machine has its own host only")
    func addresses() throws {
        let world = SimulatedWorld(seed: 3, isTraced: false)
        try world.run {
            let network = SimulatedDatagrams(in: world)
            let machine = network.machine(at: Self.here)
            let socket = try await machine.open(Self.here)
            await #expect(throws: DatagramError.unavailable(Self.here, "Address already in use")) {
                _ = try await machine.open(Self.here)
            }
            await #expect(throws: DatagramError.unavailable(Self.there, "Cannot assign requested address")) {
                _ = try await machine.open(Self.there)
            }
            let free = try await machine.open(.any)
            #expect(free.localAddress.host == Self.here.host && free.localAddress.port != Self.here.port)
            socket.close()
            await #expect(throws: DatagramError.closed) { try await socket.send([1], to: Self.there) }
            await #expect(throws: DatagramError.closed) { try await socket.receive() }
            _ = try await machine.open(Self.here)
        }
    }
}
