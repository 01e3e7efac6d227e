import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@Suite("Routing properties")
struct RoutePropertyTests {
    private static let pieces = [
        "https://", "HTTP://", "http:", "wc:", "WC%3A", "pay.good.com", "Good.Com", "a.", "evil", "@", ":443", ":80",
        ":8443", "/", "/pay", "/pay/", "?", "#", "&", "=", "id", "%2F", "%", "xn--", "-", ".", "[::1]", "127.0.0.1",
        "\\",
        " ", "\t", "\u{7F}", "é", "\u{202E}", "pay_", "shop://", "1", "x",
    ]

    private static func router() throws -> PaymentRouter {
        var provider = ScriptedProvider()
        provider.descriptor = ProviderDescriptor(
            id: "acme", name: "Acme",
            patterns: [
                .host("pay.good.com", path: "/pay"), .hostSuffix("good.com"), .scheme("wc"), .textPrefix("pay_"),
                .returnURL("shop://x"), .host("[::1]:8443"), .host("127.0.0.1"),
            ], outboundHosts: [])
        provider.match = { _ in LinkMatch(.payment("r")) }
        return try PaymentRouter(of: provider)
    }

    @Test("Routing the canonical text is routing the link", arguments: 0..<8 as Range<UInt64>)
    func canonical(seed: UInt64) throws {
        let router = try Self.router()
        let random = SeededRandomSource(seed: seed)
        var matched = 0
        for _ in 0..<4_000 {
            let text = (0...random.below(9)).map { _ in random.pick(Self.pieces) }.joined()
            let decision = router.route(text)
            #expect(!decision.explanation.isEmpty)
            if case .matched = decision { matched += 1 }
            guard let link = try? PaymentLink(text) else {
                guard case .rejected = decision else {
                    Issue.record("not rejected: \(text.debugDescription)")
                    continue
                }
                continue
            }
            #expect(router.route(link.text) == decision, "\(text.debugDescription)")
            #expect(router.route(link) == decision, "\(text.debugDescription)")
        }
        #expect(matched > 50, "the generator must reach the interesting part")
    }

    @Test("Any bytes get an answer", arguments: 0..<4 as Range<UInt64>)
    func anyBytes(seed: UInt64) throws {
        let router = try Self.router()
        let random = SeededRandomSource(seed: seed)
        for _ in 0..<4_000 {
            let bytes = (0..<random.below(64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let decision = router.route(String(decoding: bytes, as: UTF8.self))
            #expect(!decision.explanation.isEmpty)
        }
    }
}
