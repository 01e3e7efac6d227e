import Foundation
import PaykitProvider
import PaymentCore
import Testing

@testable import PaykitKit

/// The system's sockets, on loopback.
@Suite("Streams over TCP", .timeLimit(.minutes(1)))
struct TCPTransportTests {
    private let transport = TCPTransport()
    private let clock = SystemPaymentClock()

    private func pair() async throws -> (any ByteStream, any ByteStream, any StreamListener) {
        let listener = try await transport.listen(at: .loopback())
        async let accepted = listener.accept()
        let client = try await transport.connect(to: listener.localAddress)
        return (client, try await accepted, listener)
    }

    @Test("Bytes arrive in order and complete, more than the system takes at once")
    func exchange() async throws {
        let (client, server, listener) = try await pair()
        #expect(listener.localAddress.port != 0 && listener.localAddress.isLoopback)
        #expect(client.peer == listener.localAddress && server.peer.isLoopback)
        let sent = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let sending = Task {
            try await client.send(sent)
            client.close()
        }
        var received: [UInt8] = []
        while true {
            let some = try await server.receive(atMost: 5000)
            #expect(some.count <= 5000)
            if some.isEmpty { break }
            received += some
        }
        try await sending.value
        #expect(received == sent)
    }

    /// True if this machine has IPv6.
    private static let hasV6: Bool = {
        guard case .done(let socket) = SystemSockets.open(.listener, at: StreamAddress(.v6(0, 1), port: 0)) else {
            return false
        }
        SystemSockets.release(socket.descriptor)
        return true
    }()

    @Test(
        "Over IPv6 it is the same, by its address and by a name",
        .enabled(if: hasV6, "this machine has no IPv6 loopback"))
    func overV6() async throws {
        let listener = try await transport.listen(at: StreamAddress(.v6(0, 1), port: 0))
        let place = listener.localAddress
        #expect(place.isLoopback && place.description == "[::1]:\(place.port)")
        for host in ["::1", "[::1]", "[0:0::1]"] {
            let found = try await transport.addresses(of: host, port: place.port)
            #expect(found == [place])
            async let accepted = listener.accept()
            let client = try await transport.connect(to: place)
            let server = try await accepted
            #expect(client.peer == place && server.peer.isLoopback)
            try await client.send(Array(host.utf8))
            #expect(try await server.receive(atMost: 99) == Array(host.utf8))
        }
        // No listener at the same port of the other kind.
        await #expect(throws: StreamError.self) { try await transport.connect(to: .loopback(port: place.port)) }
    }

    @Test("A listener at every address takes both kinds", .enabled(if: hasV6, "this machine has no IPv6 loopback"))
    func bothKinds() async throws {
        let listener = try await transport.listen(at: StreamAddress(.v6(0, 0), port: 0))
        let port = listener.localAddress.port
        for place in [StreamAddress.loopback(port: port), StreamAddress(.v6(0, 1), port: port)] {
            async let accepted = listener.accept()
            let client = try await transport.connect(to: place)
            #expect(try await accepted.peer.isLoopback && client.peer == place)
        }
    }

    @Test("Nothing is read without a request: an endless sender waits")
    func backPressure() async throws {
        let (client, server, _) = try await pair()
        let flood = Task { () -> StreamError? in
            do throws(StreamError) {
                while true { try await client.send([UInt8](repeating: 1, count: 1 << 20)) }
            } catch { return error }
        }
        #expect(try await server.receive(atMost: 3) == [1, 1, 1])
        server.close()
        let end = await flood.value
        guard case .lost? = end else {
            Issue.record("\(String(describing: end))")
            return
        }
    }

    @Test("Waiting has an end: the time, the task's, or the stream's")
    func waiting() async throws {
        let (client, server, listener) = try await pair()
        #expect(await clock.limit(to: .milliseconds(20)) { try? await client.receive(atMost: 1) } == nil)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let cancelled = Task {
            starting.yield(())
            return try await client.receive(atMost: 1)
        }
        var starts = started.makeAsyncIterator()
        await starts.next()
        cancelled.cancel()
        await #expect(throws: StreamError.cancelled) { try await cancelled.value }
        // The stream is unchanged.
        try await server.send([7])
        #expect(try await client.receive(atMost: 9) == [7])
        let closed = Task { try await client.receive(atMost: 1) }
        client.close()
        await #expect(throws: StreamError.closed) { try await closed.value }
        await #expect(throws: StreamError.closed) { try await client.send([1]) }
        client.close()
        #expect(try await server.receive(atMost: 1) == [])
        let accepting = Task { try await listener.accept() }
        listener.close()
        await #expect(throws: StreamError.closed) { _ = try await accepting.value }
        await #expect(throws: StreamError.closed) { _ = try await listener.accept() }
    }

    @Test("Without a listener there is no connection, and a taken port is refused")
    func nobody() async throws {
        let listener = try await transport.listen(at: .loopback())
        let taken = listener.localAddress
        await #expect {
            _ = try await transport.listen(at: taken)
        } throws: { error in
            guard case StreamError.unavailable(taken, let detail) = error else { return false }
            return !detail.isEmpty
        }
        listener.close()
        await #expect {
            // The system may take a moment to release the port.
            while true {
                let stream = try await transport.connect(to: taken)
                stream.close()
                await Task.yield()
            }
        } throws: { error in
            guard case StreamError.notConnected(taken, _) = error else { return false }
            return true
        }
    }

    @Test("Streams that are no longer referenced return their descriptors")
    func release() async throws {
        let listener = try await transport.listen(at: .loopback())
        let before = Self.descriptors
        for _ in 0..<200 {
            async let accepted = listener.accept()
            let client = try await transport.connect(to: listener.localAddress)
            try await client.send([1])
            #expect(try await accepted.receive(atMost: 1) == [1])
        }
        while Self.descriptors > before + 60 { await Task.yield() }
    }

    @Test("A host's name is found, and an unknown one is not")
    func names() async throws {
        #expect(try await transport.addresses(of: "localhost", port: 9).contains(.loopback(port: 9)))
        #expect(try await transport.addresses(of: "192.0.2.7", port: 9) == [StreamAddress(192, 0, 2, 7, port: 9)])
        await #expect(throws: StreamError.hostNotFound("a b")) {
            try await transport.addresses(of: "a b", port: 9)
        }
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
}
