import Dispatch
import PaykitProvider
import PaymentCore
import SocketPoll
import Synchronization

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

    /// Opens a socket and begins to use it. If `begin` returns nil, the socket is closed.
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
        guard case .v6(let first, let last) = address.host else { return }
        // A listener at every IPv6 address accepts IPv4 connections as well; the system's default differs.
        setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: first | last == 0 ? 0 : 1)
    }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func release(_ descriptor: Int32) { _ = close(descriptor) }
}

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
        case .v6(let first, let last):
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = address.port.bigEndian
            let octets = first.bigEndianBytes + last.bigEndianBytes
            withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: octets) }
            return pass(name)
        @unknown default: preconditionFailure("an address of no kind")
        }
    }

    /// Returns the addresses that the system's resolver knows, in the order of trying (RFC 6724); none for an unknown
    /// host.
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

/// The system's resolver. It may block its thread for any time. A cancelled caller does not wait for it.
struct NameResolver: Sendable {
    private let queue = DispatchQueue(label: "payment-names", attributes: .concurrent)

    /// Returns the addresses of a host, none for an unknown one; nil for a task that was cancelled.
    func addresses(of host: String, port: UInt16, _ family: SystemSockets.Family) async -> [StreamAddress]? {
        guard !Task.isCancelled else { return nil }
        let answer = Inbox<[StreamAddress], StreamError>(capacity: 1)
        queue.async { answer.offer(SystemSockets.addresses(of: host, port: port, family)) }
        return try? await answer.take().get()
    }
}

/// One of the system's sockets, watched until it is closed. The number of a closed one may name another file, so no
/// call uses it afterwards.
final class SocketHandle: Sendable {
    private struct State {
        var descriptor: Int32?
        /// The watches that have not ended.
        var watches: Set<Int> = []
    }

    private let state: Mutex<State>

    init(_ descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    deinit { close() }

    /// Makes one of the system's calls; returns nil for a closed socket.
    func use<Value>(_ call: (Int32) -> Value) -> Value? {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            return call(descriptor)
        }
    }

    /// Makes calls whenever the socket can be read, until it is closed.
    func watch(_ read: @escaping @Sendable (Int32) -> Void) {
        begin(.reading) { [weak self] in
            guard let self, use(read) != nil else { return }
            watch(read)
        }
    }

    /// Waits until the socket is ready, or can never be ready.
    func wait(for readiness: SocketPoll.Readiness) async throws(StreamError) {
        let signals = Inbox<Void, StreamError>(capacity: 1)
        guard let number = begin(readiness, { signals.offer(()) }) else { throw .closed }
        let signal = await signals.take()
        SocketPoll.shared.end(number)
        guard use({ _ in }) != nil else { throw .closed }
        try signal.get()
    }

    /// Begins to watch the socket.
    ///
    /// - Parameter ended: called once, when it is ready, or no longer watched.
    /// - Returns: the number of the watch; nil for a closed socket.
    @discardableResult
    private func begin(_ readiness: SocketPoll.Readiness, _ ended: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            let number = SocketPoll.shared.watch(descriptor, for: readiness) { [weak self] number, _ in
                self?.forget(number)
                ended()
            }
            state.watches.insert(number)
            return number
        }
    }

    private func forget(_ number: Int) { _ = state.withLock { $0.watches.remove(number) } }

    /// Repeats a call until it is done, waiting in between.
    func complete<Value: Sendable>(
        _ readiness: SocketPoll.Readiness, _ failure: (String) -> StreamError,
        _ call: (Int32) -> SystemSockets.Step<Value>
    ) async throws(StreamError) -> Value {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            switch use(call) {
            case nil: throw .closed
            case .done(let value): return value
            case .failed(let detail): throw failure(detail)
            case .notReady: try await wait(for: readiness)
            }
        }
    }

    func close() {
        let watches: Set<Int> = state.withLock { state in
            if let descriptor = state.descriptor { SystemSockets.release(descriptor) }
            state.descriptor = nil
            return state.watches
        }
        for number in watches { SocketPoll.shared.end(number) }
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
                return StreamAddress(StreamAddress.Host(v6: bits), port: UInt16(bigEndian: $0.pointee.sin6_port))
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
