import PaykitKit
public import PaykitProvider
import PaymentCore
import Synchronization

/// The faults of a stream of ``LocalStreams``, in each direction.
public struct StreamFaults: Sendable, Hashable {
    /// The most bytes that arrive at once; nil for no limit.
    public var piece: Int?
    /// The number of bytes before the stream breaks; nil for never.
    public var breaksAfter: Int?
    /// The byte, counted from zero, that arrives with one bit changed; nil for none.
    public var damagedByte: Int?

    /// Creates faults; by default there are none.
    public init(piece: Int? = nil, breaksAfter: Int? = nil, damagedByte: Int? = nil) {
        self.piece = piece
        self.breaksAfter = breaksAfter
        self.damagedByte = damagedByte
    }

    /// No faults.
    public static let none = StreamFaults()
}

/// Connections inside this process, without sockets. Sent bytes wait in memory.
///
/// Every host is this machine: a name that is no address leads to loopback.
public final class LocalStreams: StreamTransport {
    private struct State {
        var faults = StreamFaults.none
        var listeners: [StreamAddress: LocalListener] = [:]
        var nextPort: UInt16 = 49_152
        var connections = 0
    }

    private let state = Mutex(State())

    /// Creates a network without listeners.
    public init() {}

    /// The faults of streams that are opened from now on.
    public var faults: StreamFaults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// The number of attempts to connect.
    public var connections: Int { state.withLock { $0.connections } }

    /// Connects to a listener.
    ///
    /// - Parameter address: the listener's address.
    /// - Throws: ``/PaykitProvider/StreamError/notConnected(_:_:)`` without a listener, and
    ///   ``/PaykitProvider/StreamError/cancelled``.
    public func connect(to address: StreamAddress) async throws(StreamError) -> any ByteStream {
        guard !Task.isCancelled else { throw .cancelled }
        let (listener, faults, number) = state.withLock { state in
            state.connections += 1
            return (state.listeners[address], state.faults, state.connections)
        }
        guard let listener else { throw .notConnected(address, "Connection refused") }
        let (there, back) = (BytePipe(faults), BytePipe(faults))
        let peer = StreamAddress.loopback(port: UInt16(truncatingIfNeeded: 10_000 + number % 30_000))
        guard listener.offer(LocalStream(peer: peer, incoming: there, outgoing: back)) else {
            throw .notConnected(address, "Connection refused")
        }
        return LocalStream(peer: address, incoming: back, outgoing: there)
    }

    /// Listens for connections.
    ///
    /// - Parameter address: the local address.
    /// - Throws: ``/PaykitProvider/StreamError/unavailable(_:_:)`` for a port that is in use.
    public func listen(at address: StreamAddress) async throws(StreamError) -> any StreamListener {
        let listener: LocalListener? = state.withLock { state in
            var port = address.port
            let isV6 = if case .v6 = address.host { true } else { false }
            func place(_ port: UInt16) -> StreamAddress {
                isV6 ? StreamAddress(.v6(0, 1), port: port) : .loopback(port: port)
            }
            while port == 0 || (address.port == 0 && state.listeners[place(port)] != nil) {
                port = state.nextPort
                state.nextPort = state.nextPort == .max ? 49_152 : state.nextPort + 1
            }
            let bound = place(port)
            guard state.listeners[bound] == nil else { return nil }
            let listener = LocalListener(at: bound) { [weak self] in
                self?.state.withLock { $0.listeners[bound] = nil }
            }
            state.listeners[bound] = listener
            return listener
        }
        guard let listener else { throw .unavailable(address, "Address already in use") }
        return listener
    }

    /// Returns the address of `host`, or loopback for a name.
    ///
    /// - Parameters:
    ///   - host: a name, or an address of either kind.
    ///   - port: the port that the address gets.
    /// - Throws: never.
    public func addresses(of host: String, port: UInt16) async throws(StreamError) -> [StreamAddress] {
        [StreamAddress(host: host, port: port) ?? .loopback(port: port)]
    }
}

private final class LocalStream: ByteStream {
    let peer: StreamAddress
    private let incoming: BytePipe
    private let outgoing: BytePipe

    init(peer: StreamAddress, incoming: BytePipe, outgoing: BytePipe) {
        self.peer = peer
        self.incoming = incoming
        self.outgoing = outgoing
    }

    deinit { close() }

    func send(_ bytes: [UInt8]) async throws(StreamError) {
        guard !Task.isCancelled else { throw .cancelled }
        try outgoing.write(bytes)
    }

    func receive(atMost limit: Int) async throws(StreamError) -> [UInt8] { try await incoming.read(atMost: limit) }

    func close() {
        incoming.close()
        outgoing.end()
    }
}

private final class LocalListener: StreamListener {
    let localAddress: StreamAddress
    private let arrivals = Inbox<any ByteStream, StreamError>()
    private let closed: @Sendable () -> Void

    init(at address: StreamAddress, closed: @escaping @Sendable () -> Void) {
        localAddress = address
        self.closed = closed
    }

    deinit { arrivals.close() }

    func offer(_ stream: any ByteStream) -> Bool { arrivals.offer(stream) }

    func accept() async throws(StreamError) -> any ByteStream { try await arrivals.take().get() }

    func close() {
        closed()
        arrivals.close()
    }
}

/// One direction of a stream in this process.
final class BytePipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var written = 0
        /// The writer has ended it, or the stream broke.
        var isEnded = false
        var isBroken = false
        /// The reader has closed it.
        var isClosed = false
    }

    private let faults: StreamFaults
    private let state = Mutex(State())
    /// Signals a change. Several signals count as one.
    private let changes = Inbox<Void, StreamError>(capacity: 1)

    init(_ faults: StreamFaults) { self.faults = faults }

    func write(_ bytes: [UInt8]) throws(StreamError) {
        let failure: StreamError? = state.withLock { state in
            guard !state.isEnded else { return .closed }
            guard !state.isBroken, !state.isClosed else { return .lost("Broken pipe") }
            for byte in bytes {
                if let end = faults.breaksAfter, state.written >= end {
                    state.isBroken = true
                    break
                }
                state.bytes.append(state.written == faults.damagedByte ? byte ^ 1 : byte)
                state.written += 1
            }
            return nil
        }
        if let failure { throw failure }
        changes.offer(())
    }

    func end() {
        state.withLock { $0.isEnded = true }
        changes.offer(())
    }

    func close() {
        state.withLock { $0.isClosed = true }
        changes.close()
    }

    func read(atMost limit: Int) async throws(StreamError) -> [UInt8] {
        while true {
            let found: Result<[UInt8], StreamError>? = state.withLock { state in
                if state.isClosed { return .failure(.closed) }
                guard state.bytes.isEmpty else {
                    let count = max(1, min(limit, faults.piece ?? .max, state.bytes.count))
                    defer { state.bytes.removeFirst(count) }
                    return .success(Array(state.bytes.prefix(count)))
                }
                if state.isBroken { return .failure(.lost("Connection reset by peer")) }
                return state.isEnded ? .success([]) : nil
            }
            if let found { return try found.get() }
            try await changes.take().get()
        }
    }
}
