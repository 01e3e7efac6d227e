import Foundation
package import PaymentCore

/// A minimal HTTP/1.1 client on a plain socket: it sends exactly the given bytes, except that `Host: self` becomes the
/// server's address.
///
/// Every call runs on a separate thread, because waiting on a socket in a task would take a thread from the server's
/// tasks.
package struct RawClient: Sendable {
    package struct Answer: Sendable {
        package var status: Int
        package var headers: [String: String]
        package var body: [UInt8]
        /// True if the body ended where the headers said it would.
        package var isComplete: Bool
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let port: UInt16

    package init(_ url: HTTPURL) { port = url.port }

    /// Sends `requests` one after the other on one connection; the list ends early when the server closes it.
    package func exchange(_ requests: [String]) async -> [Answer] {
        await onThread {
            guard let socket = open(port) else { return [] }
            defer { close(socket) }
            var reader = Reader(socket: socket)
            var answers: [Answer] = []
            for request in requests {
                guard write(wire(request), to: socket), let answer = reader.answer() else { return answers }
                answers.append(answer)
            }
            return answers
        }
    }

    /// Opens `count` connections, sends `request` on each, and passes them to `work`. The connections are closed
    /// afterwards.
    package func withConnections<Value: Sendable>(
        _ count: Int, _ request: String, _ work: (Connections) async throws -> Value
    ) async throws -> Value {
        let sockets = await onThread {
            (0..<count).compactMap { _ -> Int32? in
                guard let socket = open(port), write(wire(request), to: socket) else { return nil }
                return socket
            }
        }
        defer { for socket in sockets { close(socket) } }
        return try await work(Connections(sockets: sockets))
    }

    /// Connections with endless answers.
    package struct Connections: Sendable {
        fileprivate let sockets: [Int32]
        package var count: Int { sockets.count }

        /// Reads on each connection until `text` has come.
        ///
        /// - Returns: the number of connections with `text`.
        package func waitFor(_ text: String) async -> Int {
            let sockets = sockets
            return await onThread {
                sockets.count { socket in
                    var reader = Reader(socket: socket)
                    while !String(decoding: reader.buffer, as: UTF8.self).contains(text) {
                        guard reader.more() else { return false }
                    }
                    return true
                }
            }
        }

        /// Reads on each connection until the server closes it.
        ///
        /// - Returns: the number of connections that the server closed.
        package func waitForEnd() async -> Int {
            let sockets = sockets
            return await onThread {
                sockets.count { socket in
                    var reader = Reader(socket: socket)
                    while reader.more() { reader.buffer = [] }
                    return true
                }
            }
        }
    }

    /// A request with a body of `bytes` bytes.
    package func upload(bytes: Int, chunked: Bool) async -> Answer? {
        await onThread {
            guard let socket = open(port) else { return nil }
            defer { close(socket) }
            let length = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bytes)"
            var request = wire("POST /up HTTP/1.1\r\nHost: self\r\n\(length)\r\n\r\n")
            if chunked { request += Array("\(String(bytes, radix: 16))\r\n".utf8) }
            request += [UInt8](repeating: 0x61, count: bytes)
            if chunked { request += Array("\r\n0\r\n\r\n".utf8) }
            _ = write(request, to: socket)
            var reader = Reader(socket: socket)
            return reader.answer()
        }
    }

    /// Sends bytes and closes at once.
    package func sendAndLeave(_ request: String) async {
        await onThread {
            guard let socket = open(port) else { return }
            _ = write(wire(request), to: socket)
            close(socket)
        }
    }

    /// Sends `start` and then `piece` again and again, at most `limit` bytes, until the server has enough.
    ///
    /// - Returns: the number of sent bytes, and the status that the server answered, if any.
    package func flood(_ start: String, _ piece: String, upTo limit: Int) async -> (sent: Int, status: Int?) {
        await onThread {
            guard let socket = open(port) else { return (0, nil) }
            defer { close(socket) }
            let block = Array(String(repeating: piece, count: max(1, (32 << 10) / piece.utf8.count)).utf8)
            var sent = 0
            if write(wire(start), to: socket) {
                while sent < limit, write(block, to: socket) { sent += block.count }
            }
            shutdown(socket, Int32(SHUT_WR))
            var reader = Reader(socket: socket)
            return (sent, reader.answer()?.status)
        }
    }

    private func wire(_ request: String) -> [UInt8] {
        Array(request.replacing("Host: self\r\n", with: "Host: 127.0.0.1:\(port)\r\n").utf8)
    }

    /// True if the port has a listener.
    package func canConnect() async -> Bool {
        await onThread {
            guard let socket = open(port) else { return false }
            close(socket)
            return true
        }
    }
}

private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}

private func open(_ port: UInt16) -> Int32? {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard result == 0 else {
        close(handle)
        return nil
    }
    // A test that waits endlessly reports nothing.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    return handle
}

private func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return false }
        sent += count
    }
    return true
}

private struct Reader {
    let socket: Int32
    var buffer: [UInt8] = []

    init(socket: Int32) { self.socket = socket }

    mutating func more() -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }

    mutating func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end].filter { $0 != 0x0D }, as: UTF8.self)
            }
            guard more() else { return nil }
        }
    }

    mutating func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard more() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    mutating func answer() -> RawClient.Answer? {
        guard let first = line()?.split(separator: " "), first.count >= 2, let status = Int(first[1]) else {
            return nil
        }
        var headers: [String: String] = [:]
        while let line = line(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        var answer = RawClient.Answer(status: status, headers: headers, body: [], isComplete: true)
        if headers["transfer-encoding"] == "chunked" {
            while let size = line().flatMap({ Int($0, radix: 16) }) {
                guard let chunk = take(size), line() != nil else { break }
                answer.body += chunk
                if size == 0 { return answer }
            }
            answer.isComplete = false
        } else if let length = headers["content-length"].flatMap({ Int($0) }) {
            let body = take(length)
            answer.isComplete = body != nil
            answer.body = body ?? []
        }
        return answer
    }
}
