import Foundation
package import PaymentCore

/// The built `payroute serve`, and the client in Python that pays by it.
package enum ServedClient {
    /// The language of the client; nil where it is not installed.
    package static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let folder = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Examples/serve-client")

    /// An error: the server did not begin, or did not end in good order.
    package struct ServerError: Error {
        let text: String
    }

    /// Pays `link` by a server with the development wallet at `sandbox`, which is then ended by SIGTERM.
    package static func pay(_ link: String, at sandbox: HTTPURL) async throws -> Captured {
        let folder = ScratchFolder()
        let server = try Program([
            "serve", "--journal", folder.file("journal"), "--sandbox", sandbox.text, "--wallet", "1",
        ])
        var address: String?
        for await line in server.lines {
            address = address ?? line.split(separator: " ").map(String.init).first { $0.hasPrefix("http://") }
            if line.hasPrefix("Ctrl-C") { break }
        }
        guard let address else { throw ServerError(text: await server.end().errors) }
        let url = try HTTPURL(address.filter { $0 != "," })
        let paid = try await pay(link, by: url, key: "key-1")
        server.signal(SIGTERM)
        let (code, errors) = await server.end()
        guard code == 0 else { throw ServerError(text: "\(code): \(errors)") }
        return paid
    }

    /// Starts the receiver of webhooks. Its first line ends with its address.
    package static func receiver(secret: String) throws -> Program {
        try Program(
            [folder.appending(path: "receive.py").path], environment: ["WEBHOOK_SECRET": secret],
            executable: python.map { URL(filePath: $0) })
    }

    /// Pays `link` by the server at `server`.
    package static func pay(_ link: String, by server: HTTPURL, key: String) async throws -> Captured {
        try await Program.run(
            folder.appending(path: "pay.py").path, server.text, link, "--key", key, "--accept-unverified",
            executable: python.map { URL(filePath: $0) }
        )
    }
}
