import PaymentCore
import PaymentRouting
import PaymentStandards
import TestSupport
import Testing

/// A provider that claims one pattern and takes every link, or none whose path or text contains `refused`.
private struct Claimant: PaymentProvider {
    let descriptor: ProviderDescriptor
    var refused = "\u{0}"
    var holdsSecret: Bool?

    init(_ id: String, _ patterns: LinkPattern...) {
        descriptor = ProviderDescriptor(id: ProviderID(rawValue: id), name: id, patterns: patterns, outboundHosts: [])
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        link.text.contains(refused) ? nil : LinkMatch(.payment("r"), holdsSecret: holdsSecret)
    }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote { throw Unused() }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport { throw Unused() }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        throw Unused()
    }

    struct Unused: Error {}
}

private func router(_ providers: [any PaymentProvider]) throws -> PaymentRouter {
    PaymentRouter(
        registry: try ProviderRegistry(providers), transport: RecordingTransport(), journal: InMemoryJournal())
}

extension RouteDecision {
    /// The id of the matched provider.
    fileprivate var winner: ProviderID? {
        if case .matched(let route) = self { route.provider } else { nil }
    }
}

@Suite("Route table")
struct RouteTableTests {
    /// One provider per kind of claim on the same links, from the most to the least specific.
    private static let ladder: [Claimant] = [
        Claimant("return", .returnURL("https://pay.good.com/pay/now")),
        Claimant("host-long-path", .host("pay.good.com", path: "/pay/now")),
        Claimant("host-path", .host("pay.good.com", path: "/pay")),
        Claimant("host", .host("pay.good.com")),
        Claimant("suffix-own-path", .hostSuffix("pay.good.com", path: "/pay")),
        Claimant("suffix-own", .hostSuffix("pay.good.com")),
        Claimant("suffix-path", .hostSuffix("good.com", path: "/pay/now")),
        Claimant("suffix", .hostSuffix("good.com")),
    ]

    @Test("The most specific claim wins; without it the next", arguments: 0..<8)
    func specificity(first: Int) throws {
        let rest = Array(Self.ladder[first...])
        let router = try router(Array(rest.reversed()))
        #expect(router.route("https://pay.good.com/pay/now?x=1").winner == rest[0].descriptor.id)
    }

    @Test("A provider that does not recognise the link leaves it to the next", arguments: 0..<8)
    func fallThrough(count: Int) throws {
        var providers = Self.ladder
        for index in 0..<count { providers[index].refused = "secret" }
        let router = try router(providers)
        #expect(router.route("https://pay.good.com/pay/now?secret").winner == providers[count].descriptor.id)
    }

