/// Sends and receives datagrams (UDP over IPv4). They may be lost, doubled, late, out of order and forged: a user of
/// datagrams has to check everything.
public protocol DatagramTransport: Sendable {
    /// Opens a socket. `address` is the local address to bind; ``DatagramAddress/any`` for a client.
    ///
    /// - Returns: the socket. It is closed by ``DatagramSocket/close()``, or when it is released.
    /// - Throws: ``DatagramError`` when the system provides none.
    func open(_ address: DatagramAddress) async throws(DatagramError) -> any DatagramSocket

    /// Returns the IPv4 addresses of a host. `host` is a name, or an address in dotted form. `port` is their port.
    ///
    /// - Throws: ``DatagramError/hostNotFound(_:)``, and ``DatagramError/cancelled``.
    func addresses(of host: String, port: UInt16) async throws(DatagramError) -> [DatagramAddress]
}

/// A socket that many tasks may use at once.
public protocol DatagramSocket: Sendable {
    /// The address that it is bound to, with its actual port.
    var localAddress: DatagramAddress { get }

    /// Hands a datagram to the network. This does not confirm its arrival.
    ///
    /// - Throws: ``DatagramError`` when it did not leave.
    func send(_ bytes: [UInt8], to address: DatagramAddress) async throws(DatagramError)

    /// Waits for the next datagram. Each goes to one of the waiting tasks.
    ///
    /// - Throws: ``DatagramError/closed`` when the socket is closed, ``DatagramError/cancelled`` when the task is.
    func receive() async throws(DatagramError) -> Datagram

    /// Closes the socket. Waiting tasks stop waiting.
    func close()
}

/// A datagram from the network.
public struct Datagram: Sendable, Hashable {
    /// Its bytes.
    public let bytes: [UInt8]
    /// The claimed source; it can be forged.
    public let sender: DatagramAddress

    /// Creates a datagram.
    public init(bytes: [UInt8], sender: DatagramAddress) {
        self.bytes = bytes
        self.sender = sender
    }
}

/// A failure to open a socket, to find an address, or to send or receive a datagram.
@nonexhaustive
public enum DatagramError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system provides no socket for this address; the detail is its own short text.
    case unavailable(DatagramAddress, String)
    /// The datagram did not leave; the detail is the system's own short text.
    case notSent(DatagramAddress, String)
    /// The host has no IPv4 address that can be found.
    case hostNotFound(String)
    /// The socket is closed.
    case closed
    /// The task was cancelled.
    case cancelled

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unavailable(let address, let detail): "no socket can be opened at \(address) (\(detail))"
        case .notSent(let address, let detail): "nothing could be sent to \(address) (\(detail))"
        case .hostNotFound(let host):
            "the host \(host) has no IPv4 address that can be found; check the name and the network"
        case .closed: "the socket is closed"
        case .cancelled: "cancelled"
        }
    }
}

extension DatagramSocket {
    /// Waits for the next datagram, but no longer than `limit`, which `clock` measures.
    ///
    /// - Returns: the datagram; nil when the time is over.
    /// - Throws: ``DatagramError``, as ``receive()`` does.
    public func receive(within limit: Duration, clock: any PaymentClock) async throws(DatagramError) -> Datagram? {
        try await withTaskGroup(of: Result<Datagram?, DatagramError>.self) { group in
            group.addTask {
                do throws(DatagramError) { return .success(try await receive()) } catch { return .failure(error) }
            }
            group.addTask {
                // A clock that does not wait would otherwise make its caller ask endlessly.
                do { try await clock.sleep(for: limit) } catch { return .failure(.cancelled) }
                return .success(nil)
            }
            let first = await group.next() ?? .success(nil)
            group.cancelAll()
            // Both may have ended: a datagram taken from the queue is never dropped because of the clock.
            if case .success(.some) = first { return first }
            guard let second = await group.next(), case .success(.some) = second else { return first }
            return second
        }.get()
    }
}
