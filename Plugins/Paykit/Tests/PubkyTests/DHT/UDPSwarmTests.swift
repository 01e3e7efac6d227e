import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// The same over real sockets on loopback.
@Suite("A swarm on loopback")
struct UDPSwarmTests {
    /// Runs `body` while the nodes answer.
    private func serving<Value: Sendable>(
        _ behaviours: [DHTNodeBehaviour], _ body: @escaping @Sendable (DHTSwarm) async throws -> Value
    ) async throws -> Value {
        let swarm = try await DHTSwarm.start(
            behaviours, over: UDPTransport(), clock: SystemPaymentClock(), random: SeededRandomSource(seed: 4))
        return try await withOwnThreads { try await swarm.serving { try await body(swarm) } }
    }

    private func resolver(_ swarm: DHTSwarm, _ seed: UInt64) -> DHTResolver {
        let honest = swarm.nodes.filter { $0.behaviour == .honest }.prefix(3).map(\.address)
        var configuration = DHTConfiguration.local(honest)
        // No distance slows an answer on this machine, but its load may.
        configuration.slotDuration = .milliseconds(200)
        return DHTResolver(
            configuration, transport: UDPTransport(), clock: SystemPaymentClock(),
            random: SeededRandomSource(seed: seed))
    }

    @Test("A packet is found among fifty nodes of which twenty are dead or lie", .timeLimit(.minutes(3)))
    func found() async throws {
        let item = try Packets.user.item
        let bad = [DHTNodeBehaviour.dead, .dead] + DHTNodeBehaviour.liars
        let (report, holders, search) = try await serving(Net.mixed(bad, seed: 11)) { swarm in
            let report = try await resolver(swarm, 1).publish(item)
            return (report, swarm.holders(of: item), try await resolver(swarm, 2).resolve(item.key))
        }
        #expect(holders >= 5, "\(report)")
        #expect(search.item == item && search.asked <= 192)
    }

    @Test("Many searches at a time do not get in each other's way", .timeLimit(.minutes(3)))
    func many() async throws {
        let items = try (1...20).map { try Owner(UInt8($0)).item(Int64($0), "item \($0)") }
        try await serving(Array(repeating: .honest, count: 25)) { swarm in
            let resolver = resolver(swarm, 3)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for item in items { group.addTask { _ = try await resolver.publish(item) } }
                try await group.waitForAll()
                for item in items {
                    group.addTask {
                        let found = try await resolver.resolve(item.key).item
                        #expect(found == item)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
