import PaykitPubky
import PaymentCore

/// Nodes that answered in earlier searches: a bounded number of them, so that a search neither asks nor trusts the
/// first nodes alone.
struct KnownNodes: Sendable {
    /// The most nodes that are kept.
    static let limit = 256
    private(set) var nodes: [NodeContact] = []

    /// Keeps nodes; a full store drops others at random.
    mutating func keep(_ found: [NodeContact], random: any RandomSource) {
        for node in found {
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

    /// Forgets nodes that did not answer.
    mutating func forget(_ addresses: Set<DatagramAddress>) { nodes.removeAll { addresses.contains($0.address) } }

    /// Returns the addresses of the nodes nearest to a target.
    func nearest(to target: NodeID, count: Int) -> [DatagramAddress] {
        nodes.sorted { $0.id.distance(to: target) < $1.id.distance(to: target) }.prefix(count).map(\.address)
    }
}
