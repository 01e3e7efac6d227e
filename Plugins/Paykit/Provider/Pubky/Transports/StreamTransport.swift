/// Opens connections that carry bytes in order (TCP over IPv4 and IPv6). Peers are untrusted: the reader checks and
/// bounds their bytes, and limits the wait for them.
public protocol StreamTransport: Sendable {
    /// Connects to a listener. Cancel the task to wait no longer; see `PaymentClock.limit(to:_:)`.
    ///
    /// - Returns: the stream. It is closed by ``ByteStream/close()``, or when it is released.
    /// - Throws: ``StreamError``; no byte was sent then.
    func connect(to address: StreamAddress) async throws(StreamError) -> any ByteStream

    /// Listens for connections.
    ///
    /// - Parameter address: the local address; ``StreamAddress/loopback(port:)`` for programs of this machine alone.
    /// - Returns: the listener. It is closed by ``StreamListener/close()``, or when it is released.
    /// - Throws: ``StreamError/unavailable(_:_:)``, as for a port that is in use.
    func listen(at address: StreamAddress) async throws(StreamError) -> any StreamListener

    /// Returns the addresses of a host, in the order in which to try them. `host` is a name, an address in dotted form,
    /// or an IPv6 address, in brackets or without. `port` is the port that the addresses get.
    ///
    /// - Throws: ``StreamError/hostNotFound(_:)``, and ``StreamError/cancelled``.
    func addresses(of host: String, port: UInt16) async throws(StreamError) -> [StreamAddress]
}

/// A connection. One task may send while another receives; two must not do the same at once.
public protocol ByteStream: Sendable {
    /// The address of the other end.
    var peer: StreamAddress { get }

    /// Hands all of `bytes` to the network. This does not confirm their arrival.
    ///
    /// - Throws: ``StreamError``; some of it may have been sent.
    func send(_ bytes: [UInt8]) async throws(StreamError)

    /// Waits for the next bytes. Nothing is read ahead: bytes that are not asked for stay with the sender.
    ///
    /// - Parameter limit: the most bytes that are returned.
    /// - Returns: one byte at least, or none when the other side has ended the stream.
    /// - Throws: ``StreamError``.
    func receive(atMost limit: Int) async throws(StreamError) -> [UInt8]

    /// Closes the connection. Tasks that send or receive get ``StreamError/closed``.
    func close()
}

/// An endpoint that accepts connections.
public protocol StreamListener: Sendable {
    /// The address where it listens, with its actual port.
    var localAddress: StreamAddress { get }

    /// Waits for the next connection.
    ///
    /// - Throws: ``StreamError/closed`` when the listener is or gets closed, ``StreamError/cancelled`` when the task
    ///   is, ``StreamError/unavailable(_:_:)`` when the system has no room for another connection; that may pass.
    func accept() async throws(StreamError) -> any ByteStream

    /// Stops listening. Accepted connections stay open.
    func close()
}

/// A failure of a connection or listener.
@nonexhaustive
public enum StreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system does not permit listening or accepting here; the detail is its own short text.
    case unavailable(StreamAddress, String)
    /// The connection was not accepted; the detail is the system's own short text.
    case notConnected(StreamAddress, String)
    /// The host has no address that can be found.
    case hostNotFound(String)
    /// The connection broke; the detail is the system's own short text.
    case lost(String)
    /// This side has closed it.
    case closed
    /// The task was cancelled.
    case cancelled

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unavailable(let address, let detail): "no connection can be made to \(address) (\(detail))"
        case .notConnected(let address, let detail): "no connection to \(address) (\(detail))"
        case .hostNotFound(let host):
            "the host \(host) has no address that can be found; check the name and the network"
        case .lost(let detail): "the connection ended early (\(detail))"
        case .closed: "the connection is closed"
        case .cancelled: "cancelled"
        }
    }
}

extension PaymentClock {
    /// Runs `work` for at most `limit`: then its task is cancelled, and nil is returned however it ends. `limit` is the
    /// longest duration. `work` is the work, which has to end soon after it is cancelled.
    ///
    /// - Returns: the result of the work; nil when the time was over.
    public func limit<Value: Sendable>(
        to limit: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: (isEnd: Bool, value: Value?).self) { group in
            group.addTask { (true, await work()) }
            group.addTask {
                // When the task is cancelled from outside, the work reports the cancellation.
                do { try await sleep(for: limit) } catch { return (false, nil) }
                return (true, nil)
            }
            for await (isEnd, value) in group where isEnd {
                group.cancelAll()
                return value
            }
            return nil
        }
    }
}
