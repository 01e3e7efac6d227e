#if os(Linux)
    import ChildProcesses
    import Foundation
    package import PaymentCore

    /// `openssl s_server`, or `nghttpd`, on a free port of this machine, with a certificate that no public authority
    /// has signed.
    package struct TLSServer {
        /// True if the command is installed.
        package static let isAvailable = FileManager.default.isExecutableFile(atPath: tool)
        /// True if a server that speaks HTTP/2 only is installed: Debian's nghttp2-server.
        package static let hasHTTP2 = isAvailable && FileManager.default.isExecutableFile(atPath: http2)
        private static let tool = "/usr/bin/openssl"
        private static let http2 = "/usr/sbin/nghttpd"

        private let server: Running
        private let folder: URL
        private let port: Int

        private struct NoServer: Error {}

        /// A running server. It ends when its input does, and when its output has no reader.
        private struct Running {
            let child: ChildProcess
            let input = Pipe()
            let output = Pipe()

            init(_ words: [String], in folder: URL, _ tool: String) throws {
                child = try ChildProcess(
                    "/usr/bin/env", ["-C", folder.path, tool] + words,
                    input: input.fileHandleForReading.fileDescriptor,
                    output: output.fileHandleForWriting.fileDescriptor)
                try input.fileHandleForReading.close()
                try output.fileHandleForWriting.close()
            }
        }

        /// Starts a server.
        ///
        /// - Parameters:
        ///   - names: the names in its certificate.
        ///   - isSignedByAuthority: true if an authority has signed the certificate, and not the server itself.
        ///   - pages: the answers, whole with their heads, by their paths; without any it answers with a page about the
        ///     connection.
        ///   - speaksHTTP2: true for a server that speaks HTTP/2 only.
        ///   - asksForIdentity: true for a server that asks for the client's certificate; its page shows it.
        package init(
            names: String = "IP:127.0.0.1,DNS:localhost", isSignedByAuthority: Bool = false,
            pages: [String: String] = [:], speaksHTTP2: Bool = false, asksForIdentity: Bool = false
        ) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "payment-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (path, answer) in pages {
                let file = folder.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(answer.utf8).write(to: file)
            }
            let authority = ["-CA", "authority.pem", "-CAkey", "authority-key.pem"]
            if isSignedByAuthority { try Self.make("authority", "an authority", [], in: folder) }
            try Self.make(
                "certificate", "localhost",
                ["-addext", "subjectAltName=\(names)"] + (isSignedByAuthority ? authority : []), in: folder)
            guard !speaksHTTP2 else {
                server = try Running(
                    ["-a", "127.0.0.1", "0", "certificate-key.pem", "certificate.pem"], in: folder, Self.http2)
                port = try Self.port(of: server.child)
                return
            }
            server = try Running(
                [
                    "s_server", "-accept", "127.0.0.1:0", pages.isEmpty ? "-www" : "-HTTP", "-key",
                    "certificate-key.pem", "-cert", "certificate.pem",
                ] + (asksForIdentity ? ["-verify", "1"] : []), in: folder, Self.tool)
            // The server prints the port that the system gave it: "ACCEPT 127.0.0.1:43210".
            var text = ""
            var found: Int?
            while found == nil, let piece = try server.output.fileHandleForReading.read(upToCount: 1), !piece.isEmpty {
                text += String(decoding: piece, as: UTF8.self)
                if text.hasSuffix("\n"), let line = text.split(separator: "\n").last, line.hasPrefix("ACCEPT") {
                    found = line.split(separator: ":").last.flatMap { Int($0) }
                }
            }
            guard let found else { throw NoServer() }
            port = found
        }

        /// The address of its first page.
        package func url() throws -> HTTPURL { try HTTPURL("https://127.0.0.1:\(port)/") }

        /// The file with its certificate.
        package var certificateFile: String { folder.appending(path: "certificate.pem").path }

        /// The certificate in PEM.
        package func certificate() throws -> [UInt8] { try content("certificate.pem") }

        /// The certificate of its authority in PEM.
        package func authority() throws -> [UInt8] { try content("authority.pem") }

        /// Its private key in PEM.
        package func key() throws -> [UInt8] { try content("certificate-key.pem") }

        /// Ends the server.
        package func stop() {
            server.child.signal(SIGTERM)
            server.child.wait()
            try? FileManager.default.removeItem(at: folder)
        }

        private func content(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: folder.appending(path: name)))
        }

        /// Returns the port that a process listens on: that of the socket among its files.
        private static func port(of process: ChildProcess) throws -> Int {
            let files = "/proc/\(process.id)/fd"
            while process.isRunning {
                let own = Set(
                    try FileManager.default.contentsOfDirectory(atPath: files).compactMap {
                        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")
                    })
                for line in try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n") {
                    let fields = line.split(separator: " ")
                    guard fields.count > 9, fields[3] == "0A", own.contains("socket:[\(fields[9])]") else { continue }
                    if let port = fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }) { return port }
                }
            }
            throw NoServer()
        }

        private static func make(_ name: String, _ subject: String, _ words: [String], in folder: URL) throws {
            let made = try ChildProcess.run(
                "/usr/bin/env",
                [
                    "-C", folder.path, tool,
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                    "-subj", "/CN=\(subject)", "-keyout", "\(name)-key.pem", "-out", "\(name).pem",
                ] + words)
            guard made.code == 0 else { throw NoServer() }
        }
    }
#endif
