package struct DHTSearch: Sendable, Hashable {
    /// The newest item that a node had, its signature checked; nil when no node had one.
    package let item: MutableItem?
    package let asked: Int
    package let answered: Int
    /// The number of nodes that sent an item that is not the owner's.
    package let lied: Int
    /// True if the search was complete: every node near enough was asked. Otherwise a newer item may be missed.
    package let isComplete: Bool
}

/// The result of storing an item.
package struct DHTPublication: Sendable, Hashable {
    /// The number of nodes that report to store it. Ten and more are good on the internet.
    package internal(set) var stored = 0
    /// The number of nodes that claim an item with a higher number (302). No node can prove it so; search for it.
    package internal(set) var outdated = 0
    /// The number of nodes that claim an item with another number than the one to be replaced (301).
    package internal(set) var mismatched = 0
    /// The number of nodes that refused for another reason.
    package internal(set) var refused = 0
    package internal(set) var silent = 0
}

/// A failure to search or to store.
package enum DHTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// None of this many nodes answered.
    case noAnswer(asked: Int)
    /// A newer item of the key is stored than the one to be published.
    case outdated(by: MutableItem)
    /// Another item is stored than the one to be replaced.
    case mismatch(MutableItem)
    case notStored(DHTPublication)
    case network(DatagramError)
    case cancelled

    package var description: String {
        switch self {
        case .noAnswer(asked: 0):
            "no node of the DHT is known that may be asked; give the addresses of some to begin with"
        case .noAnswer(let asked):
            "none of \(asked) nodes of the DHT answered; look whether this network lets UDP through, or use a relay"
        case .outdated(let item):
            "the DHT already has a newer item (\(item.sequence)); read it, then publish with a higher number"
        case .mismatch(let item):
            "the DHT has item \(item.sequence) where another was to be replaced; read it and try again"
        case .notStored(let report):
            "no node of the DHT stored the item (\(report.outdated) have a newer one, \(report.mismatched) another, "
                + "\(report.refused) refused, \(report.silent) were silent)"
        case .network(let error): "\(error)"
        case .cancelled: "cancelled"
        }
    }
}
