import PaymentCrypto

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

    /// Returns the addresses of a host, in the order to try them. `host` is a name, an address in dotted form, or an
    /// IPv6 address, in brackets or without. `port` is the port that the addresses get.
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

/// An IP address and a port: the peer of a ``ByteStream``, or the address of a listener.
public struct StreamAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address of a machine.
    @nonexhaustive
    public enum Host: Sendable, Hashable {
        /// An IPv4 address, its first octet in the highest bits.
        case v4(UInt32)
        /// An IPv6 address: its first eight octets and its last eight, the first of each in the highest bits. Zones are
        /// not kept.
        ///
        /// Not one `UInt128`: Swift 6.3.1 without optimization aligns a returned ``StreamAddress`` for words, and traps
        /// when it copies one that needs more.
        case v6(UInt64, UInt64)

        /// Creates an IPv6 address from its bits.
        package init(v6 bits: UInt128) {
            self = .v6(UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits))
        }
    }

    /// The machine. An IPv4 address written as an IPv6 address is an IPv4 address.
    public let host: Host
    /// The port; zero asks for any free one for a listener.
    public let port: UInt16

    /// Creates an address.
    public init(_ host: Host, port: UInt16) {
        if case .v6(0, let bits) = host, bits >> 32 == 0xFFFF {
            self.host = .v4(UInt32(truncatingIfNeeded: bits))
        } else {
            self.host = host
        }
        self.port = port
    }

    /// Creates an IPv4 address from octets, in their written order.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, port: UInt16) {
        self.init(DatagramAddress(a, b, c, d, port: port))
    }

    /// Creates the same address for streams.
    public init(_ address: DatagramAddress) { self.init(.v4(address.host), port: address.port) }

    /// Reads `127.0.0.1:80` or `[::1]:80`; nil for anything else, including host names. `text` is four numbers without
    /// leading zeros, or an IPv6 address in brackets (RFC 4291 section 2.2), a colon and a port.
    public init?(_ text: some StringProtocol) {
        // The part after the host has the form of the rest of an IPv4 address.
        guard let colon = text.lastIndex(of: ":"), let port = DatagramAddress("0.0.0.0\(text[colon...])")?.port,
            text.first == "[" || !text[..<colon].contains(":")
        else { return nil }
        self.init(host: String(text[..<colon]), port: port)
    }

    /// Creates an address from the text of a host, in brackets or without, and a port; nil for a name. `host` is four
    /// numbers joined by dots, or an IPv6 address. `port` is the port.
    public init?(host: String, port: UInt16) {
        if host.contains(":") {
            let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]")
            guard let bits = IPv6Text.read(isInBrackets ? String(host.dropFirst().dropLast()) : host) else {
                return nil
            }
            self.init(Host(v6: bits), port: port)
        } else {
            guard let address = DatagramAddress("\(host):\(port)") else { return nil }
            self.init(address)
        }
    }

    /// Returns the IPv4 loopback address, which only programs on this machine can reach.
    public static func loopback(port: UInt16 = 0) -> StreamAddress { StreamAddress(127, 0, 0, 1, port: port) }

    /// True if the address is one of this machine's own.
    public var isLoopback: Bool {
        switch host {
        case .v4(let bits): DatagramAddress(host: bits, port: port).isLoopback
        case .v6(let first, let last): first == 0 && last == 1
        }
    }

    /// True if the address can be that of a host on the internet: not private, not this machine, not multicast, and not
    /// one that leads to such an address (RFC 6890, and IANA's registry of special IPv6 addresses).
    public var isPublic: Bool {
        switch host {
        case .v4(let bits): return DatagramAddress(host: bits, port: port).isPublic
        case .v6(let bits, _):
            // All assigned addresses, except those for documentation, for protocols, and for tunnels to any IPv4
            // address.
            guard port != 0, bits >> 61 == 0b001 else { return false }
            return bits >> 41 != 0x2001_0000 >> 9 && bits >> 32 != 0x2001_0DB8 && bits >> 48 != 0x2002
                && bits >> 44 != 0x3FFF0
        }
    }

    /// Such as `127.0.0.1:80` or `[::1]:80`.
    public var description: String {
        switch host {
        case .v4(let bits): DatagramAddress(host: bits, port: port).description
        case .v6(let first, let last): "[\(IPv6Text.write(UInt128(first) << 64 | UInt128(last)))]:\(port)"
        }
    }
}
