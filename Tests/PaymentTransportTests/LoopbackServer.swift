import Foundation
import PaymentCore
import Synchronization

/// An HTTP/1.1 server on loopback with scripted behaviour, which records its requests.
///
/// Each connection has its own thread and blocking sockets. Every request that arrives completely is recorded before
/// it is answered.
final class LoopbackServer: Sendable {
    /// A request as it arrived.
    struct Received: Sendable {
        /// The number of its connection, from 0.
        let connection: Int
        /// The number of earlier requests on that connection.
        let index: Int
        let method: String
        let target: String
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    /// The server's action after a request.
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// Sends zero bytes in pieces, at most this many, until the client has enough.
        case flood(Int)
        /// Sends a text again and again until the client has enough, at most this many bytes.
        case repeated(String, upTo: Int)
        /// Sends a text again and again with a pause of 20 ms after each, until the client closes the connection.
        case drip(String)
        /// Waits until the client closes the connection or the server stops.
        case stall
        case close
    }

    private struct State {
        var received: [Received] = []
        var closedByClient = 0
        var closed = 0
        var sockets: Set<Int32> = []
        var connections = 0
        var bytesFlooded = 0
        var isStopped = false
        /// True when nothing is accepted any more, so that waiting for more ends.
        var isOver = false
        var waiters: [(isMet: @Sendable (borrowing State) -> Bool, reply: CheckedContinuation<Void, Never>)] = []
    }

    private let listener: Int32
    private let host: String
    private let port: UInt16
    private let script: @Sendable (Received) -> [Step]
    private let state = Mutex(State())

    /// Starts a server that does `script` for every request.
    ///
    /// - Parameter host: an address of IPv4 of this machine.
    init(on host: String = "127.0.0.1", _ script: @escaping @Sendable (Received) -> [Step]) throws {
        let (listener, port) = try Self.listen(on: host)
        self.host = host
        self.listener = listener
        self.port = port
        self.script = script
        Thread { [self] in accept() }.start()
    }

    /// Runs `body` with a server that does `script` for every request, and stops it.
    static func serving<Result>(
        on host: String = "127.0.0.1", _ script: @escaping @Sendable (Received) -> [Step],
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try LoopbackServer(on: host, script)
        defer { server.stop() }
        return try await body(server)
    }

    func url(_ path: String = "/") throws -> HTTPURL { try HTTPURL("http://\(host):\(port)\(path)") }

    var received: [Received] { state.withLock(\.received) }
    var connections: Int { state.withLock(\.connections) }
    var bytesFlooded: Int { state.withLock(\.bytesFlooded) }

    /// Returns as soon as `count` requests have arrived.
    func hasReceived(_ count: Int) async { await wait { $0.received.count >= count } }

    /// Returns as soon as the clients have closed `count` connections.
    func clientsClosed(_ count: Int) async { await wait { $0.closedByClient >= count } }

    /// Returns as soon as the server has closed its end of `count` connections.
    func closed(_ count: Int) async { await wait { $0.closed >= count } }

    /// Wakes the threads; each closes its own socket. Under the lock, so that no other server's socket has the number.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if !state.isOver { shutdown(listener, Int32(SHUT_RDWR)) }
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// A port of loopback without a listener.
    static func refusedPort() throws -> UInt16 {
        let (socket, port) = try listen()
        close(socket)
        return port
    }

    // MARK: Waiting

