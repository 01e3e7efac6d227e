#if os(Linux)
    import Foundation
    import PaymentCore
    import Testing

    @testable import PaymentTransport

    @Suite("CurlTransport", .timeLimit(.minutes(10))) struct CurlTransportTests {
        /// A transport, and a way to wait for the end of its thread.
        private func observed() -> (transport: CurlTransport, ended: AsyncStream<Void>) {
            let (ended, signal) = AsyncStream.makeStream(of: Void.self)
            return (CurlTransport(TransportConfiguration()) { signal.finish() }, ended)
        }

        @Test("The thread ends with the transport")
        func theThreadEndsWithTheTransport() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                let ended: AsyncStream<Void>
                do {
                    let (transport, stream) = observed()
                    ended = stream
                    _ = try await transport.send(HTTPRequest(.get, server.url()))
                }
                for await _ in ended {}
                await server.clientsClosed(1)
            }
        }

        @Test("The thread of an unused transport ends")
        func theThreadOfAnUnusedTransportEnds() async {
            let ended = observed().ended
            for await _ in ended {}
        }

        @Test("A request in progress keeps its transport")
        func aRequestUnderWayKeepsItsTransport() async throws {
            try await LoopbackServer.serving({ _ in [.stall] }) { server in
                var (transport, ended): (CurlTransport?, AsyncStream<Void>) = observed()
                let request = try HTTPRequest(.post, server.url(), body: [1])
                let task = Task { [transport] in await failure(try #require(transport), request) }
                await server.hasReceived(1)
                transport = nil
                task.cancel()
                #expect(try await task.value?.reason == .cancelled)
                for await _ in ended {}
            }
        }

        @Test("Closing ends everything")
        func closingEndsEverything() async throws {
            try await LoopbackServer.serving({ _ in [.stall] }) { server in
                let (transport, ended) = observed()
                let request = try HTTPRequest(.post, server.url(), body: [1])
                let errors = await withTaskGroup(of: TransportError?.self) { group in
                    for _ in 0..<10 { group.addTask { await failure(transport, request) } }
                    await server.hasReceived(10)
                    transport.close()
                    transport.close()
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let expected = TransportError(.maybeSent, .cancelled, origin: request.url.origin)
                #expect(errors == Array(repeating: expected, count: 10))
                for await _ in ended {}
                let late = await failure(transport, request)
                #expect(late == TransportError(.notSent, .cancelled, origin: request.url.origin))
            }
        }

        @Test("Cancellation may overtake its request")
        func cancellationMayOvertakeItsRequest() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                let (transport, _) = observed()
                let request = try HTTPRequest(.post, server.url(), body: [1])
                let results = await withTaskGroup(of: TransportError?.self) { group in
                    for _ in 0..<500 {
                        group.addTask {
                            let task = Task { await failure(transport, request) }
                            task.cancel()
                            return await task.value
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                // At any moment, "not sent" is the truth: no more requests arrived than those that were not reported as
                // unsent.
                let unsent = results.count { $0?.phase == .notSent }
                #expect(server.received.count <= results.count - unsent)
                for case let error? in results { #expect(error.reason == .cancelled) }
            }
        }

        @Test("An idle connection is not used for an unrepeatable request after the server closed it")
        func anIdleConnectionIsNotUsedForAnUnrepeatableRequestAfterTheServerClosedIt() async throws {
            let script: @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step] = { request in
                request.target == "/last" ? [.ok(), .close] : [.ok()]
            }
            try await LoopbackServer.serving(script) { server in
                let (transport, _) = observed()
                _ = try await transport.send(HTTPRequest(.get, server.url("/last")))
                await server.closed(1)
                let response = try await transport.send(HTTPRequest(.post, server.url("/once"), body: [1]))
                #expect(response.status == 200)
                #expect(server.received.map(\.target) == ["/last", "/once"])
            }
        }

        @Test("Without a reuse window, unrepeatable requests get fresh connections")
        func withoutAReuseWindowUnrepeatableRequestsGetFreshConnections() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                var configuration = TransportConfiguration()
                configuration.reuseWindow = .zero
                let transport = CurlTransport(configuration)
                for _ in 0..<3 {
                    _ = try await transport.send(HTTPRequest(.post, server.url(), body: [1]))
                }
                #expect(server.received.map(\.index) == [0, 0, 0])
                _ = try await transport.send(HTTPRequest(.get, server.url()))
                #expect(server.connections == 3)
            }
        }

        /// A server may be closing a connection that was idle for long: an unrepeatable request must not depend on it.
        @Test("An unrepeatable request does not take a connection that was idle for long")
        func anUnrepeatableRequestDoesNotTakeAConnectionThatWasIdleForLong() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                var configuration = TransportConfiguration()
                configuration.reuseWindow = .seconds(1)
                let transport = CurlTransport(configuration)
                _ = try await transport.send(HTTPRequest(.get, server.url()))
                // The test needs real time; libcurl has a separate clock.
                try await Task.sleep(for: .milliseconds(1100))
                _ = try await transport.send(HTTPRequest(.get, server.url()))
                #expect(server.connections == 1, "what may be repeated takes it")
                try await Task.sleep(for: .milliseconds(1100))
                _ = try await transport.send(HTTPRequest(.post, server.url(), body: [1]))
                #expect(server.connections == 2)
            }
        }

        @Test("A proxy is used for other hosts only")
        func aProxyIsUsedForOtherHostsOnly() async throws {
            try await LoopbackServer.serving({ _ in [.ok("proxy")] }) { proxy in
                try await LoopbackServer.serving({ _ in [.ok("direct")] }) { server in
                    var configuration = TransportConfiguration()
                    configuration.proxy = try proxy.url()
                    let transport = CurlTransport(configuration)
                    let direct = try await transport.send(HTTPRequest(.get, server.url()))
                    #expect(direct.body == Array("direct".utf8))
                    let other = try await transport.send(HTTPRequest(.get, HTTPURL("http://shop.example/a")))
                    #expect(other.body == Array("proxy".utf8))
                    #expect(proxy.received.map(\.target) == ["http://shop.example/a"])
                }
            }
        }

        @Test("Durations round up")
        func durationsRoundUp() {
            #expect(Duration.nanoseconds(1).wholeMilliseconds == 1)
            #expect(Duration.milliseconds(1).wholeMilliseconds == 1)
            #expect(Duration.microseconds(1_500).wholeMilliseconds == 2)
            #expect(Duration.seconds(2).wholeMilliseconds == 2000)
            #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
        }

        /// A name's owner decides what it resolves to, and may answer with this machine's address.
        @Test("A host elsewhere is not connected to at an address of this machine")
        func resolvedAddresses() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                let port = try server.url().port
                // libcurl resolves names under localhost to the loopback addresses by itself (RFC 6761, 6.3).
                for host in ["pay.localhost", "0.0.0.0", "[::ffff:127.0.0.1]"] {
                    let url = try HTTPURL("http://\(host):\(port)/")
                    let error = try #require(await failure(CurlTransport(), HTTPRequest(.post, url, body: [1])))
                    #expect(error.phase == .notSent && error.isConnectFailure, "\(host): \(error)")
                    #expect("\(error)".contains("leads to this machine"), "\(host): \(error)")
                }
                #expect(server.received.isEmpty && server.connections == 0)
                _ = try await CurlTransport().send(HTTPRequest(.get, HTTPURL("http://localhost:\(port)/")))
                var configuration = TransportConfiguration()
                configuration.proxy = try server.url()
                let proxied = HTTPRequest(.get, try HTTPURL("http://pay.example/"))
                #expect(try await CurlTransport(configuration).send(proxied).status == 200)
            }
        }

        @Test(
            "A host that others choose is not connected to in a private network",
            arguments: ["10.0.0.1", "192.168.178.1", "100.64.0.1", "[fd00::1]", "[64:ff9b::10.0.0.1]"])
        func privateAddresses(host: String) async throws {
            var request = HTTPRequest(.post, try HTTPURL("https://\(host)/"), body: [1])
            request.reachesPrivateNetworks = false
            let error = try #require(await failure(CurlTransport(), request))
            #expect(error.phase == .notSent && error.isConnectFailure, "\(error)")
            #expect("\(error)".contains("leads into a private network"), "\(error)")
        }

        @Test("Without private networks this machine is still reached by its own names, and through a proxy all hosts")
        func ownNames() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                func status(_ url: HTTPURL, proxy: HTTPURL? = nil) async throws -> Int {
                    var request = HTTPRequest(.get, url)
                    request.reachesPrivateNetworks = false
                    var configuration = TransportConfiguration()
                    configuration.proxy = proxy
                    return try await CurlTransport(configuration).send(request).status
                }
                let (own, hidden) = (try server.url(), try HTTPURL("http://10.0.0.1/"))
                #expect(try await status(own) == 200)
                #expect(try await status(hidden, proxy: own) == 200)
            }
        }

        /// An address of this machine in a network that is not public, where it has one.
        private static let ownPrivateAddress: String? = {
            var first: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&first) == 0 else { return nil }
            defer { freeifaddrs(first) }
            for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
                guard let address = entry?.pointee.ifa_addr, address.pointee.sa_family == AF_INET else { continue }
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
                else { continue }
                let found = ResolvedAddress(digits: text)
                if !found.isNear && !found.isPublic {
                    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
                }
            }
            return nil
        }()

        @Test(
            "A kept connection into a private network is not used for a host that others choose",
            .enabled(if: ownPrivateAddress != nil, "this machine has an address in such a network"))
        func keptConnections() async throws {
            try await LoopbackServer.serving(on: #require(Self.ownPrivateAddress), { _ in [.ok()] }) { server in
                let transport = CurlTransport()
                var request = HTTPRequest(.get, try server.url())
                #expect(try await transport.send(request).status == 200)
                request.reachesPrivateNetworks = false
                let error = try #require(await failure(transport, request))
                #expect(error.phase == .notSent && error.isConnectFailure, "\(error)")
                #expect("\(error)".contains("leads into a private network"), "\(error)")
                #expect(server.received.count == 1)
            }
        }

        @Test("What is near is refused to every other host, what is private to some")
        func rules() {
            func refusal(_ digits: String, _ rule: AddressRule) -> String {
                rule.refusal(of: ResolvedAddress(digits: digits)).map { "\($0)" } ?? ""
            }
            let own = AddressRule(takesAll: true, takesPrivate: false)
            let usual = AddressRule()
            let chosen = AddressRule(takesPrivate: false)
            for near in [
                "127.0.0.1", "127.255.255.255", "0.0.0.0", "169.254.169.254", "::1", "::", "fe80::1", "febf::1",
                "::ffff:127.0.0.1", "64:ff9b::127.0.0.1",
            ] {
                #expect(refusal(near, own).isEmpty, "\(near)")
                #expect(refusal(near, usual).contains("this machine"), "\(near)")
                #expect(refusal(near, chosen).contains("this machine"), "\(near)")
            }
            for hidden in [
                "10.0.0.1", "100.64.0.1", "192.168.0.1", "fd00::1", "fec0::1", "::2", "::ffff:10.0.0.1", "x",
            ] {
                #expect(refusal(hidden, own).isEmpty && refusal(hidden, usual).isEmpty, "\(hidden)")
                #expect(refusal(hidden, chosen).contains("private network"), "\(hidden)")
            }
            for open in ["1.1.1.1", "169.253.0.1", "2606:4700::1111"] {
                #expect(refusal(open, chosen).isEmpty, "\(open)")
            }
        }

        /// By the registries of special addresses of IANA.
        @Test("Addresses of hosts on the open network are distinguished from all others")
        func places() {
            func isPublic(_ bytes: UInt8...) -> Bool { ResolvedAddress(bytes: bytes).isPublic }
            func v6(_ head: [UInt8], _ tail: [UInt8] = [1]) -> Bool {
                let zeros = [UInt8](repeating: 0, count: 16 - head.count - tail.count)
                return ResolvedAddress(bytes: head + zeros + tail).isPublic
            }
            #expect(isPublic(1, 1, 1, 1) && isPublic(9, 255, 0, 1) && isPublic(11, 0, 0, 1))
            #expect(isPublic(100, 63, 0, 1) && isPublic(100, 128, 0, 1) && isPublic(169, 253, 0, 1))
            #expect(isPublic(172, 15, 0, 1) && isPublic(172, 32, 0, 1) && isPublic(192, 167, 0, 1))
            #expect(isPublic(198, 17, 0, 1) && isPublic(198, 20, 0, 1) && isPublic(223, 255, 255, 1))
            #expect(!isPublic(0, 0, 0, 0) && !isPublic(10, 9, 8, 7) && !isPublic(127, 0, 0, 1))
            #expect(!isPublic(100, 64, 0, 1) && !isPublic(100, 127, 0, 1) && !isPublic(169, 254, 169, 254))
            #expect(!isPublic(172, 16, 0, 1) && !isPublic(172, 31, 0, 1) && !isPublic(192, 168, 0, 1))
            #expect(!isPublic(198, 18, 0, 1) && !isPublic(198, 19, 0, 1) && !isPublic(192, 0, 0, 8))
            #expect(!isPublic(192, 0, 2, 1) && !isPublic(198, 51, 100, 1) && !isPublic(203, 0, 113, 1))
            #expect(!isPublic(224, 0, 0, 1) && !isPublic(240, 0, 0, 1) && !isPublic(255, 255, 255, 255))
            #expect(v6([0x26, 0x06, 0x47]) && v6([0x20, 0x01, 0x48, 0x60]) && v6([0x3F, 0xFF]))
            #expect(!v6([]) && !v6([], [0]) && !v6([0xFC]) && !v6([0xFD]) && !v6([0xFE, 0x80]) && !v6([0xFF, 0x02]))
            #expect(!v6([0x20, 0x01, 0, 0]) && !v6([0x20, 0x02]) && !v6([0x20, 0x01, 0x0D, 0xB8]))
            #expect(!v6([0, 0x64, 0xFF, 0x9B, 0, 1]))
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            #expect(v6(mapped, [1, 1, 1, 1]) && !v6(mapped, [10, 0, 0, 1]))
            let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B]
            #expect(v6(translated, [1, 1, 1, 1]) && !v6(translated, [192, 168, 0, 1]))
            #expect(!ResolvedAddress(bytes: []).isPublic)
        }
    }
#endif
