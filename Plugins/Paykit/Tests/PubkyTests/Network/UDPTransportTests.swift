import Foundation
import PaykitProvider
import PaymentCore
import Testing

@testable import PaykitKit

/// The system's sockets, on loopback.
@Suite("Datagrams over UDP")
struct UDPTransportTests {
    private let transport = UDPTransport()
    private let clock = SystemPaymentClock()

    @Test("A datagram arrives as it was sent, with its sender, and is answered", .timeLimit(.minutes(1)))
    func exchange() async throws {
        let server = try await transport.open(.loopback())
        let client = try await transport.open(.any)
        #expect(server.localAddress.port != 0 && server.localAddress.isLoopback)
        for bytes in [[], [0], Array(repeating: 7, count: 2048)] as [[UInt8]] {
            try await client.send(bytes, to: server.localAddress)
            let arrived = try await server.receive()
            #expect(arrived.bytes == bytes)
            #expect(arrived.sender == .loopback(port: client.localAddress.port))
            try await server.send(bytes.reversed(), to: arrived.sender)
            #expect(try await client.receive() == Datagram(bytes: bytes.reversed(), sender: server.localAddress))
        }
    }

    @Test("Longer datagrams than allowed are dropped, not cut", .timeLimit(.minutes(1)))
    func tooLong() async throws {
        let server = try await UDPTransport(datagramLimit: 100).open(.loopback())
        let client = try await transport.open(.any)
        try await client.send(Array(repeating: 1, count: 101), to: server.localAddress)
        try await client.send(Array(repeating: 2, count: 100), to: server.localAddress)
        #expect(try await server.receive().bytes == Array(repeating: 2, count: 100))
    }

    @Test("Waiting has an end: the time, the task's, or the socket's", .timeLimit(.minutes(1)))
    func waiting() async throws {
        let socket = try await transport.open(.loopback())
        #expect(try await socket.receive(within: .milliseconds(20), clock: clock) == nil)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let cancelled = Task {
            starting.yield(())
            return try await socket.receive()
        }
        var starts = started.makeAsyncIterator()
        await starts.next()
        cancelled.cancel()
        await #expect(throws: DatagramError.cancelled) { try await cancelled.value }
        let closed = Task { try await socket.receive() }
        let limited = Task { try await socket.receive(within: .seconds(600), clock: clock) }
        socket.close()
        await #expect(throws: DatagramError.closed) { try await closed.value }
        await #expect(throws: DatagramError.closed) { try await limited.value }
        await #expect(throws: DatagramError.closed) { try await socket.receive() }
        await #expect(throws: DatagramError.closed) { try await socket.send([1], to: socket.localAddress) }
        socket.close()
    }

    @Test("A closed socket gives its port and its descriptor back", .timeLimit(.minutes(1)))
    func release() async throws {
        let port = try await transport.open(.loopback()).localAddress.port
        // The socket above has no owner; its port is free again once the system's queue reaches it.
        var again: (any DatagramSocket)?
        while again == nil {
            again = try? await transport.open(.loopback(port: port))
            await Task.yield()
        }
        let taken = DatagramAddress.loopback(port: port)
        await #expect {
            _ = try await transport.open(taken)
        } throws: { error in
            guard case DatagramError.unavailable(taken, let detail) = error else { return false }
            return !detail.isEmpty
        }
        again?.close()
        let before = Self.descriptors
        for _ in 0..<300 { try await transport.open(.loopback()).close() }
        while Self.descriptors > before + 50 { await Task.yield() }
    }

    @Test("No sender waits for a queue that is full: further datagrams are dropped", .timeLimit(.minutes(1)))
    func full() async throws {
        let server = try await UDPTransport(queueLimit: 3).open(.loopback())
        let client = try await transport.open(.any)
        for number in 0..<50 { try await client.send([UInt8(number)], to: server.localAddress) }
        // Sent until it arrives, after all others were taken from the system's queue.
        var seen: [UInt8] = []
        while seen.last != 99 {
            try await client.send([99], to: server.localAddress)
            if let next = try await server.receive(within: .milliseconds(50), clock: clock) {
                seen.append(next.bytes[0])
            }
        }
        #expect(seen.prefix(3) == [0, 1, 2] || seen.count >= 3)
        #expect(seen.filter { $0 != 99 } == seen.filter { $0 != 99 }.sorted())
    }

    @Test("Hosts have addresses, and unknown names have none", .timeLimit(.minutes(1)))
    func names() async throws {
        #expect(try await transport.addresses(of: "127.0.0.1", port: 9) == [.loopback(port: 9)])
        #expect(try await transport.addresses(of: "localhost", port: 9).contains(.loopback(port: 9)))
        await #expect(throws: DatagramError.hostNotFound("a b")) { try await transport.addresses(of: "a b", port: 9) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.addresses(of: "localhost", port: 9)
        }
        await #expect(throws: DatagramError.cancelled) { try await cancelled.value }
    }

    @Test("Many tasks may send, wait and close at once", .timeLimit(.minutes(1)))
    func together() async throws {
        for _ in 0..<20 {
            let socket = try await transport.open(.loopback())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { for _ in 0..<50 { try? await socket.send([1], to: socket.localAddress) } }
                    group.addTask { while (try? await socket.receive()) != nil {} }
                }
                group.addTask {
                    for _ in 0..<10 { await Task.yield() }
                    socket.close()
                }
            }
        }
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
}
