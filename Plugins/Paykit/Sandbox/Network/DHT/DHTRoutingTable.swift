import PaykitProvider
import PaymentCore

/// The nodes that a node knows: many near it, and a few of every farther part of the net.
struct DHTRoutingTable: Sendable {
    /// The most nodes of each part, and the most that an answer names.
    static let width = 20

    private let own: NodeID
    /// The nodes by the number of leading bits that they share with the own id.
    private var parts: [Int: [NodeContact]] = [:]
    private var addresses: Set<DatagramAddress> = []

    init(own: NodeID) { self.own = own }

    /// Keeps a node, if there is room. An address is kept under the id first heard.
    mutating func insert(_ contact: NodeContact) {
        let part = own.distance(to: contact.id).leadingZeroBits
        guard contact.id != own, parts[part, default: []].count < Self.width,
            addresses.insert(contact.address).inserted
        else { return }
        parts[part, default: []].append(contact)
    }

    func nearest(to target: NodeID) -> [NodeContact] {
        Array(
            parts.values.joined().sorted { $0.id.distance(to: target) < $1.id.distance(to: target) }.prefix(Self.width))
    }
}
