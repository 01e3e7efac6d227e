import FuzzModel
import PaymentCore
import PaymentRouting
import TestSupport
import WalletConnectPayProvider

/// Links and routing: the invariants of every text.
struct RoutingTarget: FuzzTarget {
    static let name = "links and routing"
    static let share = 40
    let corpus = Seeds.corpus
    private let router: PaymentRouter
    /// The patterns of the providers that take every link, so that the patterns alone decide.
    private let patterns: [(id: ProviderID, pattern: LinkPattern)]
    private let patternRouter: PaymentRouter

    /// The number of decisions of each kind: a fuzzer that is always rejected finds nothing.
    private(set) var counts: [String: Int] = [:]

    init() throws {
        let takers: [any PaymentProvider] = Self.takers
        let vendor = WalletConnectPayProvider(configuration: try GatewayConfiguration(appID: "none"))
        router = try Self.router([vendor] + takers)
        patternRouter = try Self.router(takers)
        patterns = takers.map(\.descriptor).flatMap { descriptor in descriptor.patterns.map { (descriptor.id, $0) } }
    }

    private static func router(_ providers: [any PaymentProvider]) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry(providers), transport: NoNetwork(), journal: InMemoryJournal())
    }

    private static let takers: [any PaymentProvider] = [
        Taker("hosts", [.host("checkout.acme.example:8443", path: "/pay"), .host("checkout.acme.example:8443")]),
        Taker("paths", [.host("shop.example.net", path: "/pay/now"), .hostSuffix("example.net", path: "/pay")]),
        Taker("suffixes", [.hostSuffix("example.net"), .hostSuffix("shop.example.net"), .hostSuffix("evil.example")]),
        Taker("slash", [.hostSuffix("walletconnect.com", path: "/pay/"), .host("walletconnect.com")]),
        Taker("odd", [.host("[::1]"), .host("127.0.0.1"), .host("localhost"), .host("xn--bcher-kva.example")]),
        Taker(
            "app", [.scheme("shop"), .returnURL("shop://paid"), .returnURL("https://checkout.acme.example:8443/pay")]),
        Taker("coin", [.scheme("bitcoin"), .scheme("lightning"), .scheme("upi"), .returnURL("shop:paid")]),
        Taker("text", [.textPrefix("acme_"), .textPrefix("acme_pay_"), .textPrefix("BCD\n")]),
    ]

    /// The violation of `input`, or nil.
    mutating func violation(_ input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        let decision = router.route(text)
        if decision.explanation.isEmpty { return "no explanation" }
        let link: PaymentLink
        do { link = try PaymentLink(text) } catch {
            counts["rejected", default: 0] += 1
            return decision == .rejected(error) ? nil : "a rejected text was routed"
        }
        return wrongForm(link) ?? wrongRepetition(link, decision) ?? wrongPattern(link) ?? wrongTrust(input, decision)
    }

    /// The parts are the canonical text, and the canonical text keeps the rules.
    private func wrongForm(_ link: PaymentLink) -> String? {
        let tail = (link.query.map { "?" + $0 } ?? "") + (link.fragment.map { "#" + $0 } ?? "")
        let port = link.port.map { ":\($0)" } ?? ""
        let whole =
            switch link.form {
            case .web: "\(link.scheme ?? "")://\(link.host ?? "")\(port)\(link.path)\(tail)"
            case .opaque: "\(link.scheme ?? ""):\(link.path)\(tail)"
            case .text: String(link.path)
            }
        if whole != link.text { return "the parts are not the whole" }
        for item in link.queryItems where item.name.utf8.contains(UInt8(ascii: "&")) { return "a split name" }
        guard link.form != .text else { return nil }
        if !link.text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) { return "odd bytes" }
        let caseless = "\(link.scheme ?? "")\(link.host ?? "")"
        return caseless == caseless.lowercased() ? nil : "capital letters in scheme or host"
    }

    /// Scanning and routing again change nothing.
    private func wrongRepetition(_ link: PaymentLink, _ decision: RouteDecision) -> String? {
        guard let again = try? PaymentLink(link.text) else { return "the canonical text is rejected" }
        if again.text != link.text { return "canonical text is not stable" }
        let isSame =
            again.form == link.form && again.hostKind == link.hostKind && again.port == link.port
            && again.path == link.path && again.query == link.query
        if !isSame { return "canonical text is read otherwise" }
        return router.route(link.text) == decision ? nil : "the canonical text goes elsewhere"
    }

    /// The table finds the same as a plain search through all patterns.
    private func wrongPattern(_ link: PaymentLink) -> String? {
        let best = patterns.filter { Oracle.claims($0.pattern, link) }.max {
            Oracle.order($0.pattern) < Oracle.order($1.pattern)
        }
        switch (patternRouter.route(link), best) {
        case (.unroutable, nil): return nil
        case (.matched(let route), let best?) where route.provider == best.id && route.pattern == best.pattern:
            return nil
        default: return "the table disagrees with a plain search, which finds \(best?.pattern.description ?? "nothing")"
        }
    }

    private mutating func wrongTrust(_ input: [UInt8], _ decision: RouteDecision) -> String? {
        guard case .matched(let route) = decision else {
            counts["unroutable", default: 0] += 1
            return nil
        }
        let isVendor = route.provider == WalletConnectPayProvider.id
        let isVerified = route.match.trust == .verified
        counts[isVendor ? (isVerified ? "verified" : "unverified") : "others'", default: 0] += 1
        if isVerified, route.link.scheme == "http" { return "plain http is verified" }
        if isVendor, isVerified, !Oracle.canLeadToWalletConnectPay(input) { return "a foreign link is verified" }
        return nil
    }
}

/// A provider that takes every link.
private struct Taker: PaymentProvider {
    let descriptor: ProviderDescriptor

    init(_ id: String, _ patterns: [LinkPattern]) {
        descriptor = ProviderDescriptor(id: ProviderID(rawValue: id), name: id, patterns: patterns, outboundHosts: [])
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? { LinkMatch(nil) }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        throw OnlyRoutes()
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        throw OnlyRoutes()
    }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        throw OnlyRoutes()
    }
}

private struct OnlyRoutes: Error {}
