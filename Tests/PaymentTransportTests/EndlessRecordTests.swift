#if os(Linux)
    import Foundation
    import PaymentCore
    import PaymentTransport
    import Synchronization
    import Testing

    /// A server that answers the first bytes of every connection with TLS records of one kind, faster than they are
    /// read.
    private final class RecordServer: Sendable {
        let port: UInt16
        private let listener: Int32
        private let isStopped = Atomic(false)

        /// The server ends after this time, so that a client without a limit does, too.
        private static let patience = Duration.seconds(25)

        init(_ record: [UInt8]) throws {
            let (listener, port) = try LoopbackServer.listen()
            self.listener = listener
            self.port = port
            let flood = Array(repeatElement(record, count: max(1, 64_000 / record.count)).joined())
            Thread { [self] in
                while case let socket = accept(listener, nil, nil), socket >= 0 {
                    Thread { [self] in serve(flood, socket) }.start()
                }
                close(listener)
            }.start()
        }

        func stop() {
            isStopped.store(true, ordering: .relaxed)
            shutdown(listener, Int32(SHUT_RDWR))
        }

        private func serve(_ flood: [UInt8], _ socket: Int32) {
            var hello = [UInt8](repeating: 0, count: 4096)
            let end = ContinuousClock.now + Self.patience
            if recv(socket, &hello, hello.count, 0) > 0 {
                while !isStopped.load(ordering: .relaxed), ContinuousClock.now < end,
                    send(socket, flood, flood.count, Int32(MSG_NOSIGNAL)) > 0
                {}
            }
            close(socket)
        }
    }

    /// TLS records that are read and passed over: libcurl stays within one call for as long as they come.
    @Suite("Endless TLS records") struct EndlessRecordTests {
        /// HelloRequest (RFC 5246 section 7.4.1.1), which a client ignores within a handshake: one in each record, and
        /// as many as one takes.
        enum Kind: CaseIterable {
            case small, full

            var record: [UInt8] {
                switch self {
                case .small: [22, 3, 3, 0, 4, 0, 0, 0, 0]
                case .full: [22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 0x4000)
                }
            }
        }

        @Test("End at the time limit, and hold no other request", arguments: Kind.allCases)
        func ends(kind: Kind) async throws {
            let hostile = try RecordServer(kind.record)
            defer { hostile.stop() }
            try await LoopbackServer.serving({ _ in [.ok()] }) { honest in
                let transport = CurlTransport()
                let url = try HTTPURL("https://127.0.0.1:\(hostile.port)/")
                let begin = ContinuousClock.now
                async let error = failure(transport, HTTPRequest(.post, url, body: [1], timeout: .seconds(1)))
                var slowest = Duration.zero
                // Before, while and after the records come.
                for _ in 0..<200 where ContinuousClock.now - begin < .seconds(3) {
                    let start = ContinuousClock.now
                    let answer = try await transport.send(HTTPRequest(.get, honest.url(), timeout: .seconds(20)))
                    #expect(answer.status == 200)
                    slowest = max(slowest, ContinuousClock.now - start)
                    try await Task.sleep(for: .milliseconds(10))
                }
                let found = try #require(await error)
                #expect(found.phase == .notSent)
                #expect(ContinuousClock.now - begin < .seconds(10))
                #expect(slowest < .seconds(5))
            }
        }

        @Test("A connection beside it from which nothing comes is kept")
        func neighbour() async throws {
            let hostile = try RecordServer(Kind.small.record)
            defer { hostile.stop() }
            let isOver = DispatchSemaphore(value: 0)
            let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { _ in
                isOver.wait()
                return [.ok()]
            }
            try await LoopbackServer.serving(script) { honest in
                let transport = CurlTransport()
                async let answer = transport.send(HTTPRequest(.post, honest.url(), body: [1], timeout: .seconds(60)))
                await honest.hasReceived(1)
                let url = try HTTPURL("https://127.0.0.1:\(hostile.port)/")
                #expect(await failure(transport, HTTPRequest(.get, url, timeout: .seconds(1)))?.phase == .notSent)
                isOver.signal()
                #expect(try await answer.status == 200)
            }
        }

        @Test("A server that is cut off is named as the reason")
        func reason() async throws {
            let hostile = try RecordServer(Kind.small.record)
            defer { hostile.stop() }
            let url = try HTTPURL("https://127.0.0.1:\(hostile.port)/")
            let begin = ContinuousClock.now
            let error = await failure(CurlTransport(), HTTPRequest(.get, url, timeout: .seconds(20)))
            let text = String(describing: error)
            #expect(text.contains("without content"), "\(text)")
            #expect(ContinuousClock.now - begin < .seconds(10))
        }
    }
#endif
