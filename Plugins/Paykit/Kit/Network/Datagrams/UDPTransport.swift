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
