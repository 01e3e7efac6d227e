import PaymentCore

/// What a search of the DHT found.
public struct DHTSearch: Sendable, Hashable {
    /// The newest item that a node had, its signature checked; nil when nobody had one.
    public let item: MutableItem?
    /// How many questions were asked.
    public let asked: Int
    /// How many nodes answered.
    public let answered: Int
    /// How many of them sent an item that is not the owner's.
    public let lied: Int
    /// Whether the search came to its end: every node near enough was asked. One that did not may have missed a newer
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

/// What became of an item that was to be stored.
public struct DHTPublication: Sendable, Hashable {
    /// How many nodes say that they store it. Ten and more are good on the internet.
    public internal(set) var stored = 0
    /// How many nodes have an item with a higher number, they say (302). No node can prove it so; look for it.
    public internal(set) var outdated = 0
    /// How many nodes have an item with another number than the one to be replaced, they say (301).
    public internal(set) var mismatched = 0
    /// How many refused for another reason.
    public internal(set) var refused = 0
    /// How many did not answer.
    public internal(set) var silent = 0
}

/// Why nothing was found out, or nothing stored.
@nonexhaustive
public enum DHTError: Error, Sendable, Hashable {
    /// No node answered, of so many that were asked.
    case noAnswer(asked: Int)
    /// A newer item of the key is stored than the one to be published.
    case outdated(by: MutableItem)
    /// Another item is stored than the one to be replaced.
    case mismatch(MutableItem)
    /// No node stored the item.
    case notStored(DHTPublication)
    /// The network is not there.
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
