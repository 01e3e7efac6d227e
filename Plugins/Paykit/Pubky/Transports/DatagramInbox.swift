/// A bounded queue of datagrams that have arrived at a socket and were not taken yet. A full queue drops further ones,
/// as the network does.
package final class DatagramInbox: Sendable {
    private let inbox: Inbox<Datagram>

    /// - Parameter capacity: the most datagrams that wait to be taken.
    package init(capacity: Int = 256) { inbox = Inbox(capacity: capacity) }

    /// The number of datagrams that were dropped because the queue was full.
    package var dropped: Int { inbox.dropped }

    /// Puts a datagram in.
    package func offer(_ datagram: Datagram) { inbox.offer(datagram) }

    /// Waits for the next datagram.
    package func take() async throws(DatagramError) -> Datagram {
        do throws(Inbox<Datagram>.EndError) { return try await inbox.take() } catch {
            throw error == .closed ? .closed : .cancelled
        }
    }

    /// Closes the queue: nothing more enters or leaves it.
    package func close() { inbox.close() }
}
