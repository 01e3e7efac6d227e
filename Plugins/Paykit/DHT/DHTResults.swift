public import PaykitPubky
import PaymentCore

/// The result of a DHT search.
public struct DHTSearch: Sendable, Hashable {
    /// The newest item that a node had, its signature checked; nil when no node had one.
    public let item: MutableItem?
    /// The number of questions.
    public let asked: Int
    /// The number of nodes that answered.
    public let answered: Int
    /// The number of nodes that sent an item that is not the owner's.
    public let lied: Int
    /// True if the search was complete: every node near enough was asked. An incomplete one may have missed a newer
    /// item.
    public let isComplete: Bool

    package init(item: MutableItem?, asked: Int, answered: Int, lied: Int, isComplete: Bool) {
        self.item = item
        self.asked = asked
        self.answered = answered
        self.lied = lied
        self.isComplete = isComplete
    }
}

/// The result of storing an item.
public struct DHTPublication: Sendable, Hashable {
    /// The number of nodes that report to store it. Ten and more are good on the internet.
    public internal(set) var stored = 0
    /// The number of nodes that claim an item with a higher number (302). No node can prove it so; search for it.
    public internal(set) var outdated = 0
    /// The number of nodes that claim an item with another number than the one to be replaced (301).
    public internal(set) var mismatched = 0
    /// The number of nodes that refused for another reason.
    public internal(set) var refused = 0
    /// The number of nodes that did not answer.
    public internal(set) var silent = 0
}

/// A failure to search or to store.
@nonexhaustive
public enum DHTError: Error, Sendable, Hashable {
    /// None of this many nodes answered.
    case noAnswer(asked: Int)
    /// A newer item of the key is stored than the one to be published.
    case outdated(by: MutableItem)
    /// Another item is stored than the one to be replaced.
    case mismatch(MutableItem)
    /// No node stored the item.
    case notStored(DHTPublication)
    /// The network is not available.
    case network(DatagramError)
    /// The task was cancelled.
    case cancelled
}

extension DHTError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
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
