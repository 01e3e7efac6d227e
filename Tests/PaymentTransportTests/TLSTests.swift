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

    /// `openssl s_server` with a self-signed certificate.
    private struct TLSServer {
        static let isAvailable = FileManager.default.isExecutableFile(atPath: tool)
        private static let tool = "/usr/bin/openssl"

        private let process: Process
        private let folder: URL
        private let port: Int

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "payment-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let key = folder.appending(path: "key.pem").path
            let certificate = folder.appending(path: "certificate.pem").path
            let maker = try Self.run([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                // With the right name, so that only the missing trust is wrong with it.
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key,
                "-out",
                certificate,
            ])
            maker.process.waitUntilExit()
            let server = try Self.run(["s_server", "-accept", "127.0.0.1:0", "-www", "-key", key, "-cert", certificate])
            process = server.process
            // The server prints the port that the system gave it: "ACCEPT 127.0.0.1:43210".
            var text = ""
            var found: Int?
            while found == nil, let piece = try server.output.read(upToCount: 1), !piece.isEmpty {
                text += String(decoding: piece, as: UTF8.self)
                if text.hasSuffix("\n"), let line = text.split(separator: "\n").last, line.hasPrefix("ACCEPT") {
                    found = line.split(separator: ":").last.flatMap { Int($0) }
                }
            }
            port = try #require(found)
        }

        func url() throws -> HTTPURL { try HTTPURL("https://127.0.0.1:\(port)/") }

        func stop() {
            // Not terminate(): the process inherits the signal mask of a worker thread, which blocks SIGTERM.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try? FileManager.default.removeItem(at: folder)
        }

        private static func run(_ arguments: [String]) throws -> (process: Process, output: FileHandle) {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: tool)
            process.arguments = arguments
            process.standardInput = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            return (process, output.fileHandleForReading)
        }
    }
#endif
