import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import Synchronization
import TestSupport
import Testing

/// Answers every request with a stream, and stores the streams.
private final class StreamService: SandboxService {
    private let opened = Mutex<[SandboxStream]>([])
    var streams: [SandboxStream] { opened.withLock { $0 } }

    func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 200) }

    func answer(to request: HTTPRequest) async -> SandboxAnswer {
        guard request.url.path == "/events" else { return .response(HTTPResponse(status: 200)) }
        let stream = SandboxStream()
        stream.send(Array("hello\n".utf8))
        opened.withLock { $0.append(stream) }
        return .stream(HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"]), stream)
    }
}

/// Endless answers: an event reaches its reader when it happens, and no silent stream blocks another.
@Suite("Streams of the loopback server") struct StreamTests {
    private static let request = "GET /events HTTP/1.1\r\nHost: self\r\n\r\n"

    @Test("What is sent later arrives later, and the end is an end")
    func pieces() async throws {
        let service = StreamService()
        let server = try LoopbackServer(service)
        defer { server.stop() }
        try await RawClient(server.baseURL).withConnections(1, Self.request) { connections in
            #expect(await connections.waitFor("hello") == 1)
            let stream = try #require(service.streams.first)
            #expect(stream.send(Array("second\n".utf8)))
            #expect(await connections.waitFor("second") == 1)
            // More than one buffer of the library's.
            #expect(stream.send(Array((String(repeating: "x", count: 20_000) + "third\n").utf8)))
            #expect(await connections.waitFor("third") == 1)
            stream.finish()
            #expect(!stream.send([1]))
            #expect(await connections.waitFor("0\r\n\r\n") == 1)
        }
    }

    @Test("A reader that has left is noticed at the next event")
    func left() async throws {
        let service = StreamService()
        let server = try LoopbackServer(service)
        defer { server.stop() }
        try await RawClient(server.baseURL).withConnections(1, Self.request) { connections in
            #expect(await connections.waitFor("hello") == 1)
        }
        let stream = try #require(service.streams.first)
        while stream.send(Array("still there?\n".utf8)) { await Task.yield() }
        #expect(stream.isFinished)
    }

    @Test("A reader that does not read loses its stream, not the sender its memory")
    func slow() {
        let stream = SandboxStream()
        let piece = [UInt8](repeating: 0x61, count: 1000)
        var sent = 0
        while stream.send(piece) { sent += piece.count }
        #expect(sent <= SandboxStream.maximumBacklog && sent > SandboxStream.maximumBacklog - 2000)
        #expect(stream.isFinished)
    }

    @Test("A server that stops ends the streams that sleep")
    func stops() async throws {
        let service = StreamService()
        let server = try LoopbackServer(service)
        try await RawClient(server.baseURL).withConnections(5, Self.request) { connections in
            #expect(await connections.waitFor("hello") == 5)
            server.stop()
            #expect(await connections.waitForEnd() == 5)
        }
        #expect(service.streams.allSatisfy { $0.isFinished })
    }

    @Test("A thousand readers are more than select could watch; each gets its event, and others are answered meanwhile")
    func thousand() async throws {
        LoopbackServer.allowManyFiles()
        let service = StreamService()
        let server = try LoopbackServer(service)
        defer { server.stop() }
        let client = RawClient(server.baseURL)
        try await client.withConnections(1100, Self.request) { connections in
            #expect(connections.count == 1100)
            #expect(await connections.waitFor("hello") == 1100)
            #expect(await client.exchange(["GET / HTTP/1.1\r\nHost: self\r\n\r\n"]).map(\.status) == [200])
            for stream in service.streams { stream.send(Array("event\n".utf8)) }
            #expect(await connections.waitFor("event") == 1100)
        }
    }

    @Test("Where no connection lies between, the part that was sent so far is the answer")
    func inProcess() async throws {
        let answer = try await SandboxTransport(StreamService()).send(
            HTTPRequest(.get, try HTTPURL("http://127.0.0.1:1/events")))
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "hello\n")
    }
}
