import PaykitPubky
import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's calls for connections. None of them blocks.
extension SystemSockets {
    /// The result of a call.
    enum Step<Value> {
        case done(Value)
        /// Not ready: wait until the socket is ready, then try again.
        case notReady
        /// The system's own short text.
        case failed(String)
    }

    /// Begins to connect; the socket becomes ready for writing when the attempt has ended.
    static func connect(to address: StreamAddress) throws(StreamError) -> Int32 {
        let descriptor = try stream(address)
        let code = with(address) { connectSocket(descriptor, $0, $1) }
        if code == 0 || errno == EINPROGRESS { return descriptor }
        let detail = lastError
        close(descriptor)
        throw .notConnected(address, detail)
    }

    /// Returns the reason that connecting failed; nil if it has not failed.
    static func connectionFailure(_ descriptor: Int32) -> String? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return lastError }
        return code == 0 ? nil : String(cString: strerror(code))
    }

    static func listen(at address: StreamAddress) throws(StreamError) -> (descriptor: Int32, bound: StreamAddress) {
        let descriptor = try stream(address)
        // Connections of an earlier program that have not quite ended do not block the port.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if case .v6(let bits) = address.host {
            // A listener at every IPv6 address accepts IPv4 connections as well; the system's default differs.
            var isAlone: Int32 = bits == 0 ? 0 : 1
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isAlone, socklen_t(MemoryLayout<Int32>.size))
        }
        guard with(address, { bindSocket(descriptor, $0, $1) }) == 0, listenSocket(descriptor) == 0,
            let bound = name(of: { getsockname(descriptor, $0, $1) })?.address
        else {
            let detail = lastError
            close(descriptor)
            throw .unavailable(address, detail)
        }
        return (descriptor, bound)
    }

    static func accept(at descriptor: Int32) -> Step<(descriptor: Int32, peer: StreamAddress)> {
        var accepted: Int32 = -1
        let peer = name(of: {
            accepted = acceptSocket(descriptor, $0, $1)
            return accepted
        })
        guard accepted >= 0 else {
            switch errno {
            // A peer that disconnected in the meantime is no error.
            case EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED: return .notReady
            default: return .failed(lastError)
            }
        }
        guard prepare(accepted), let peer = peer?.address else {
            let detail = lastError
            close(accepted)
            return .failed(detail)
        }
        return .done((accepted, peer))
    }

    /// Sends as much as the system takes now.
    static func send(_ bytes: ArraySlice<UInt8>, over descriptor: Int32) -> Step<Int> {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { sendSocket(descriptor, $0.baseAddress, $0.count, flags) }
        return step(count)
    }

    /// Reads the available bytes, at most `limit`; none at the end.
    static func receive(atMost limit: Int, over descriptor: Int32) -> Step<[UInt8]> {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            count = recv(descriptor, buffer.baseAddress, limit, 0)
            initialized = max(0, count)
        }
        return switch step(count) {
        case .done: .done(bytes)
        case .notReady: .notReady
        case .failed(let detail): .failed(detail)
        }
    }

    private static func step(_ count: Int) -> Step<Int> {
        guard count < 0 else { return .done(count) }
        return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .notReady : .failed(lastError)
    }

    private static func stream(_ address: StreamAddress) throws(StreamError) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { throw .unavailable(address, lastError) }
        guard prepare(descriptor) else {
            let detail = lastError
            close(descriptor)
            throw .unavailable(address, detail)
        }
        return descriptor
    }

    /// Makes a socket non-blocking, not inherited by child processes, and free of signals when the peer is gone.
    private static func prepare(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 && fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
    }

    // These calls have the same names as the functions declared here.
    private static func connectSocket(_ descriptor: Int32, _ name: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32
    {
        #if canImport(Glibc)
            Glibc.connect(descriptor, name, size)
        #elseif canImport(Musl)
            Musl.connect(descriptor, name, size)
        #else
            Darwin.connect(descriptor, name, size)
        #endif
    }

    private static func bindSocket(_ descriptor: Int32, _ name: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
        bind(descriptor, name, size)
    }

    private static func listenSocket(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.listen(descriptor, 64)
        #elseif canImport(Musl)
            Musl.listen(descriptor, 64)
        #else
            Darwin.listen(descriptor, 64)
        #endif
    }

    private static func acceptSocket(
        _ descriptor: Int32, _ name: UnsafeMutablePointer<sockaddr>, _ size: UnsafeMutablePointer<socklen_t>
    ) -> Int32 {
        #if canImport(Glibc)
            Glibc.accept(descriptor, name, size)
        #elseif canImport(Musl)
            Musl.accept(descriptor, name, size)
        #else
            Darwin.accept(descriptor, name, size)
        #endif
    }

    private static func sendSocket(
        _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
    ) -> Int {
        #if canImport(Glibc)
            Glibc.send(descriptor, bytes, count, flags)
        #elseif canImport(Musl)
            Musl.send(descriptor, bytes, count, flags)
        #else
            Darwin.send(descriptor, bytes, count, flags)
        #endif
    }

    // MARK: Addresses

    /// An address in the system's own form, of either family.
    struct SocketName {
        var storage = sockaddr_storage()

        /// Nil for a family other than IPv4 and IPv6.
        var address: StreamAddress? {
            var copy = storage
            return withUnsafePointer(to: &copy) { pointer in
                switch Int32(pointer.pointee.ss_family) {
                case AF_INET:
                    pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { name in
                        StreamAddress(plain(name.pointee))
                    }
                case AF_INET6:
                    pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { StreamAddress($0.pointee) }
                default: nil
                }
            }
        }
    }

    /// The address that one of the system's calls fills in; nil when the call fails.
    static func name(of call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) -> SocketName?
    {
        var name = SocketName()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &name.storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &size) }
        }
        return code < 0 ? nil : name
    }

    /// Passes `address` in the system's form to one of its calls.
    static func with<Result>(
        _ address: StreamAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        guard case .v6(let bits) = address.host else {
            guard case .v4(let bits) = address.host else { preconditionFailure("an address of no kind") }
            return with(DatagramAddress(host: bits, port: address.port), call)
        }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = address.port.bigEndian
        withUnsafeMutableBytes(of: &name.sin6_addr) { bytes in
            for index in 0..<16 { bytes[index] = UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * index)) }
        }
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// Returns the addresses that the system's resolver knows, in the order in which to try them (RFC 6724).
    static func streamAddresses(of host: String, port: UInt16) -> [StreamAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [StreamAddress] = []
        var next = list
        while let entry = next {
            defer { next = entry.pointee.ai_next }
            guard let name = entry.pointee.ai_addr else { continue }
            let address: StreamAddress
            switch entry.pointee.ai_family {
            case AF_INET:
                let host = name.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { plain($0.pointee).host }
                address = StreamAddress(.v4(host), port: port)
            case AF_INET6:
                let host = name.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { StreamAddress($0.pointee).host }
                address = StreamAddress(host, port: port)
            default: continue
            }
            // The list contains each address once per kind of socket.
            if !found.contains(address) { found.append(address) }
        }
        return found
    }
}

extension StreamAddress {
    /// The system's number for the address family.
    fileprivate var family: Int32 {
        if case .v6 = host { return AF_INET6 }
        return AF_INET
    }

    fileprivate init(_ name: sockaddr_in6) {
        let bits = withUnsafeBytes(of: name.sin6_addr) { $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
        self.init(.v6(bits), port: UInt16(bigEndian: name.sin6_port))
    }
}
