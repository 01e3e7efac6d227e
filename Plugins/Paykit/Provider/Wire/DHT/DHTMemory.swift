import PaymentCore
import Synchronization

/// What searches of the DHT learned of whom to ask, for the searches after them.
package final class DHTMemory: Sendable {
    private struct Content {
        var known = KnownNodes()
        var firstNodes: [DatagramAddress] = []
        var namedAt: Duration?
    }

    private let content = Mutex(Content())

    /// How long the addresses of the first nodes' names are kept.
    private static let namesKept = Duration.seconds(600)

    package init() {}

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
            // Whoever comes with another clock looks the names up again.
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

/// The way to the DHT, with what searches over it learned. Copies go on learning together.
package struct DHTWay: Sendable {
    let transport: any DatagramTransport
    let memory = DHTMemory()

    /// Begins with nothing learned.
    package init(_ transport: any DatagramTransport) { self.transport = transport }
}
