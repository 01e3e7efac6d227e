public import PaykitProvider
import PaymentCore
import SocketPoll

/// Connections over the system's TCP sockets.
///
/// Sockets never block. Nothing is read ahead: a peer that sends without end fills only its own memory.
public struct TCPTransport: StreamTransport {
    private let names = NameResolver()

    /// Creates a transport.
    public init() {}

    /// Connects to a listener.
    ///
    /// - Parameter address: the listener's address.
    /// - Throws: ``StreamError``.
    public func connect(to address: StreamAddress) async throws(StreamError) -> any ByteStream {
        guard !Task.isCancelled else { throw .cancelled }
        switch SystemSockets.begin(connectingTo: address) {
        case .failed(let detail): throw .notConnected(address, detail)
        case .done(let descriptor):
            // Closed when it is released, as by an error.
            let stream = TCPStream(SocketHandle(descriptor), peer: address)
            try await stream.awaitConnection()
            return stream
        }
    }

    /// Listens for connections.
    ///
    /// - Parameter address: the local address; ``StreamAddress/loopback(port:)`` for programs of this machine alone.
    /// - Throws: ``StreamError/unavailable(_:_:)``, as for a port that is in use, and ``StreamError/cancelled``.
    public func listen(at address: StreamAddress) async throws(StreamError) -> any StreamListener {
        guard !Task.isCancelled else { throw .cancelled }
        switch SystemSockets.open(.listener, at: address) {
        case .failed(let detail): throw .unavailable(address, detail)
        case .done(let socket):
            return TCPListener(SocketHandle(socket.descriptor), at: socket.bound)
        }
    }

    /// Returns the addresses of a host, as the system's resolver knows them.
    ///
    /// - Parameters:
    ///   - host: a name, or an address of either kind, one of IPv6 in brackets or without.
    ///   - port: the port that the addresses get.
    /// - Throws: ``StreamError/hostNotFound(_:)``, and ``StreamError/cancelled``.
    public func addresses(of host: String, port: UInt16) async throws(StreamError) -> [StreamAddress] {
        guard !Task.isCancelled else { throw .cancelled }
        if let address = StreamAddress(host: host, port: port) { return [address] }
        guard let found = await names.addresses(of: host, port: port, .any) else { throw .cancelled }
        guard !found.isEmpty else { throw .hostNotFound(host) }
        return found
    }
}

private final class TCPStream: ByteStream {
    let peer: StreamAddress
    private let handle: SocketHandle

    init(_ handle: SocketHandle, peer: StreamAddress) {
        self.handle = handle
        self.peer = peer
    }

    // A waiting task holds the handle, and no task waits for a stream that is not held.
    deinit { handle.close() }

    func awaitConnection() async throws(StreamError) {
        try await handle.wait(for: .writing)
        guard let failure = handle.use(SystemSockets.connectionFailure) else { throw .closed }
        if let failure { throw .notConnected(peer, failure) }
    }

    func send(_ bytes: [UInt8]) async throws(StreamError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try await handle.complete(.writing, { .lost($0) }) {
                SystemSockets.sendPart(of: rest, over: $0)
            }
            rest = rest.dropFirst(count)
        }
    }

    func receive(atMost limit: Int) async throws(StreamError) -> [UInt8] {
        // A length of zero would look like the end.
        try await handle.complete(.reading, { .lost($0) }) {
            SystemSockets.receive(atMost: max(1, min(limit, 1 << 16)), over: $0)
        }
    }

    func close() { handle.close() }
}

private final class TCPListener: StreamListener {
    let localAddress: StreamAddress
    private let handle: SocketHandle

    init(_ handle: SocketHandle, at address: StreamAddress) {
        self.handle = handle
        localAddress = address
    }

    deinit { handle.close() }

    func accept() async throws(StreamError) -> any ByteStream {
        let (descriptor, peer) = try await handle.complete(.reading, { .unavailable(localAddress, $0) }) {
            SystemSockets.nextConnection(at: $0)
        }
        return TCPStream(SocketHandle(descriptor), peer: peer)
    }

    func close() { handle.close() }
}
