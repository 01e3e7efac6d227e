import PaykitPubky
import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's socket calls, without the differences between platforms: here those for datagrams.
enum SystemSockets {
    /// The result of one read from a socket.
    enum Arrival {
        case datagram(Datagram)
        /// Not a valid datagram here: too long, or not IPv4.
        case unusable
        /// Nothing more for now.
        case nothing
    }

    /// Opens a socket that never blocks and that child processes do not inherit.
    static func open(_ address: DatagramAddress) throws(DatagramError) -> (descriptor: Int32, bound: DatagramAddress) {
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw .unavailable(address, lastError) }
        do throws(DatagramError) {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                throw .unavailable(address, lastError)
            }
            guard with(address, { bind(descriptor, $0, $1) }) == 0, let bound = localAddress(descriptor) else {
                throw .unavailable(address, lastError)
            }
            return (descriptor, bound)
        } catch {
            close(descriptor)
            throw error
        }
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    /// Sends a datagram, or drops it when the system's queue is full, as the network would.
    static func send(_ bytes: [UInt8], to address: DatagramAddress, over descriptor: Int32) throws(DatagramError) {
        let sent = with(address) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        guard sent < 0, errno != EAGAIN, errno != EWOULDBLOCK, errno != ENOBUFS else { return }
        throw .notSent(address, lastError)
    }

    static func receive(from descriptor: Int32, limit: Int) -> Arrival {
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // One byte more than the limit reveals a datagram that is too long.
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, initialized in
            count = withUnsafeMutablePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, buffer.baseAddress, limit + 1, 0, $0, &length)
                }
            }
            initialized = max(0, count)
        }
        guard count >= 0 else {
            // The system may report here that an earlier datagram found no receiver; the socket is still usable.
            return errno == EINTR || errno == ECONNREFUSED ? .unusable : .nothing
        }
        guard count <= limit, Int32(name.sin_family) == AF_INET else { return .unusable }
        return .datagram(Datagram(bytes: bytes, sender: plain(name)))
    }

    /// Returns the addresses that the system's resolver knows; none for an unknown host.
    static func addresses(of host: String, port: UInt16) -> [DatagramAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_INET
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [DatagramAddress] = []
        var next = list
        while let entry = next {
            defer { next = entry.pointee.ai_next }
            guard entry.pointee.ai_family == AF_INET, let name = entry.pointee.ai_addr else { continue }
            let host = name.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { plain($0.pointee).host }
            let address = DatagramAddress(host: host, port: port)
            // The list contains each address once per kind of socket.
            if !found.contains(address) { found.append(address) }
        }
        return found
    }

    /// Passes `address` in the system's form to one of its calls.
    static func with<Result>(
        _ address: DatagramAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var name = sockaddr_in()
        // Darwin's field for the length is the kernel's to fill.
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        name.sin_addr.s_addr = address.host.bigEndian
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    /// Returns the address that a socket is bound to; nil when the system does not report it.
    static func localAddress(_ descriptor: Int32) -> DatagramAddress? {
        var name = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return code == 0 ? plain(name) : nil
    }

    static func plain(_ name: sockaddr_in) -> DatagramAddress {
        DatagramAddress(host: UInt32(bigEndian: name.sin_addr.s_addr), port: UInt16(bigEndian: name.sin_port))
    }

    static var lastError: String { String(cString: strerror(errno)) }
}
