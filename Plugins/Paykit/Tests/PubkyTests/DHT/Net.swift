import PaykitSandbox
import PaymentCore
import PaymentTesting

@testable import PaykitProvider

/// A simulated net of nodes, each on a separate machine, and a client that searches there.
struct Net: Sendable {
    let world: SimulatedWorld
    let network: SimulatedDatagrams
    let swarm: DHTSwarm
    let configuration: DHTConfiguration

    /// - Parameters:
    /// - ids: the ids of nodes by their numbers, if they are not random.
    ///   - host: the address of the first machine; the others follow.
    ///   - starts: the numbers of the nodes that are asked first; three honest ones when nil.
    static func start(
        _ behaviours: [DHTNodeBehaviour], seed: UInt64, faults: DatagramFaults = .none,
        at host: DatagramAddress = DatagramAddress(10, 0, 0, 1, port: 6881), starts: [Int]? = nil,
        ids: (@Sendable (Int) -> NodeID?)? = nil, in world: SimulatedWorld
    ) async throws -> Net {
        let network = SimulatedDatagrams(in: world, faults: faults)
        let random = SeededRandomSource(seed: seed)
        let swarm = try await DHTSwarm.start(
            behaviours, clock: world.clock, random: random,
            id: { index in
                ids?(index)
                    ?? NodeID(
                        for: host.host + UInt32(index), random: SeededRandomSource(seed: seed ^ UInt64(index) << 20))
            }
        ) { index throws(DatagramError) in
            let address = DatagramAddress(host: host.host + UInt32(index), port: 6881)
            return try await network.machine(at: address).open(address)
        }
        let honest = behaviours.indices.filter { behaviours[$0] == .honest }
        let first = starts ?? Array(honest.prefix(3))
        return Net(
            world: world, network: network, swarm: swarm, configuration: .local(first.map { swarm.addresses[$0] }))
    }

    /// The address of clients.
    static let client = DatagramAddress(10, 9, 9, 9, port: 0)

    /// A new client, which remembers nothing.
    func resolver(
        seed: UInt64 = 1, change: (inout DHTConfiguration) -> Void = { _ in }
    ) -> DHTResolver {
        var configuration = configuration
        change(&configuration)
        return DHTResolver(
            configuration, transport: network.machine(at: Self.client), clock: world.clock,
            random: SeededRandomSource(seed: seed))
    }

    /// Runs a history in a world: the nodes serve while `body` runs.
    static func play<Value: Sendable>(
        _ behaviours: [DHTNodeBehaviour], seed: UInt64, faults: DatagramFaults = .none, starts: [Int]? = nil,
        at host: DatagramAddress = DatagramAddress(10, 0, 0, 1, port: 6881), ids: (@Sendable (Int) -> NodeID?)? = nil,
        _ body: @escaping @Sendable (Net) async throws -> Value
    ) throws -> Value {
        let world = SimulatedWorld(seed: seed, isTraced: false)
        return try world.run(steps: 10_000_000) {
            let net = try await start(
                behaviours, seed: seed, faults: faults, at: host, starts: starts, ids: ids, in: world)
            return try await net.swarm.serving { try await body(net) }
        }
    }

    /// Thirty honest nodes and twenty others, in random order.
    static func mixed(_ others: [DHTNodeBehaviour], of count: Int = 50, bad: Int = 20, seed: UInt64)
        -> [DHTNodeBehaviour]
    {
        var list = (0..<count).map { $0 < bad ? others[$0 % others.count] : .honest }
        var random = SplitMix64(seed: seed)
        list.shuffle(using: &random)
        return list
    }
}

extension DHTSwarm {
    /// Runs `body` while the nodes answer.
    func serving<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                await self.serve()
                return nil
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let ended = try await group.next() { if let ended { return ended } }
            throw CancellationError()
        }
    }
}
