import PaymentCrypto

/// An IP address and a port: the peer of a ``ByteStream``, or the address of a listener.
public struct StreamAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address of a machine.
    @nonexhaustive
    public enum Host: Sendable, Hashable {
        /// An IPv4 address, its first octet in the highest bits.
        case v4(UInt32)
        /// An IPv6 address, its first octet in the highest bits. Zones are not kept.
        case v6(UInt128)
    }

    /// The machine. An IPv4 address written as an IPv6 address is an IPv4 address.
    public let host: Host
    /// The port; zero asks for any free one for a listener.
    public let port: UInt16

    /// Creates an address.
    public init(_ host: Host, port: UInt16) {
        if case .v6(let bits) = host, bits >> 32 == 0xFFFF {
            self.host = .v4(UInt32(truncatingIfNeeded: bits))
        } else {
            self.host = host
        }
        self.port = port
    }

    /// Creates an IPv4 address from octets, in the order in which they are written.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, port: UInt16) {
        self.init(DatagramAddress(a, b, c, d, port: port))
    }

    /// Creates the same address for streams.
    public init(_ address: DatagramAddress) { self.init(.v4(address.host), port: address.port) }

    /// Reads `127.0.0.1:80` or `[::1]:80`; nil for anything else, including host names. `text` is four numbers without
    /// leading zeros, or an IPv6 address in brackets (RFC 4291 section 2.2), a colon and a port.
    public init?(_ text: some StringProtocol) {
        // What follows the host has the form of the rest of an IPv4 address.
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
            self.init(.v6(bits), port: port)
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
        case .v6(let bits): bits == 1
        }
    }

    /// True if the address can be that of a host on the internet: not private, not this machine, not multicast, and
    /// none that leads to such a one (RFC 6890, and IANA's registry of special IPv6 addresses).
    public var isPublic: Bool {
        switch host {
        case .v4(let bits): return DatagramAddress(host: bits, port: port).isPublic
        case .v6(let bits):
            // All assigned addresses, except those for documentation, for protocols, and for tunnels to any IPv4
            // address.
            guard port != 0, bits >> 125 == 0b001 else { return false }
            return bits >> 105 != 0x2001_0000 >> 9 && bits >> 96 != 0x2001_0DB8 && bits >> 112 != 0x2002
                && bits >> 108 != 0x3FFF0
        }
    }

    /// Such as `127.0.0.1:80` or `[::1]:80`.
    public var description: String {
        switch host {
        case .v4(let bits): DatagramAddress(host: bits, port: port).description
        case .v6(let bits): "[\(IPv6Text.write(bits))]:\(port)"
        }
    }
}
