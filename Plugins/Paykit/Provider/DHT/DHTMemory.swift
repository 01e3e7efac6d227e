/// The nodes that DHT searches have found, for the searches after them: a bounded number, so that a search neither asks
/// nor trusts the first nodes alone.
struct DHTMemory {
    private var nodes: [NodeContact] = []
    private var first: (nodes: [DatagramAddress], at: Duration)?

    private static let limit = 256
    /// The time for which the addresses of the first nodes' names are kept.
    private static let namesKept = Duration.seconds(600)

    func nearest(to target: NodeID, count: Int) -> [DatagramAddress] {
        nodes.sorted { $0.id.distance(to: target) < $1.id.distance(to: target) }.prefix(count).map(\.address)
    }

    /// Keeps nodes that answered, and forgets those that did not; a full memory drops others at random.
    mutating func learn(reliable: [NodeContact], unreliable: Set<DatagramAddress>, random: any RandomSource) {
        nodes.removeAll { unreliable.contains($0.address) }
        for node in reliable {
            if let place = nodes.firstIndex(where: { $0.address.host == node.address.host && $0.address.isPublic }) {
                nodes[place] = node
            } else if let place = nodes.firstIndex(where: { $0.address == node.address }) {
                nodes[place] = node
            } else if nodes.count < Self.limit {
                nodes.append(node)
            } else {
                nodes[Int(truncatingIfNeeded: random.next() % UInt64(Self.limit))] = node
            }
        }
    }

    /// Returns the addresses of the first nodes, as long as their names need not be looked up again.
    func firstNodes(at uptime: Duration) -> [DatagramAddress]? {
        // A caller with another clock resolves the names again.
        guard let first, first.at <= uptime, uptime < first.at + Self.namesKept else { return nil }
        return first.nodes
    }

    mutating func keepFirstNodes(_ addresses: [DatagramAddress], at uptime: Duration) { first = (addresses, uptime) }
}
