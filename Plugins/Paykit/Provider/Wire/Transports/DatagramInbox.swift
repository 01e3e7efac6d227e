/// What has arrived at a socket and was not yet taken: a bounded queue. What finds it full is dropped, as the network
/// does.
package final class DatagramInbox: Sendable {
    private let inbox: Inbox<Datagram>

    /// - Parameter capacity: the most datagrams that wait to be taken.
    package init(capacity: Int = 256) { inbox = Inbox(capacity: capacity) }

    /// How many datagrams were dropped because nobody took the earlier ones.
    package var dropped: Int { inbox.dropped }

    /// Puts a datagram in.
    package func offer(_ datagram: Datagram) { inbox.offer(datagram) }

    /// Waits for the next datagram.
    package func take() async throws(DatagramError) -> Datagram {
        do throws(Inbox<Datagram>.EndError) { return try await inbox.take() } catch {
            throw error == .closed ? .closed : .cancelled
        }
    }

    /// Lets nothing in any more, and nothing out.
    package func close() { inbox.close() }
}
