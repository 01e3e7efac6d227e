import PaykitProvider
import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Addresses in the system's own form.
extension SystemSockets {
    /// The kinds of addresses that a name may lead to.
    enum Family {
        case v4, any
    }

    /// Returns the address that one of the system's calls fills in, and the call's result; no address when the call
    /// fails, and for a family other than IPv4 and IPv6.
    static func name(
        of call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (code: Int32, address: StreamAddress?) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                let code = call(name, &size)
                return (code, code < 0 ? nil : StreamAddress(name))
            }
        }
    }

    /// Passes `address` in the system's form to one of its calls.
    static func with<Result>(
        _ address: StreamAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        func pass<Name>(_ name: Name) -> Result {
            withUnsafePointer(to: name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<Name>.size)) }
            }
        }
        // Darwin's field for the length is the kernel's to fill.
        switch address.host {
        case .v4(let bits):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = address.port.bigEndian
            name.sin_addr.s_addr = bits.bigEndian
            return pass(name)
        case .v6(let bits):
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = address.port.bigEndian
            withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: bits.bigEndianBytes) }
            return pass(name)
        @unknown default: preconditionFailure("an address of no kind")
        }
    }

    /// Returns the addresses that the system's resolver knows, in the order in which to try them (RFC 6724); none for
    /// an unknown host.
    static func addresses(of host: String, port: UInt16, _ family: Family) -> [StreamAddress] {
        var hints = addrinfo()
        hints.ai_family = family == .v4 ? AF_INET : AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [StreamAddress] = []
        var next = list
        while let entry = next {
            defer { next = entry.pointee.ai_next }
            guard let name = entry.pointee.ai_addr, let known = StreamAddress(name) else { continue }
            let address = StreamAddress(known.host, port: port)
            // The list contains each address once per kind of socket.
            if !found.contains(address) { found.append(address) }
        }
        return found
    }
}

extension StreamAddress {
    /// Reads the system's form; nil for a family other than IPv4 and IPv6.
    fileprivate init?(_ name: UnsafePointer<sockaddr>) {
        switch Int32(name.pointee.sa_family) {
        case AF_INET:
            self = name.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                StreamAddress(
                    .v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr)), port: UInt16(bigEndian: $0.pointee.sin_port))
            }
        case AF_INET6:
            self = name.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                let bits = withUnsafeBytes(of: $0.pointee.sin6_addr) { $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
                return StreamAddress(.v6(bits), port: UInt16(bigEndian: $0.pointee.sin6_port))
            }
        default: return nil
        }
    }
}

extension DatagramAddress {
    /// Creates the same address for datagrams; nil for one of IPv6.
    init?(_ address: StreamAddress) {
        guard case .v4(let bits) = address.host else { return nil }
        self.init(host: bits, port: address.port)
    }
}
