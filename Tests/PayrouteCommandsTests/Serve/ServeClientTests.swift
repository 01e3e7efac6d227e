import PaymentCore
import PaymentLoopback
import TestSupport
import Testing

@testable import PayrouteCommands

/// A program in another language, which pays by `payroute serve`.
@Suite("serve: a client in Python", .enabled(if: ServedClient.python != nil))
struct ServeClientTests {
    @Test("It chooses an option, pays once for its key, and says what became of it")
    func paying() async throws {
        let served = try await ServedShop([])
        let server = try LoopbackServer(served.api)
        defer { server.stop() }
        for _ in 0..<2 {
            let ended = try await ServedClient.pay("https://shop.example/payee/ann", by: server.baseURL, key: "key-1")
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
            #expect(ended.lines.last?.hasPrefix("succeeded: ") == true)
        }
        #expect(await served.shop.charges == 1)
        let refused = try await ServedClient.pay("nothing", by: server.baseURL, key: "key-2")
        #expect(refused.code == 1 && refused.lines.last?.hasPrefix("failed: ") == true, "\(refused.output)")
        let reused = try await ServedClient.pay("https://shop.example/order/7", by: server.baseURL, key: "key-1")
        #expect(reused.code == 1 && reused.errors.hasPrefix("key-reused: "))
        #expect(await served.shop.charges == 1)
    }
}
