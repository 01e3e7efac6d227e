import PaymentCore
import PaymentRouting
import PaymentStandards
import TestSupport
import Testing

@Suite("Provider registry")
struct RegistryTests {
    private func provider(_ id: String, _ patterns: LinkPattern...) -> ScriptedProvider {
        var provider = ScriptedProvider()
        provider.descriptor = ProviderDescriptor(
            id: ProviderID(rawValue: id), name: id, patterns: patterns, outboundHosts: [])
        return provider
    }

    @Test("A registry routes by itself, as a router with the same readers does")
    func routesAlone() throws {
        let registry = try ProviderRegistry([provider("a", .scheme("aa")), provider("b", .standard("bolt11"))])
        let router = PaymentRouter(
            registry: registry, transport: RecordingTransport(), journal: InMemoryJournal(),
            readers: [StandardsReader()]
        )
        let invoice =
            "lightning:lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh"
        for text in [
            "aa:x?id=1", "https://shop.example/", "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", invoice,
        ] {
            #expect(registry.route(text, readers: [StandardsReader()]) == router.route(text), "\(text)")
        }
        #expect(registry.route("aa:x?id=1") == router.route("aa:x?id=1"))
        guard case .unroutable = registry.route(invoice) else {
            Issue.record("without readers nobody knows an invoice")
            return
        }
        guard case .rejected = registry.route("https:// x") else {
            Issue.record("no link")
            return
        }
    }