    @Test("Return URLs go before schemes, longer text prefixes before shorter")
    func schemesAndTexts() throws {
        let router = try router([
            Claimant("scheme", .scheme("shop")), Claimant("return", .returnURL("shop://paid")),
            Claimant("opaque-return", .returnURL("shop:paid")),
            Claimant("short", .textPrefix("pay_")), Claimant("long", .textPrefix("pay_test_")),
        ])
        let table: [(String, ProviderID?)] = [
            ("shop://paid", "return"), ("SHOP://PAID?x=1#y", "return"), ("shop://paid/", "scheme"),
            ("shop://other", "scheme"), ("shop:paid?x", "opaque-return"), ("shop:anything", "scheme"),
            ("pay_1", "short"), ("pay_test_1", "long"), ("pay_test_", "long"), ("pay_test", "short"),
            ("PAY_1", nil), ("xpay_1", nil), ("pay_", "short"), ("pay", nil),
        ]
        for (link, winner) in table { #expect(router.route(link).winner == winner, "\(link)") }
    }

    static let boundaries: [(link: String, winner: ProviderID?)] = [
        ("https://pay.good.com/", "suffix"),
        ("https://a.pay.good.com/", "suffix"),
        ("https://a.b.c.pay.good.com/", "suffix"),
        ("https://PAY.GOOD.COM/", "suffix"),
        ("https://pay.good.com:443/", "suffix"),
        ("https://evilpay.good.com/", nil),
        ("https://pay.good.com.evil.example/", nil),
        ("https://good.com/", nil),
        ("https://pay.good.co/", nil),
        ("https://pay.good.comm/", nil),
        ("https://pay.good.com:8443/", nil),
        ("https://xn--a-1ga.pay.good.com/", nil),
        ("https://evil.example/pay.good.com", nil),
        ("https://evil.example/?pay.good.com", nil),
        ("https://evil.example/#.pay.good.com", nil),
        ("https://pay.good.com@evil.example/", nil),
        ("https://evil.example\\.pay.good.com/", nil),
        ("ftp://pay.good.com/", nil),
        ("pay.good.com", nil),
        ("https://exact.example/", "exact"),
        ("https://sub.exact.example/", nil),
        ("https://exact.example:8443/", "ported"),
        ("https://exact.example:8444/", nil),
        ("http://exact.example:8443/", "ported"),
        ("http://exact.example:443/", nil),
        ("http://exact.example:80/", "exact"),
        ("https://xn--bcher-kva.example/", "idn"),
        ("https://a.xn--bcher-kva.example/", nil),
        ("https://127.0.0.1/", "address"),
        ("https://1.127.0.0.1/", nil),
        ("https://localhost/", "single"),
        ("https://a.localhost/", nil),
        ("https://paths.example/pay", "paths"),
        ("https://paths.example/pay/", "paths"),
        ("https://paths.example/pay/1/2", "paths"),
        ("https://paths.example/pay?x", "paths"),
        ("https://paths.example/pay#x", "paths"),
        ("https://paths.example/payments", nil),
        ("https://paths.example/Pay", nil),
        ("https://paths.example/pa", nil),
        ("https://paths.example/", nil),
        ("https://paths.example", nil),
        ("https://paths.example/x/pay", nil),
        ("https://paths.example/open/", "paths"),
        ("https://paths.example/open/x", "paths"),
        ("https://paths.example/open", nil),
        ("https://a.deep.example/v2/links/1", "deep"),
        ("https://a.deep.example/v2/linksx", nil),
    ]

    @Test("Labels, path segments and ports are whole or nothing", arguments: boundaries)
    func boundary(link: String, winner: ProviderID?) throws {
        let router = try router([
            Claimant("suffix", .hostSuffix("pay.good.com")), Claimant("exact", .host("exact.example")),
            Claimant("ported", .host("exact.example:8443")), Claimant("idn", .host("xn--bcher-kva.example")),
            Claimant("address", .host("127.0.0.1")), Claimant("single", .host("localhost")),
            Claimant("paths", .host("paths.example", path: "/pay"), .host("paths.example", path: "/open/")),
            Claimant("deep", .hostSuffix("deep.example", path: "/v2/links")),
        ])
        let decision = router.route(link)
        #expect(decision.winner == winner)
        #expect(!decision.explanation.isEmpty)
    }

    @Test("Plain http is never verified, and https stays as the provider says")
    func plainHTTP() throws {
        let router = try router([Claimant("host", .host("a.example"))])
        guard case .matched(let plain) = router.route("http://a.example/"),
            case .matched(let secure) = router.route("https://a.example/")
        else {
            Issue.record("not matched")
            return
        }
        #expect(secure.match.trust == .verified)
        #expect(plain.match.trust != .verified)
        #expect(router.route("http://a.example/").explanation.contains("http"))
    }

    @Test("Every order of registration gives the same decisions")
    func permutations() throws {
        let providers: [any PaymentProvider] = [
            Claimant("a", .hostSuffix("good.com"), .scheme("wc")), Claimant("b", .host("pay.good.com")),
            Claimant("c", .scheme("wc"), .hostSuffix("pay.good.com")),
            Claimant("d", .textPrefix("pay_"), .scheme("wc")),
            Claimant("e", .returnURL("https://pay.good.com/done"), .host("pay.good.com")),
        ]
        let links = [
            "https://pay.good.com/", "https://x.pay.good.com/", "https://y.good.com/", "wc:1", "pay_1",
            "https://pay.good.com/done?x", "nothing", "https://else.example/", "https://:/",
        ]
        var seen: Set<[RouteDecision]> = []
        for order in Self.permutations(of: providers) {
            let registry = try ProviderRegistry(order, equalClaims: .reportAmbiguous)
            let router = PaymentRouter(registry: registry, transport: RecordingTransport(), journal: InMemoryJournal())
            seen.insert(links.map(router.route))
        }
        #expect(seen.count == 1)
        #expect(seen.first?[0].explanation.contains("b, e") == true)
        #expect(seen.first?[3].explanation.contains("a, c, d") == true)
    }

    private static func permutations<Element>(of elements: [Element]) -> [[Element]] {
        guard elements.count > 1 else { return [elements] }
        return elements.indices.flatMap { index in
            var rest = elements
            let first = rest.remove(at: index)
            return permutations(of: rest).map { [first] + $0 }
        }
    }

    @Test("Ten thousand providers each get their own links and no other's")
    func manyProviders() throws {
        let router = try router(
            (0..<10_000).map { index in
                Claimant(
                    "p\(index)", .host("host\(index).example"), .hostSuffix("suffix\(index).example"),
                    .scheme("scheme\(index)"), .textPrefix("text\(index)_"), .returnURL("app\(index)://done"))
            })
        for index in 0..<10_000 {
            let id = ProviderID(rawValue: "p\(index)")
            #expect(router.route("https://host\(index).example/x").winner == id)
            #expect(router.route("https://a.suffix\(index).example/x").winner == id)
            #expect(router.route("scheme\(index):x").winner == id)
            #expect(router.route("text\(index)_x").winner == id)
            #expect(router.route("app\(index)://done?x").winner == id)
        }
        #expect(router.route("https://host10000.example/").winner == nil)
        #expect(router.route("https://xsuffix1.example/").winner == nil)
    }

    @Test("A standard's reader is asked when no provider takes the link, and never before")
    func readers() throws {
        struct Reader: InstructionReader {
            func read(_ link: PaymentLink) -> InstructionReading {
                link.scheme == "bitcoin" ? .instruction(PaymentInstruction(standard: "bip321", fields: [:])) : .none
            }
        }
        let taken = try ProviderRegistry([Claimant("coin", .scheme("bitcoin"))])
        for (registry, expected) in [(try ProviderRegistry([]), false), (taken, true)] {
            let router = PaymentRouter(
                registry: registry, transport: RecordingTransport(), journal: InMemoryJournal(), readers: [Reader()])
            #expect((router.route("bitcoin:1").winner == "coin") == expected)
            if !expected {
                #expect(router.route("bitcoin:1") == .recognized(PaymentInstruction(standard: "bip321", fields: [:])))
            }
            #expect(router.route("litecoin:1").explanation.contains("litecoin"))
        }
    }

    @Test("A provider takes what is sound by the standard that it registers for, after every other claim")
    func standards() throws {
        let invoice =
            "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyq"
            + "cyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06f"
            + "v3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh"
        func router(_ providers: Claimant...) throws -> PaymentRouter {
            PaymentRouter(
                registry: try ProviderRegistry(providers), transport: RecordingTransport(), journal: InMemoryJournal(),
                readers: [StandardsReader()])
        }
        let wallet = Claimant("wallet", .standard("bolt11"))
        // In any spelling.
        for text in [invoice, "lightning:" + invoice, "LIGHTNING:" + invoice.uppercased()] {
            #expect(try router(wallet).route(text).winner == "wallet", "\(text)")
            #expect(
                try router(wallet, Claimant("lightning", .scheme("lightning"))).route(text).winner
                    == (text == invoice ? "wallet" : "lightning"))
        }
        // Neither another standard's text, nor an unsound one.
        let bitcoin = "bitcoin:1andreas3batLhQa2FawWjeyjCqyBzypd"
        for text in [bitcoin, String(invoice.dropLast()) + "q", "lightning:x"] {
            #expect(try router(wallet).route(text).winner == nil, "\(text)")
        }
        // The provider decides in the end, and equal claims are resolved as usual.
        var picky = wallet
        picky.refused = "lnbc"
        guard case .recognized = try router(picky).route(invoice) else {
            Issue.record("what its provider does not take is known all the same")
            return
        }
        let rival = Claimant("rival", .standard("bolt11"))
        #expect(throws: RegistryError.self) { try ProviderRegistry([wallet, rival]) }
        let both = PaymentRouter(
            registry: try ProviderRegistry([wallet, rival], equalClaims: .reportAmbiguous),
            transport: RecordingTransport(), journal: InMemoryJournal(), readers: [StandardsReader()])
        guard case .ambiguous(let routes) = both.route(invoice) else {
            Issue.record("two took it")
            return
        }
        #expect(routes.map(\.provider) == ["rival", "wallet"])
        for id in ["", "BOLT11", "bolt 11"] {
            #expect(throws: RegistryError.self) { try ProviderRegistry([Claimant("p", .standard(id))]) }
        }
        #expect(LinkPattern.standard("bolt11").description == "any bolt11")
    }

    @Test(
        "A link that holds a secret is shown without it, as its provider says; by its form where it says nothing",
        arguments: [
            ("https://pay.good.com/t0ken", true, false), ("https://pay.good.com/t0ken", false, true),
            ("https://pay.good.com/t0ken", nil, true), ("good:t0ken", true, false), ("good:t0ken", false, true),
            ("good:t0ken", nil, false),
        ] as [(String, Bool?, Bool)])
    func secrets(text: String, word: Bool?, isShown: Bool) throws {
        var claimant = Claimant("good", .host("pay.good.com"), .scheme("good"))
        claimant.holdsSecret = word
        let decision = try router([claimant]).route(text)
        #expect(decision.winner == "good")
        #expect(decision.holdsSecret == !isShown)
        #expect(decision.shown(text).contains("t0ken") == isShown)
    }
}
