public import PaymentCore

/// Opens connections that carry bytes in order (TCP over IPv4 and IPv6). Whoever is at the other end is a stranger:
/// what they send is checked, bounded and waited for with a limit by whoever reads it.
public protocol StreamTransport: Sendable {
    /// Connects to somebody who listens. Cancel the task to wait no longer; see `PaymentClock.limit(to:_:)`.
    ///
    /// - Parameter address: where they listen.
    /// - Returns: the stream. It is closed with ``ByteStream/close()``, or when nobody holds it.
    /// - Throws: ``StreamError``; not one byte was sent then.
    func connect(to address: StreamAddress) async throws(StreamError) -> any ByteStream

    /// Listens for others who connect.
    ///
    /// - Parameter address: where; ``StreamAddress/loopback(port:)`` for programs of this machine alone.
    /// - Returns: the listener. It is closed with ``StreamListener/close()``, or when nobody holds it.
    /// - Throws: ``StreamError/unavailable(_:_:)``, as for a port that is in use.
    func listen(at address: StreamAddress) async throws(StreamError) -> any StreamListener

    /// Returns the addresses of a host, those first that are tried first.
    ///
    /// - Parameters:
    ///   - host: a name, an address in dotted form, or an IPv6 address, in brackets or without.
    ///   - port: the port that the addresses get.
    /// - Throws: ``StreamError/hostNotFound(_:)``, and ``StreamError/cancelled``.
    func addresses(of host: String, port: UInt16) async throws(StreamError) -> [StreamAddress]
}

/// One connection. One task may send while another receives; two must not do the same at once.
public protocol ByteStream: Sendable {
    /// Who is at the other end.
    var peer: StreamAddress { get }

    /// Hands all of `bytes` to the network. That says nothing of their arrival.
    ///
    /// - Parameter bytes: what is sent.
    /// - Throws: ``StreamError``; some of it may have been sent.
    func send(_ bytes: [UInt8]) async throws(StreamError)

    /// Waits for the next bytes. Nothing is read ahead: what nobody asks for stays with the sender.
    ///
    /// - Parameter limit: the most bytes that are returned.
    /// - Returns: one byte at least, or none when the other side has ended the stream.
    /// - Throws: ``StreamError``.
    func receive(atMost limit: Int) async throws(StreamError) -> [UInt8]

    /// Closes the connection. Whoever sends or receives gets ``StreamError/closed``.
    func close()
}

/// A place where others connect to.
public protocol StreamListener: Sendable {
    /// Where it listens, with its real port.
    var localAddress: StreamAddress { get }

    /// Waits for the next one who connects.
    ///
    /// - Throws: ``StreamError/closed`` when the listener is or gets closed, ``StreamError/cancelled`` when the task
    ///   is, ``StreamError/unavailable(_:_:)`` when the system has no room for another connection; that may pass.
    func accept() async throws(StreamError) -> any ByteStream

    /// Listens no longer. Connections that were accepted stay.
    func close()
}

/// Why there is no connection, or no more of it.
@nonexhaustive
public enum StreamError: Error, Sendable, Hashable {
    /// The system does not let us listen or accept here; the detail is its own short text.
    case unavailable(StreamAddress, String)
    /// Nobody took the connection; the detail is the system's own short text.
    case notConnected(StreamAddress, String)
    /// The host has no address that can be found.
    case hostNotFound(String)
    /// The connection broke; the detail is the system's own short text.
    case lost(String)
    /// This side has closed it.
    case closed
    /// The task was cancelled.
    case cancelled
}

extension StreamError: CustomStringConvertible {
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
    /// Does `work`, but no longer than `limit`: then its task is cancelled, and nothing is returned however it ends.
    ///
    /// - Parameters:
    ///   - limit: how long it may take.
    ///   - work: what has to end soon after it is cancelled.
    /// - Returns: what the work returns; nil when the time was over.
    public func limit<Value: Sendable>(
        to limit: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: LimitedEnd<Value>.self) { group in
            group.addTask { .work(await work()) }
            group.addTask {
                // A task that is cancelled from outside has its work to tell of that.
                do { try await sleep(for: limit) } catch { return .nothing }
                return .time
            }
            for await end in group {
                switch end {
                case .work(let value):
                    group.cancelAll()
                    return value
                case .time:
                    group.cancelAll()
                    return nil
                case .nothing: continue
                }
            }
            return nil
        }
    }
}

/// What ends first: the work, its time, or neither.
private enum LimitedEnd<Value: Sendable>: Sendable {
    case work(Value)
    case time
    case nothing
}