    @Test("Two providers of one id are refused")
    func duplicateID() {
        #expect(throws: RegistryError.duplicateID("a")) {
            try ProviderRegistry([provider("a", .scheme("x1")), provider("a", .scheme("x2"))])
        }
    }

    @Test("Malformed ids are refused", arguments: ["", "A", "a b", "a_b", "ä", "a/b"])
    func invalidID(id: String) {
        #expect(throws: RegistryError.invalidID(ProviderID(rawValue: id))) { try ProviderRegistry([provider(id)]) }
    }

    static let equalPairs: [(LinkPattern, LinkPattern)] = [
        (.host("pay.example.com"), .host("PAY.example.com")),
        (.host("pay.example.com"), .host("pay.example.com:443")),
        (.host("a.example", path: "/p"), .host("A.example", path: "/p")),
        (.hostSuffix("example.com"), .hostSuffix("Example.COM")),
        (.scheme("wc"), .scheme("WC")),
        (.textPrefix("pay_"), .textPrefix("pay_")),
        (.returnURL("shop://paid"), .returnURL("SHOP://PAID")),
        (.returnURL("https://a.example:443/r"), .returnURL("https://a.example/r")),
    ]

    @Test("Equal claims are refused, whatever their case", arguments: equalPairs)
    func equalClaims(first: LinkPattern, second: LinkPattern) {
        #expect {
            try ProviderRegistry([provider("a", first), provider("b", second)])
        } throws: { error in
            guard case .equalClaims(_, "a", "b")? = error as? RegistryError else { return false }
            return true
        }
    }

    static let unequalPairs: [(LinkPattern, LinkPattern)] = [
        (.host("a.example", path: "/p"), .host("a.example", path: "/P")),
        (.host("a.example", path: "/p"), .host("a.example")),
        (.host("a.example"), .hostSuffix("a.example")),
        (.host("a.example"), .host("a.example:8443")),
        (.textPrefix("pay_"), .textPrefix("PAY_")),
    ]

    @Test("Different claims live together", arguments: unequalPairs)
    func unequalClaims(first: LinkPattern, second: LinkPattern) throws {
        #expect(try ProviderRegistry([provider("a", first), provider("b", second)]).providers.count == 2)
    }

    static let invalidPatterns: [LinkPattern] = [
        .scheme(""), .scheme("1x"), .scheme("a b"), .scheme("a:"), .scheme("a/b"), .scheme("x"), .scheme("https"),
        .scheme("HTTP"), .scheme("é"),
        .host(""), .host("a b.example"), .host("https://a.example"), .host("a.example/"), .host("a.example?x"),
        .host("user@a.example"), .host("a..example"), .host("a.example."), .host("a%2eb.example"), .host("a.example:0"),
        .host("a.example:99999"), .host("bücher.example"), .host("-a.example"),
        .host("a.example", path: ""), .host("a.example", path: "p"), .host("a.example", path: "/p?x"),
        .host("a.example", path: "/p#x"), .host("a.example", path: "/p q"), .host("a.example", path: "/p\\q"),
        .hostSuffix("com"), .hostSuffix("localhost"), .hostSuffix("127.0.0.1"), .hostSuffix("[::1]"),
        .hostSuffix("xn--bcher-kva.example"), .hostSuffix("a.example:8443"), .hostSuffix(".a.example"),
        .hostSuffix("a.example", path: "p"),
        .textPrefix(""), .textPrefix("ab"), .textPrefix("https://a.example"), .textPrefix("wc:x"), .textPrefix(" ab"),
        .returnURL(""), .returnURL("paid"), .returnURL("shop://paid?x=1"), .returnURL("shop://paid#x"),
        .returnURL("https://user@a.example/"),
    ]

    @Test("Patterns that cannot match what they mean are refused", arguments: invalidPatterns)
    func invalidPattern(pattern: LinkPattern) {
        #expect {
            try ProviderRegistry([provider("a", pattern)])
        } throws: { error in
            guard case .invalidPattern(pattern, "a", let reason)? = error as? RegistryError else { return false }
            return !reason.isEmpty && "\(error)".contains(reason)
        }
    }

    @Test(
        "Exact hosts may be anything a link can name",
        arguments: [
            "localhost", "127.0.0.1", "[::1]", "[::1]:8080", "xn--bcher-kva.example", "a.example:8443",
        ])
    func exactHosts(host: String) throws {
        let registry = try ProviderRegistry([provider("a", .host(host))])
        #expect(try route("https://\(host.uppercased())/?id=1", in: registry)?.provider == "a")
    }

    @Test("Adding, removing and replacing make new registries")
    func change() throws {
        let first = try ProviderRegistry([provider("a", .scheme("aa"))])
        let second = try first.adding(provider("b", .scheme("bb")))
        #expect(first.providers.count == 1)
        #expect(second.descriptors.map(\.id) == ["a", "b"])
        #expect(throws: RegistryError.duplicateID("a")) { try second.adding(provider("a", .scheme("cc"))) }
        #expect(second.removing("a").descriptors.map(\.id) == ["b"])
        #expect(second.removing("nobody").descriptors.map(\.id) == ["a", "b"])
        let third = try second.replacing(provider("a", .scheme("cc")))
        #expect(Set(third.descriptors.map(\.id)) == ["a", "b"])
        #expect(try route("aa:x?id=1", in: third) == nil)
        #expect(try route("cc:x?id=1", in: third)?.provider == "a")
        #expect(third.provider("b") != nil)
        #expect(third.provider("c") == nil)
    }

    private func route(_ link: String, in registry: ProviderRegistry) throws -> Route? {
        var world = World()
        world.provider = ScriptedProvider()
        let router = PaymentRouter(registry: registry, transport: world.transport, journal: world.journal)
        guard case .matched(let route) = router.route(link) else { return nil }
        return route
    }

    @Test("Equal claims that are allowed are ambiguous when several recognise the link, in a fixed order")
    func ambiguity() throws {
        let claims = ["c", "a", "b"].map { provider($0, .scheme("pp")) }
        let registry = try ProviderRegistry(claims, equalClaims: .reportAmbiguous)
        let router = PaymentRouter(registry: registry, transport: RecordingTransport(), journal: World().journal)
        guard case .ambiguous(let routes) = router.route("pp:x?id=1") else {
            Issue.record("not ambiguous")
            return
        }
        #expect(routes.map(\.provider) == ["a", "b", "c"])
        #expect(throws: RegistryError.self) { try ProviderRegistry(claims) }
    }

    @Test("An equal claim is settled when only one provider recognises the link")
    func settledAmbiguity() throws {
        var blind = provider("a", .scheme("pp"))
        blind.match = { _ in nil }
        let registry = try ProviderRegistry([blind, provider("b", .scheme("pp"))], equalClaims: .reportAmbiguous)
        #expect(try route("pp:x?id=1", in: registry)?.provider == "b")
    }

    @Test("A provider that names a pattern twice is not its own rival")
    func ownDuplicate() throws {
        let registry = try ProviderRegistry(
            [provider("a", .scheme("pp"), .scheme("PP"))], equalClaims: .reportAmbiguous)
        #expect(try route("pp:x?id=1", in: registry)?.provider == "a")
    }

    /// A merchant's service, and nothing else.
    private struct Till: PaymentService {
        var descriptor = ProviderDescriptor(id: "till", name: "Till", outboundHosts: [])
        func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
            .cancelled
        }
    }

    @Test("A merchant's service is registered beside providers, and is none")
    func services() throws {
        let registry = try ProviderRegistry([provider("a", .scheme("x1")), Till()])
        #expect(registry.services.count == 2 && registry.descriptors.map(\.id) == ["a", "till"])
        #expect(registry.providers.map(\.descriptor.id) == ["a"])
        #expect(registry.service("till") is Till && registry.provider("till") == nil)
        #expect(registry.service("a") is ScriptedProvider)
        #expect(try registry.removing("a").adding(provider("b")).descriptors.map(\.id) == ["till", "b"])
    }

    @Test("Providers and merchants' services share one space of ids")
    func servicesHaveIDsOfTheirOwn() throws {
        #expect(throws: RegistryError.duplicateID("till")) { try ProviderRegistry([Till(), provider("till")]) }
    }

    @Test("A merchant's service claims no links")
    func servicesTakeNoLinks() {
        let till = Till(
            descriptor: ProviderDescriptor(id: "till", name: "Till", patterns: [.scheme("x1")], outboundHosts: []))
        #expect {
            try ProviderRegistry([till])
        } throws: { error in
            guard case .invalidPattern(.scheme("x1"), "till", _)? = error as? RegistryError else { return false }
            return true
        }
    }
}
