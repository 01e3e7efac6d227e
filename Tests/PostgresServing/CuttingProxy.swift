import Foundation
package import PaymentPostgres
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A Unix socket before a server's, which passes bytes on and cuts connections where it is asked to.
package final class CuttingProxy: Sendable {
    /// The fate of a packet on its way.
    package enum Fate: Sendable {
        case passes
        /// It arrives, and nothing comes back: the connection is cut.
        case arrivesLast
        /// The connection is cut before it.
        case isLost
        /// It vanishes, and the server hears no more of the client, as where a cable is cut.
        case vanishes
    }

    /// The folder of the socket, which is named as for the port 5432.
    package let folder: String
    private let target: String
    private let listener: Int32
    private let rule: Mutex<@Sendable (_ toServer: Bool, _ packet: [UInt8]) -> Fate>

    /// - Parameter target: the folder of the server's socket.
    package init(to target: String) throws {
        var template = Array("/tmp/payroute-px-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.target = target
        rule = Mutex { _, _ in .passes }
        listener = Self.makeSocket()
        guard Self.withAddress(folder, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
        let number = listener
        Thread.detachNewThread { [weak self] in
            while case let client = accept(number, nil, nil), client >= 0 {
                if let self { serve(client) } else { close(client) }
            }
            close(number)
        }
    }

    deinit {
        // Its thread closes it, so that it accepts from no other listener with this number.
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Decides the fate of packets from now on. Packets of both directions are those of one `read`.
    package func decide(_ rule: @escaping @Sendable (_ toServer: Bool, _ packet: [UInt8]) -> Fate) {
        self.rule.withLock { $0 = rule }
    }

    private func serve(_ client: Int32) {
        let server = Self.makeSocket()
        guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
            close(server)
            close(client)
            return
        }
        let count = Shared(left: 2)
        for toServer in [true, false] {
            Thread.detachNewThread { [self] in
                let (from, to) = toServer ? (client, server) : (server, client)
                pass(from, to, toServer)
                for number in [from, to] { shutdown(number, Int32(SHUT_RDWR)) }
                if count.leave() {
                    close(client)
                    close(server)
                }
            }
        }
    }

    private func pass(_ from: Int32, _ to: Int32, _ toServer: Bool) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(from, &buffer, buffer.count), count > 0 {
            let packet = Array(buffer[..<count])
            let fate = rule.withLock { $0 }(toServer, packet)
            if fate == .isLost { return }
            if fate == .vanishes {
                // Until the server ends the connection, whatever the client does.
                var end = pollfd(fd: to, events: 0, revents: 0)
                poll(&end, 1, -1)
                return
            }
            var sent = 0
            while sent < count {
                let step = packet[sent...].withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard step > 0 else { return }
                sent += step
            }
            if fate == .arrivesLast { return }
        }
    }

    /// The number of threads that still use a connection.
    private final class Shared: Sendable {
        private let left: Atomic<Int>
        init(left: Int) { self.left = Atomic(left) }
        func leave() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }

    private static func withAddress(
        _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((folder + "/.s.PGSQL.5432").utf8) + [0]
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}

extension PostgresServer {
    /// A way to a schema through a proxy, which sees the statements' texts.
    package func proxied(
        _ schema: String = newSchema(), timeout: Duration? = nil
    ) throws -> (CuttingProxy, PostgresConfiguration) {
        let proxy = try CuttingProxy(to: folder)
        var configuration = configuration(schema, host: proxy.folder)
        configuration.reusesStatements = false
        configuration.timeout = timeout ?? configuration.timeout
        return (proxy, configuration)
    }
}

/// Counts calls.
package final class Counter: Sendable {
    private let value = Atomic(0)
    package init() {}

    package var count: Int { value.load(ordering: .sequentiallyConsistent) }
    package func next() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
}

extension [UInt8] {
    /// True if the bytes contain a text.
    package func contains(_ text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
