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
    /// The claimed source. It can be forged.
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

/// An IPv4 address and a port: the source or destination of a datagram, or the peer of a ``ByteStream``.
public struct DatagramAddress: Sendable, Hashable, CustomStringConvertible {
    /// The four octets of the address, the first of them in the highest bits.
    public let host: UInt32
    /// The port; zero asks for any free one when a socket is opened.
    public let port: UInt16

    /// Creates an address from its numbers.
    public init(host: UInt32, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Creates an address from octets, in their written order.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, port: UInt16) {
        self.init(host: UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d), port: port)
    }

    /// Reads `127.0.0.1:6881`; nil for anything else, including host names. `text` is four numbers without leading
    /// zeros, joined by dots, a colon and a port.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let octets = parts[0].split(separator: ".", omittingEmptySubsequences: false).map {
            Self.number($0, UInt8.self)
        }
        guard octets.count == 4, !octets.contains(nil), let port = Self.number(parts[1], UInt16.self) else {
            return nil
        }
        let bytes = octets.compactMap(\.self)
        self.init(bytes[0], bytes[1], bytes[2], bytes[3], port: port)
    }

    /// Every address of this machine, and any free port.
    public static let any = DatagramAddress(host: 0, port: 0)

    /// Returns the loopback address, which only programs on this machine can reach.
    public static func loopback(port: UInt16 = 0) -> DatagramAddress { DatagramAddress(127, 0, 0, 1, port: port) }

    /// The four octets.
    public var octets: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: host >> UInt32(24 - 8 * $0)) } }

    /// True if the address can be that of a host on the internet: not private, this machine's or multicast (RFC 6890).
    public var isPublic: Bool {
        port != 0 && !Self.reserved.contains { host >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    /// True if the address is one of this machine's own.
    public var isLoopback: Bool { host >> 24 == 127 }

    private static let reserved: [(prefix: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    private static func number<Number: FixedWidthInteger>(_ text: some StringProtocol, _: Number.Type) -> Number? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), text.utf8.count == 1 || text.utf8.first != 0x30 else {
            return nil
        }
        return Number(text)
    }

    /// Such as `127.0.0.1:6881`.
    public var description: String { octets.map(String.init).joined(separator: ".") + ":\(port)" }
}