    private func wait(_ isMet: @escaping @Sendable (borrowing State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                let isMetNow = state.withLock { state in
                    if isMet(state) || state.isOver || Task.isCancelled { return true }
                    state.waiters.append((isMet, reply))
                    return false
                }
                if isMetNow { reply.resume() }
            }
        } onCancel: {
            stop()
        }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let replies = state.withLock { state in
            body(&state)
            var replies: [CheckedContinuation<Void, Never>] = []
            for (index, waiter) in state.waiters.enumerated().reversed() where waiter.isMet(state) || state.isOver {
                replies.append(waiter.reply)
                state.waiters.remove(at: index)
            }
            return replies
        }
        for reply in replies { reply.resume() }
    }

    // MARK: Sockets

    static func listen(on host: String = "127.0.0.1") throws -> (socket: Int32, port: UInt16) {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) != 0 || Foundation.listen(listener, 512) != 0
                    || getsockname(listener, address, &length) != 0
            }
        }
        guard listener >= 0, !failed else { throw POSIXError(.EADDRNOTAVAIL) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func accept() {
        while true {
            let socket = Foundation.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.sockets.insert(socket)
                state.connections += 1
                return state.connections - 1
            }
            guard let number else {
                close(socket)
                break
            }
            let thread = Thread { [self] in serve(socket, number) }
            thread.stackSize = 256 << 10
            thread.start()
        }
        change { state in
            state.isOver = true
            close(listener)
        }
    }

    private func serve(_ socket: Int32, _ connection: Int) {
        var reader = Reader(socket: socket)
        var index = 0
        var goesOn = true
        while goesOn {
            guard let request = reader.next(connection, index) else {
                change { $0.closedByClient += $0.isStopped ? 0 : 1 }
                break
            }
            index += 1
            change { $0.received.append(request) }
            for step in script(request) where goesOn { goesOn = perform(step, socket) }
        }
        // Removed before it is closed, so that stop() cannot meet the number of another socket.
        state.withLock { _ = $0.sockets.remove(socket) }
        close(socket)
        change { $0.closed += 1 }
    }

    private func perform(_ step: Step, _ socket: Int32) -> Bool {
        switch step {
        case .send(let text): return Self.write(Array(text.utf8), socket)
        case .sendBytes(let bytes): return Self.write(bytes, socket)
        case .flood(let count):
            return flood([UInt8](repeating: 0, count: 64 << 10), count, socket)
        case .repeated(let text, let count):
            let times = max(1, (64 << 10) / text.utf8.count)
            return flood(Array(String(repeating: text, count: times).utf8), count, socket)
        case .drip(let text):
            while Self.write(Array(text.utf8), socket) { usleep(20_000) }
            return false
        case .stall:
            var byte: UInt8 = 0
            while recv(socket, &byte, 1, 0) > 0 {}
            change { $0.closedByClient += $0.isStopped ? 0 : 1 }
            return false
        case .close: return false
        }
    }

    private func flood(_ piece: [UInt8], _ count: Int, _ socket: Int32) -> Bool {
        var left = count
        while left > 0 {
            guard Self.write(Array(piece.prefix(left)), socket) else { return false }
            left -= min(left, piece.count)
            state.withLock { $0.bytesFlooded = count - left }
        }
        return true
    }

    private static func write(_ bytes: [UInt8], _ socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(noSignal)) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    #if canImport(Darwin)
        private static let noSignal = 0
    #else
        private static let noSignal = MSG_NOSIGNAL
    #endif
}

/// Reads requests from a socket.
private struct Reader {
    let socket: Int32
    var buffer: [UInt8] = []

    mutating func next(_ connection: Int, _ index: Int) -> LoopbackServer.Received? {
        var end: Int?
        while end == nil {
            end = buffer.indices.first { buffer[$0...].starts(with: "\r\n\r\n".utf8) }
            if end == nil, !fill() { return nil }
        }
        guard let end else { return nil }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let start = lines[0].split(separator: " ").map(String.init)
        guard start.count == 3 else { return nil }
        var headers: HTTPHeaders = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers.append(parts[0], parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        buffer.removeFirst(end + 4)
        let length = headers["Content-Length"].flatMap { Int($0) } ?? 0
        while buffer.count < length { if !fill() { return nil } }
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return LoopbackServer.Received(
            connection: connection, index: index, method: start[0], target: start[1], headers: headers, body: body)
    }

    private mutating func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: piece.prefix(count))
        return true
    }
}

extension LoopbackServer.Step {
    /// A complete answer with a length.
    static func ok(_ body: String = "ok", status: String = "200 OK", fields: String = "") -> Self {
        .send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
    }
}
