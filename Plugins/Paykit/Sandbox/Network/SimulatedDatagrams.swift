import PaykitKit
public import PaykitProvider
import PaymentCore
public import PaymentTesting
import Synchronization

/// The probabilities of faults in a ``SimulatedDatagrams``, each from 0 to 1.
public struct DatagramFaults: Sendable, Hashable {
    /// It is lost.
    public var lost = 0.0
    /// It arrives twice, at independent times.
    public var doubled = 0.0
    /// It takes up to ``longestDelay`` instead of up to 50 ms. Datagrams overtake each other in any case.
    public var delayed = 0.0
    /// It arrives with one bit changed.
    public var damaged = 0.0
    /// The longest delay of a delayed one.
    public var longestDelay = Duration.seconds(10)

    /// Creates a network without faults.
    public init() {}

    /// No faults.
    public static let none = DatagramFaults()
}

/// A network of datagrams inside a ``SimulatedWorld``: its seed determines which are lost, doubled, late and overtaken.
///
/// ```swift
/// let world = SimulatedWorld(seed: 42)
/// let network = SimulatedDatagrams(in: world)
/// let server = try await network.machine(at: DatagramAddress(192, 0, 2, 1, port: 0)).open(.any)
/// ```
public final class SimulatedDatagrams: Sendable {
    private struct State {
        var faults: DatagramFaults
        var sockets: [DatagramAddress: Inbox<Datagram, DatagramError>] = [:]
        var nextPort: UInt16 = 49_152
        var sent = 0
        var watch: (@Sendable (Datagram, DatagramAddress) -> Void)?
    }

    private let world: SimulatedWorld
    private let random: SeededRandomSource
    private let state: Mutex<State>

    /// Creates a network without machines.
    public init(in world: SimulatedWorld, faults: DatagramFaults = .none) {
        self.world = world
        random = SeededRandomSource(seed: world.random.next())
        state = Mutex(State(faults: faults))
    }

    /// The faults from now on.
    public var faults: DatagramFaults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// The number of sent datagrams.
    public var sent: Int { state.withLock { $0.sent } }

    /// Returns the network as seen by the machine with the host of `address`.
    public func machine(at address: DatagramAddress) -> any DatagramTransport {
        Machine(network: self, host: address.host)
    }

    /// Calls `look` with every datagram as it is sent, and its destination.
    public func watch(_ look: @escaping @Sendable (_ sent: Datagram, _ to: DatagramAddress) -> Void) {
        state.withLock { $0.watch = look }
    }

    /// Sends a datagram with any claimed sender: this makes forgeries possible.
    public func inject(_ datagram: Datagram, to address: DatagramAddress) {
        let (faults, watch) = state.withLock { state in
            state.sent += 1
            return (state.faults, state.watch)
        }
        watch?(datagram, address)
        if happens(faults.lost) { return }
        for _ in 0..<(happens(faults.doubled) ? 2 : 1) {
            let bytes = happens(faults.damaged) ? damaged(datagram.bytes) : datagram.bytes
            let longest = happens(faults.delayed) ? faults.longestDelay : .milliseconds(50)
            let delay = Int64(Double(longest.nanoseconds) * random.fraction())
            world.schedule(after: delay) { [self] in
                let inbox = state.withLock { $0.sockets[address] }
                inbox?.offer(Datagram(bytes: bytes, sender: datagram.sender))
            }
        }
    }

    private func happens(_ probability: Double) -> Bool { probability > 0 && random.fraction() < probability }

    private func damaged(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        let draw = random.next()
        bytes[Int(truncatingIfNeeded: (draw >> 8) % UInt64(bytes.count))] ^= 1 << UInt8(draw & 7)
        return bytes
    }

    fileprivate func open(_ wanted: DatagramAddress, at host: UInt32) throws(DatagramError) -> SimulatedSocket {
        let inbox = Inbox<Datagram, DatagramError>()
        let address: DatagramAddress? = state.withLock { state in
            var port = wanted.port
            if port == 0 {
                repeat {
                    port = state.nextPort
                    state.nextPort = state.nextPort == .max ? 49_152 : state.nextPort + 1
                } while state.sockets[DatagramAddress(host: host, port: port)] != nil
            }
            let address = DatagramAddress(host: host, port: port)
            guard state.sockets[address] == nil else { return nil }
            state.sockets[address] = inbox
            return address
        }
        guard let address else { throw .unavailable(wanted, "Address already in use") }
        return SimulatedSocket(network: self, localAddress: address, inbox: inbox)
    }

    fileprivate func isOpen(_ socket: SimulatedSocket) -> Bool {
        state.withLock { $0.sockets[socket.localAddress] === socket.inbox }
    }

    fileprivate func close(_ socket: SimulatedSocket) {
        state.withLock { state in
            if state.sockets[socket.localAddress] === socket.inbox { state.sockets[socket.localAddress] = nil }
        }
    }

    private struct Machine: DatagramTransport {
        let network: SimulatedDatagrams
        let host: UInt32

        func open(_ address: DatagramAddress) async throws(DatagramError) -> any DatagramSocket {
            guard !Task.isCancelled else { throw .cancelled }
            guard address.host == 0 || address.host == host else {
                throw .unavailable(address, "Cannot assign requested address")
            }
            return try network.open(address, at: host)
        }

        func addresses(of host: String, port: UInt16) async throws(DatagramError) -> [DatagramAddress] {
            guard let address = DatagramAddress("\(host):\(port)") else { throw .hostNotFound(host) }
            return [address]
        }
    }
}

private final class SimulatedSocket: DatagramSocket {
    let network: SimulatedDatagrams
    let localAddress: DatagramAddress
    let inbox: Inbox<Datagram, DatagramError>

    init(network: SimulatedDatagrams, localAddress: DatagramAddress, inbox: Inbox<Datagram, DatagramError>) {
        self.network = network
        self.localAddress = localAddress
        self.inbox = inbox
    }

    deinit { close() }

    func send(_ bytes: [UInt8], to address: DatagramAddress) async throws(DatagramError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard network.isOpen(self) else { throw .closed }
        network.inject(Datagram(bytes: bytes, sender: localAddress), to: address)
    }

    func receive() async throws(DatagramError) -> Datagram { try await inbox.take().get() }

    func close() {
        network.close(self)
        inbox.close()
    }
}
