import PaykitProvider
import PaymentCore

/// Whom a node knows: many near it, and a few of every part of the net farther off.
struct DHTRoutingTable: Sendable {
    /// The most nodes of each part, and the most that an answer names.
    static let width = 20

    private let own: NodeID
    /// By the number of bits that the ids share with the own one.
    private var parts: [Int: [NodeContact]] = [:]
    private var addresses: Set<DatagramAddress> = []

    init(own: NodeID) { self.own = own }

    /// Keeps a node, where there is room. An address is kept under the id first heard.
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
