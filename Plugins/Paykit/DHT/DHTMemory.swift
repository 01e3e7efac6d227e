import PaykitPubky
import PaymentCore
import Synchronization

/// The nodes that DHT searches have found, for the searches after them.
final class DHTMemory: Sendable {
    private struct Content {
        var known = KnownNodes()
        var firstNodes: [DatagramAddress] = []
        var namedAt: Duration?
    }

    private let content = Mutex(Content())

    /// The time for which the addresses of the first nodes' names are kept.
    private static let namesKept = Duration.seconds(600)

    /// The nodes near `target` that answered before.
    func nearest(to target: NodeID, count: Int) -> [DatagramAddress] {
        content.withLock { $0.known.nearest(to: target, count: count) }
    }

    func learn(reliable: [NodeContact], unreliable: Set<DatagramAddress>, random: any RandomSource) {
        content.withLock { content in
            content.known.forget(unreliable)
            content.known.keep(reliable, random: random)
        }
    }

    /// The addresses of the first nodes, as long as their names need not be looked up again.
    func firstNodes(at uptime: Duration) -> [DatagramAddress]? {
        content.withLock { content in
            // A caller with another clock resolves the names again.
            guard let namedAt = content.namedAt, namedAt <= uptime, uptime < namedAt + Self.namesKept else {
                return nil
            }
            return content.firstNodes
        }
    }

    func keepFirstNodes(_ addresses: [DatagramAddress], at uptime: Duration) {
        content.withLock { content in
            content.firstNodes = addresses
            content.namedAt = uptime
        }
    }
}
