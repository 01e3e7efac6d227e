public import PaykitProvider
import PaymentCore

/// Datagrams over the system's UDP sockets.
///
/// Sockets never block. Datagrams that are not received are kept up to a limit; further ones are dropped.
public struct UDPTransport: DatagramTransport {
    /// The most bytes that a datagram may have; longer ones are dropped.
    public let datagramLimit: Int
    /// The most datagrams that a socket keeps until they are received.
    public let queueLimit: Int
    private let names = NameResolver()

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - datagramLimit: the most bytes that a datagram may have.
    ///   - queueLimit: the most datagrams that a socket keeps.
    public init(datagramLimit: Int = 2048, queueLimit: Int = 256) {
        self.datagramLimit = max(1, min(datagramLimit, 65_507))
        self.queueLimit = max(1, queueLimit)
    }

    /// Opens a socket.
    ///
    /// - Parameter address: the local address to bind; ``DatagramAddress/any`` for a client.
    /// - Throws: ``DatagramError/unavailable(_:_:)``, as for a port that is in use, and ``DatagramError/cancelled``.
    public func open(_ address: DatagramAddress) async throws(DatagramError) -> any DatagramSocket {
        guard !Task.isCancelled else { throw .cancelled }
        return try UDPSocket(address, datagramLimit: datagramLimit, queueLimit: queueLimit)
    }

    /// Returns the IPv4 addresses of a host, as the system's resolver knows them.
    ///
    /// - Parameters:
    ///   - host: a name, or an address in dotted form.
    ///   - port: the port that the addresses get.
    /// - Throws: ``DatagramError/hostNotFound(_:)``, and ``DatagramError/cancelled``.
    public func addresses(of host: String, port: UInt16) async throws(DatagramError) -> [DatagramAddress] {
        guard let found = await names.addresses(of: host, port: port, .v4) else { throw .cancelled }
        guard !found.isEmpty else { throw .hostNotFound(host) }
        return found.compactMap(DatagramAddress.init)
    }
}

/// One of the system's sockets. One thread waits for the arrivals at all of them.
final class UDPSocket: DatagramSocket {
    let localAddress: DatagramAddress
    private let handle: SocketHandle
    private let inbox: Inbox<Datagram, DatagramError>

    init(_ address: DatagramAddress, datagramLimit: Int, queueLimit: Int) throws(DatagramError) {
        let inbox = Inbox<Datagram, DatagramError>(capacity: queueLimit)
        switch SystemSockets.open(.datagrams, at: StreamAddress(address)) {
        case .failed(let detail): throw .unavailable(address, detail)
        case .done(let socket):
            handle = SocketHandle(socket.descriptor)
            localAddress = DatagramAddress(socket.bound) ?? address
        }
        self.inbox = inbox
        handle.watch { descriptor in
            // A bounded batch, so that a flood at one socket does not starve the others.
            for _ in 0..<64 {
                switch SystemSockets.receiveDatagram(over: descriptor, limit: datagramLimit) {
                case .datagram(let datagram): inbox.offer(datagram)
                case .unusable: continue
                case .nothing: return
                }
            }
        }
    }

    deinit { close() }

    func send(_ bytes: [UInt8], to address: DatagramAddress) async throws(DatagramError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard let step = handle.use({ SystemSockets.sendDatagram(bytes, to: address, over: $0) }) else { throw .closed }
        if case .failed(let detail) = step { throw .notSent(address, detail) }
    }

    func receive() async throws(DatagramError) -> Datagram { try await inbox.take().get() }

    func close() {
        handle.close()
        inbox.close()
    }
}
