import Foundation
import PaymentCore
import PaymentLoopback
import TestSupport
import Testing

@testable import PayrouteCommands

/// A program in another language, which pays by `payroute serve`.
@Suite("serve: a client in Python")
struct ServeClientTests {
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let client = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Examples/serve-client/pay.py").path

    @Test("It chooses an option, pays once for its key, and says what became of it", .enabled(if: python != nil))
    func paying() async throws {
        let served = try await ServedShop([])
        let server = try LoopbackServer(served.api)
        defer { server.stop() }
        for _ in 0..<2 {
            let ended = try await run(server, "https://shop.example/payee/ann", "key-1")
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
            #expect(ended.lines.last?.hasPrefix("succeeded: ") == true)
        }
        #expect(await served.shop.charges == 1)
        let refused = try await run(server, "nothing", "key-2")
        #expect(refused.code == 1 && refused.lines.last?.hasPrefix("failed: ") == true, "\(refused.output)")
        let reused = try await run(server, "https://shop.example/order/7", "key-1")
        #expect(reused.code == 1 && reused.errors.hasPrefix("key-reused: "))
        #expect(await served.shop.charges == 1)
    }

    private func run(_ server: LoopbackServer, _ link: String, _ key: String) async throws -> Captured {
        try await Program.run(
            Self.client, server.baseURL.text, link, key, executable: Self.python.map { URL(filePath: $0) })
    }
}
