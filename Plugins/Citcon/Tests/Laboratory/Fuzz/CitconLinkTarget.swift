import CitconProvider
import FuzzModel
import PaymentCore
import PaymentRouting

/// Order links, which hold a charge token, and Citcon's own pages.
struct CitconLinkTarget: FuzzTarget {
    static let name = "Citcon's order links"
    static let share = 16

    let corpus = Corpus(
        [
            "citcon:charge?token=62d5c1e0242011eda300f59379b812ce&method=wechatpay&reference=order-1&amount=1250&currency=USD&country=US&env=uat",
            "citcon:charge?env=PROD&country=JP&currency=JPY&amount=12000&reference=a%2Fb%20c&method=alipay+&token=T_-1&consumer=GUID",
            "citcon:charge?token=t&method=m_pesa&reference=r&amount=1&currency=KWD&country=KW&env=qa",
            "citcon%3Acharge%3Ftoken%3Dt%26method%3Dcard%26reference%3Dr%26amount%3D5%26currency%3DEUR%26country%3DDE%26env%3Ddev",
            "citcon:refund?token=t", "citcon://charge?token=t", "citcon:charge",
            "https://landing.uat01.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef",
            "https://landing.citconpay.com/v1/qr/0123456789abcdef0123456789abcdef",
            "https://proxy.citconpay.cn/upi/u_landing/v1/landing/0123456789abcdef0123456789abcdef",
        ],
        pieces: [
            "citcon:", "charge", "?", "&", "=", "#", "%", "+", "token=", "method=", "reference=", "amount=",
            "currency=", "country=", "env=", "consumer=", "token=62d5", "method=card", "amount=0", "amount=01",
            "amount=-1", "amount=1e3", "amount=999999999999999999", "currency=usd", "currency=XXX", "country=us",
            "env=UAT", "env=test", "%26", "%3D", "%00", "%2e", "..", "landing:", "landing", "/v1/", "qr/",
            "citconpay.com",
            ".citconpay.com", "evil.example", "@", ":8443", "0123456789abcdef0123456789abcdef", "\u{0}", "é", "ORDER",
        ])
    private(set) var counts: [String: Int] = [:]
    private let provider: CitconProvider
    private let router: PaymentRouter

    init() throws {
        provider = CitconProvider(
            configuration: CitconConfiguration(endpoint: try CitconEndpoint(.UAT), accessToken: Redacted("token")))
        router = PaymentRouter(
            registry: try ProviderRegistry([provider]),
            transport: Surroundings.Service { _ in HTTPResponse(status: 500) },
            journal: InMemoryJournal())
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        if let problem = wrongName(text) { return problem }
        guard let link = try? PaymentLink(text) else {
            counts["rejected", default: 0] += 1
            return nil
        }
        guard case .matched(let route) = router.route(link) else {
            counts["unroutable", default: 0] += 1
            return (try? CitconOrderLink(link)) == nil ? nil : "an order link is not routed"
        }
        guard let order = try? CitconOrderLink(link) else { return wrongOther(link, route.match) }
        counts["an order", default: 0] += 1
        let name = "\(order.mode.linkName)/\(order.reference)"
        guard route.match == LinkMatch(.payment(name)) else { return "an order is routed otherwise" }
        guard order.amount.minorUnits > 0 else { return "an order over nothing" }
        if Self.secret(order).contains(where: { "\(order)\(route.match)".contains($0) }) { return "a token is shown" }
        for name in ["token", "method", "reference", "amount", "currency", "country", "env"] {
            let count = link.queryItems.values(name).count
            if count != 1 { return "an order says its \(name) \(count) times" }
        }
        guard let again = try? CitconOrderLink(PaymentLink(order.text.reveal())), again == order else {
            return "an order link is written otherwise than it is read"
        }
        return wrongQuote(order, link, route.match)
    }

    /// Long tokens only: a short one may stand in any text.
    private static func secret(_ order: CitconOrderLink) -> [String] {
        [order.token.reveal()].filter { $0.utf8.count > 24 && $0 != order.reference }
    }

    private mutating func wrongOther(_ link: PaymentLink, _ match: LinkMatch) -> String? {
        if link.scheme == "citcon" {
            counts["a defective order", default: 0] += 1
            return match.trust == .verified ? "a defective order is verified" : nil
        }
        counts["a landing page", default: 0] += 1
        guard let parts = Oracle.places(of: link.text) else { return "a landing page without a host" }
        let isOurs =
            parts.authority == "proxy.citconpay.cn"
            || parts.authority.hasPrefix("landing.") && parts.authority.hasSuffix(".citconpay.com")
            || parts.authority == "landing.citconpay.com"
        if match.trust == .verified, !isOurs || parts.scheme != "https" && parts.scheme != "http" {
            return "a foreign page is taken for Citcon's"
        }
        return match.reference?.hasPrefix("landing:") == true ? nil : "a page is taken for an order"
    }

    /// The quote is the link's amount, and the environment is the provider's.
    private mutating func wrongQuote(_ order: CitconOrderLink, _ link: PaymentLink, _ match: LinkMatch) -> String? {
        let provider = provider
        let reference = PaymentReference(provider: CitconProvider.id, id: order.reference)
        let quote = Surroundings.wait { () -> ProviderQuote? in
            let request = QuoteRequest(link: link, match: match, reference: reference)
            return try? await provider.quote(request, in: Surroundings.context { _ in HTTPResponse(status: 500) })
        }
        guard let quote = quote ?? nil else {
            return order.mode == .UAT ? "an order cannot be quoted" : nil
        }
        counts["quoted", default: 0] += 1
        guard order.mode == .UAT else { return "an order of another environment is quoted" }
        guard quote.amount == order.amount, quote.options.map(\.amount) == [order.amount] else {
            return "the quote is over another amount"
        }
        return nil
    }

    /// A text that can be an order's reference is written and read the same way.
    private func wrongName(_ text: String) -> String? {
        guard let amount = try? Money(minorUnits: 1250, currency: .usd),
            let order = try? CitconOrderLink(
                token: Redacted("62d5"), method: "wechatpay", reference: text, amount: amount, country: "US",
                mode: .UAT,
                consumer: text.utf8.count > 64 ? nil : Redacted(text))
        else { return nil }
        guard let link = try? PaymentLink(order.text.reveal()), (try? CitconOrderLink(link)) == order else {
            return "an order link that was written cannot be read"
        }
        return nil
    }
}
