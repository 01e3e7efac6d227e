import PaykitProvider
import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's socket calls, without the differences between platforms. None of them blocks, except the resolver's.
enum SystemSockets {
    /// The result of a call that is made once.
    enum Outcome<Value> {
        case done(Value)
        /// The system's own short text.
        case failed(String)
    }

    /// The result of a call that may have to wait.
    enum Step<Value> {
        case done(Value)
        /// Not ready: wait until the socket is ready, then try again.
        case notReady
        /// The system's own short text.
        case failed(String)
    }

    /// The purpose of a socket.
    enum Kind {
        case datagrams, stream, listener

        fileprivate var number: Int32 {
            #if canImport(Glibc)
                Int32((self == .datagrams ? SOCK_DGRAM : SOCK_STREAM).rawValue)
            #else
                self == .datagrams ? SOCK_DGRAM : SOCK_STREAM
            #endif
        }
    }

    /// Opens a socket at a local address.
    static func open(_ kind: Kind, at address: StreamAddress) -> Outcome<(descriptor: Int32, bound: StreamAddress)> {
        begin(kind, address) { descriptor in
            if kind == .listener { prepareListener(descriptor, at: address) }
            guard with(address, { bind(descriptor, $0, $1) }) == 0,
                kind == .datagrams || listen(descriptor, 64) == 0
            else { return nil }
            return name { getsockname(descriptor, $0, $1) }.address.map { (descriptor, $0) }
        }
    }

    /// Begins to connect; the socket becomes ready for writing when the attempt has ended.
    static func begin(connectingTo address: StreamAddress) -> Outcome<Int32> {
        begin(.stream, address) { descriptor in
            let code = with(address) { connect(descriptor, $0, $1) }
            return code == 0 || errno == EINPROGRESS ? descriptor : nil
        }
    }

    /// Returns the reason that connecting failed; nil if it has not failed.
    static func connectionFailure(_ descriptor: Int32) -> String? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return lastError }
        return code == 0 ? nil : String(cString: strerror(code))
    }

    static func nextConnection(at descriptor: Int32) -> Step<(descriptor: Int32, peer: StreamAddress)> {
        let peer = name { accept(descriptor, $0, $1) }
        guard peer.code >= 0 else {
            // A peer that disconnected in the meantime is no error.
            return errno == ECONNABORTED ? .notReady : failure()
        }
        guard prepare(peer.code), let address = peer.address else {
            let detail = lastError
            close(peer.code)
            return .failed(detail)
        }
        return .done((peer.code, address))
    }

    /// Sends as much as the system takes now.
    static func sendPart(of bytes: ArraySlice<UInt8>, over descriptor: Int32) -> Step<Int> {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        return count < 0 ? failure() : .done(count)
    }

    /// Reads the available bytes, at most `limit`; none at the end.
    static func receive(atMost limit: Int, over descriptor: Int32) -> Step<[UInt8]> {
        bytes(limit) { recv(descriptor, $0, limit, 0) }.map { .done($0) } ?? failure()
    }

    // MARK: Datagrams

    /// Sends a datagram, or drops it when the system's queue is full, as the network would.
    static func sendDatagram(_ bytes: [UInt8], to address: DatagramAddress, over descriptor: Int32) -> Outcome<Void> {
        let sent = with(StreamAddress(address)) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        let isDropped = sent < 0 && [EAGAIN, EWOULDBLOCK, ENOBUFS].contains(errno)
        return sent >= 0 || isDropped ? .done(()) : .failed(lastError)
    }

    /// The result of one read from a socket for datagrams.
    enum Arrival {
        case datagram(Datagram)
        /// Not a valid datagram here: too long, or not IPv4.
        case unusable
        /// Nothing more for now.
        case nothing
    }

    static func receiveDatagram(over descriptor: Int32, limit: Int) -> Arrival {
        var sender: StreamAddress?
        // One byte more than the limit reveals a datagram that is too long.
        let bytes = bytes(limit + 1) { buffer in
            let arrival = name { Int32(truncatingIfNeeded: recvfrom(descriptor, buffer, limit + 1, 0, $0, $1)) }
            sender = arrival.address
            return Int(arrival.code)
        }
        guard let bytes else {
            // The system may report here that an earlier datagram found no receiver; the socket is still usable.
            return errno == EINTR || errno == ECONNREFUSED ? .unusable : .nothing
        }
        guard bytes.count <= limit, let sender = sender.flatMap(DatagramAddress.init) else { return .unusable }
        return .datagram(Datagram(bytes: bytes, sender: sender))
    }

    // MARK: Results

    /// Returns the bytes that a call reads; nil when it fails.
    private static func bytes(_ limit: Int, _ read: (UnsafeMutablePointer<UInt8>?) -> Int) -> [UInt8]? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            count = read(buffer.baseAddress)
            initialized = max(0, count)
        }
        return count < 0 ? nil : bytes
    }

    /// Returns the result of a call that has failed.
    private static func failure<Value>() -> Step<Value> {
        [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .notReady : .failed(lastError)
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    // MARK: Opening and closing

    /// Opens a socket and begins to use it; where `begin` returns nil the socket is closed.
    private static func begin<Value>(
        _ kind: Kind, _ address: StreamAddress, _ begin: (Int32) -> Value?
    ) -> Outcome<Value> {
        var family = AF_INET
        if case .v6 = address.host { family = AF_INET6 }
        let descriptor = socket(family, kind.number, 0)
        guard descriptor >= 0 else { return .failed(lastError) }
        if prepare(descriptor), let value = begin(descriptor) { return .done(value) }
        let detail = lastError
        close(descriptor)
        return .failed(detail)
    }

    /// Makes a socket non-blocking, not inherited by child processes, and free of signals when the peer is gone.
    private static func prepare(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, to: 1)
        #endif
        return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 && fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
    }

    private static func prepareListener(_ descriptor: Int32, at address: StreamAddress) {
        // Connections of an earlier program that have not quite ended do not block the port.
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, to: 1)
        guard case .v6(let bits) = address.host else { return }
        // A listener at every IPv6 address accepts IPv4 connections as well; the system's default differs.
        setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: bits == 0 ? 0 : 1)
    }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func release(_ descriptor: Int32) { _ = close(descriptor) }
}
