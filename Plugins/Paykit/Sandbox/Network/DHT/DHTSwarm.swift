public import PaykitProvider
public import PaymentCore

/// A small DHT for tests and sandboxes: nodes that know each other, some of them dead or dishonest.
///
/// ```swift
/// let swarm = try await DHTSwarm.start(
///     Array(repeating: .honest, count: 30), over: UDPTransport(), clock: SystemPaymentClock(),
///     random: SystemRandomSource())
/// async let service: Void = swarm.serve()
/// let resolver = DHTResolver(.local(swarm.addresses.suffix(3)), …)
/// ```
public final class DHTSwarm: Sendable {
    package let nodes: [DHTNode]
    private let sockets: [any DatagramSocket]
    private let clock: any PaymentClock

    private init(nodes: [DHTNode], sockets: [any DatagramSocket], clock: any PaymentClock) {
        self.nodes = nodes
        self.sockets = sockets
        self.clock = clock
    }

    /// Starts nodes that know each other. They answer while ``serve()`` runs.
    ///
    /// - Parameters:
    ///   - behaviours: the behaviour of each node.
    ///   - address: their address; each gets a free port there.
    ///   - transport: the network.
    ///   - clock: measures the age of items and secrets.
    ///   - random: draws ids and secrets.
    /// - Throws: `DatagramError` when a node gets no socket.
    public static func start(
        _ behaviours: [DHTNodeBehaviour], at address: DatagramAddress = .loopback(),
        over transport: any DatagramTransport,
        clock: any PaymentClock, random: any RandomSource
    ) async throws(DatagramError) -> DHTSwarm {
        try await start(behaviours, clock: clock, random: random) { _ throws(DatagramError) in
            try await transport.open(address)
        }
    }

    /// Starts nodes with sockets of the caller's choice.
    ///
    /// - Throws: errors of `open`.
    package static func start(
        _ behaviours: [DHTNodeBehaviour], clock: any PaymentClock, random: any RandomSource,
        id: (@Sendable (_ index: Int) -> NodeID)? = nil,
        open: @Sendable (_ index: Int) async throws(DatagramError) -> any DatagramSocket
    ) async throws(DatagramError) -> DHTSwarm {
        var nodes: [DHTNode] = []
        var sockets: [any DatagramSocket] = []
        let foreign = try? MutableItem(
            sequence: .max, value: Array("foreign".utf8),
            seed: Redacted(NodeID(random: random).bytes + Array(repeating: 7, count: 12)))
        for (index, behaviour) in behaviours.enumerated() {
            let socket = try await open(index)
            sockets.append(socket)
            nodes.append(
                DHTNode(
                    id: id?(index) ?? NodeID(for: socket.localAddress.host, random: random),
                    address: socket.localAddress,
                    behaviour: behaviour, foreign: foreign, random: random, now: clock.uptime))
        }
        // In another order for each, as after random encounters.
        for node in nodes {
            var others = nodes.map(\.contact)
            for place in others.indices.reversed() {
                others.swapAt(place, Int(truncatingIfNeeded: random.next() % UInt64(place + 1)))
            }
            node.learn(others)
        }
        return DHTSwarm(nodes: nodes, sockets: sockets, clock: clock)
    }

    /// The addresses of the nodes, in the order of their behaviours.
    public var addresses: [DatagramAddress] { nodes.map(\.address) }

    /// Answers questions until the task is cancelled, then closes the sockets.
    public func serve() async {
        await withTaskGroup(of: Void.self) { group in
            for (node, socket) in zip(nodes, sockets) where node.behaviour != .dead {
                group.addTask { [clock] in
                    while let datagram = try? await socket.receive() {
                        for answer in node.answers(to: datagram, now: clock.uptime) {
                            try? await socket.send(answer, to: datagram.sender)
                        }
                    }
                }
            }
        }
        for socket in sockets { socket.close() }
    }

    /// Restarts a node: it keeps its id and the nodes that it knows, and loses its items and secrets.
    public func restart(_ index: Int) { nodes[index].restart(now: clock.uptime) }

    /// Returns the number of honest nodes that store exactly this item.
    package func holders(of item: MutableItem) -> Int {
        nodes.count { node in
            node.behaviour == .honest
                && node.item(at: MutableItem.target(key: item.key), now: clock.uptime) == KRPCItem(item)
        }
    }
}
