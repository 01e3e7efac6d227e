#if os(Linux)
    import Foundation
    import PaymentCore
    import PaymentTransport
    import TestSupport
    import Testing

    @Suite("TLS", .enabled(if: TLSServer.isAvailable, "needs the openssl command")) struct TLSTests {
        @Test("An untrusted certificate is refused by default")
        func anUntrustedCertificateIsRefusedByDefault() async throws {
            let server = try TLSServer()
            defer { server.stop() }
            let error = try #require(await failure(CurlTransport(), HTTPRequest(.post, server.url(), body: [1])))
            #expect(error.phase == .notSent)
            #expect(error.isTLS)
        }

        @Test("URLSession refuses it, too")
        func urlSessionRefusesItToo() async throws {
            let server = try TLSServer()
            defer { server.stop() }
            // On Linux the system's code does not reveal that the certificate was the reason.
            #expect(await failure(URLSessionTransport(), try HTTPRequest(.get, server.url())) != nil)
        }

        @Test("A known certificate is trusted, and in its place no other: nothing is sent to a server that shows one")
        func aKnownCertificateIsTrusted() async throws {
            let (server, other) = (try TLSServer(), try TLSServer())
            defer { for server in [server, other] { server.stop() } }
            var configuration = TransportConfiguration()
            configuration.certificates = try ServerCertificates(pem: server.certificate())
            // The switch for sandboxes does not weaken it.
            for relaxes in [false, true] {
                configuration.acceptsAnyLoopbackCertificate = relaxes
                let transport = CurlTransport(configuration)
                #expect(try await transport.send(HTTPRequest(.get, server.url())).status == 200)
                let error = try #require(await failure(transport, HTTPRequest(.post, other.url(), body: [1])))
                #expect(error.phase == .notSent && error.isTLS, "\(error)")
                #expect("\(error)".contains("only the given certificates are trusted"), "\(error)")
            }
            configuration.certificates = try ServerCertificates(pem: other.certificate() + server.certificate())
            #expect(try await CurlTransport(configuration).send(HTTPRequest(.get, server.url())).status == 200)
        }

        @Test("A service that asks for the client's certificate is shown it, and no other service is")
        func identities() async throws {
            let (server, other) = (try TLSServer(asksForIdentity: true), try TLSServer(asksForIdentity: true))
            defer { for server in [server, other] { server.stop() } }
            var configuration = TransportConfiguration()
            configuration.certificates = try ServerCertificates(pem: server.certificate() + other.certificate())
            let identity = try ClientIdentity(certificate: other.certificate(), key: Redacted(other.key()))
            configuration.identities[try server.url().authority] = identity
            let transport = CurlTransport(configuration)
            let missing = "no client certificate available"
            // In turn: a handle that has shown it once keeps nothing of it.
            for _ in 0..<3 {
                let shown = try await transport.send(HTTPRequest(.get, server.url()))
                #expect(String(decoding: shown.body, as: UTF8.self).contains("Client certificate"))
                let unasked = try await transport.send(HTTPRequest(.get, other.url()))
                #expect(String(decoding: unasked.body, as: UTF8.self).contains(missing))
            }
            // Without certificates of servers, which URLSession is not given either.
            configuration.certificates = nil
            let refused = try #require(
                await failure(URLSessionTransport(configuration), HTTPRequest(.get, server.url())))
            #expect(refused.phase == .notSent && "\(refused)".contains("client's certificate"), "\(refused)")
        }

        @Test("A certificate or a key that cannot be used is refused when it is read, and a key is not printed")
        func unusableIdentities() throws {
            let server = try TLSServer()
            defer { server.stop() }
            let (certificate, key) = (try server.certificate(), Redacted(try server.key()))
            #expect(throws: ClientIdentityError.certificate(.noCertificate)) {
                try ClientIdentity(certificate: [], key: key)
            }
            #expect(throws: ClientIdentityError.noKey) {
                try ClientIdentity(certificate: certificate, key: Redacted(certificate))
            }
            let locked = Array(
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
            #expect(throws: ClientIdentityError.encryptedKey) {
                try ClientIdentity(certificate: certificate, key: Redacted(locked))
            }
            let identity = try ClientIdentity(certificate: certificate, key: key)
            #expect(!"\(identity)".contains("PRIVATE") && !String(reflecting: identity).contains("PRIVATE"))
        }

        @Test(
            "A server that speaks HTTP/2 only is an error at once, and others are answered meanwhile",
            .enabled(if: TLSServer.hasHTTP2, "needs Debian's nghttp2-server"))
        func aServerThatSpeaksHTTP2Only() async throws {
            let (server, other) = (try TLSServer(speaksHTTP2: true), try TLSServer())
            defer { for server in [server, other] { server.stop() } }
            var configuration = TransportConfiguration()
            configuration.certificates = try ServerCertificates(pem: server.certificate() + other.certificate())
            let transport = CurlTransport(configuration)
            for method in [HTTPRequest.Method.get, .post] {
                let request = HTTPRequest(method, try server.url())
                async let refused = failure(transport, request)
                #expect(try await transport.send(HTTPRequest(.get, other.url())).status == 200)
                let error = try #require(await refused)
                #expect(error.reason != .timedOut && !error.isTLS, "\(error)")
            }
        }

        @Test("A known certificate has to name the host that is called")
        func aKnownCertificateNamesItsHost() async throws {
            let server = try TLSServer(names: "DNS:node.example")
            defer { server.stop() }
            var configuration = TransportConfiguration()
            configuration.certificates = try ServerCertificates(pem: server.certificate())
            let error = try #require(
                await failure(CurlTransport(configuration), HTTPRequest(.post, server.url(), body: [1])))
            #expect(error.phase == .notSent && error.isTLS, "\(error)")
        }

        @Test("The certificate of a server's own authority is trusted for that server")
        func anAuthority() async throws {
            let server = try TLSServer(isSignedByAuthority: true)
            defer { server.stop() }
            var configuration = TransportConfiguration()
            configuration.certificates = try ServerCertificates(pem: server.authority())
            #expect(try await CurlTransport(configuration).send(HTTPRequest(.get, server.url())).status == 200)
        }

        @Test("URLSession on Linux sends nothing where it could not check a known certificate")
        func urlSessionCannot() async throws {
            let server = try TLSServer()
            defer { server.stop() }
            var configuration = TransportConfiguration()
            configuration.certificates = try ServerCertificates(pem: server.certificate())
            let error = try #require(
                await failure(URLSessionTransport(configuration), HTTPRequest(.get, server.url())))
            #expect(error.phase == .notSent && error.isTLS)
        }

        @Test("A file that is no certificate is refused with its reason")
        func files() throws {
            let server = try TLSServer()
            defer { server.stop() }
            let whole = String(decoding: try server.certificate(), as: UTF8.self)
            func reading(_ text: String) -> Result<ServerCertificates, ServerCertificatesError> {
                Result { () throws(ServerCertificatesError) in try ServerCertificates(pem: Array(text.utf8)) }
            }
            #expect(reading("") == .failure(.noCertificate))
            #expect(reading("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n") == .failure(.noCertificate))
            #expect(reading(String(whole.dropLast(40))) == .failure(.malformed))
            #expect(reading(whole.replacing("MII", with: "MIJ")) == .failure(.malformed))
            #expect(reading(whole.replacing("MII", with: "*II")) == .failure(.malformed))
            let key = String(decoding: try server.key(), as: UTF8.self)
            #expect(reading(whole + key) == .failure(.holdsPrivateKey))
            #expect(reading(String(repeating: whole, count: 17)) == .failure(.tooMany))
            let plain = try reading(whole).get()
            #expect(try reading("a comment\r\n" + whole.replacing("\n", with: "\r\n") + "\n").get() == plain)
        }

        @Test("The loopback switch accepts it")
        func theLoopbackSwitchAcceptsIt() async throws {
            let server = try TLSServer()
            defer { server.stop() }
            var configuration = TransportConfiguration()
            configuration.acceptsAnyLoopbackCertificate = true
            let response = try await CurlTransport(configuration).send(HTTPRequest(.get, server.url()))
            #expect(response.status == 200)
            #expect(String(decoding: response.body, as: UTF8.self).contains("TLSv1.3"))
        }

        /// With this variable set libcurl on OpenSSL would write every connection's keys to a file.
        @Test("No keys are written, whatever the environment says")
        func noKeysAreWrittenWhateverTheEnvironmentSays() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "payment-keys-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            // The test above in a separate process, whose libcurl has not started yet.
            let child = try await Program.run(
                "--testing-library", "swift-testing", "--filter", "TLSTests/theLoopbackSwitchAcceptsIt",
                environment: ["SSLKEYLOGFILE": file.path], executable: URL(filePath: CommandLine.arguments[0]))
            #expect(child.code == 0, "\(child.output)\(child.errors)")
            #expect((child.output + child.errors).contains("Test run with 1 test"), "\(child.output)")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }

        @Test("To a server without TLS nothing is sent")
        func aServerWithoutTLSIsNotSent() async throws {
            try await LoopbackServer.serving({ _ in [.ok()] }) { server in
                let url = try HTTPURL(server.url().text.replacing("http://", with: "https://"))
                let request = HTTPRequest(.post, url, body: [1], timeout: .milliseconds(500))
                let error = try #require(await failure(CurlTransport(), request))
                #expect(error.phase == .notSent)
            }
        }
    }
#endif
