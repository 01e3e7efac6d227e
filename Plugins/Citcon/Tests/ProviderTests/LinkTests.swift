import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Order links, landing pages, and the provider's claims.
@Suite struct LinkTests {
    static let good =
        "citcon:charge?token=62d5c1e0242011eda300f59379b812ce&method=wechatpay&reference=order-1&amount=1250&currency=USD&country=US&env=uat"

    /// A service that knows nothing.
    private static var silent: ScriptedCitcon { ScriptedCitcon { call, _ in .fail(500, "4101", call) } }

    @Test("A link says everything, and can be written again")
    func reading() throws {
        let link = try CitconOrderLink(PaymentLink(Self.good))
        #expect(link.token.reveal() == "62d5c1e0242011eda300f59379b812ce" && link.method == "wechatpay")
        #expect(link.reference == "order-1" && link.country == "US" && link.mode == .UAT && link.consumer == nil)
        #expect(link.amount == (try Money(minorUnits: 1250, currency: .usd)))
        #expect(link.text.reveal() == Self.good)
        let odd = try CitconOrderLink(
            token: Redacted("a-b_C"), method: "alipay+", reference: "a b&c=d+e:f", amount: link.amount, country: "DE",
            mode: .PROD, consumer: Redacted("kund:in 1"))
        #expect(try CitconOrderLink(PaymentLink(odd.text.reveal())) == odd)
        #expect(!shown(odd).contains("a-b_C") && !shown(odd).contains("kund"))
    }

    @Test("Order of items, the case of env, and a bare plus do not matter")
    func variants() throws {
        for text in [
            Self.good.replacing("env=uat", with: "env=UAT"), Self.good.replacing("citcon:", with: "CITCON:"),
            "citcon:charge?env=uat&country=US&currency=USD&amount=1250&reference=order-1&method=wechatpay&token=62d5c1e0242011eda300f59379b812ce",
        ] {
            #expect(try CitconOrderLink(PaymentLink(text)).text.reveal() == Self.good)
        }
        let plus = try CitconOrderLink(PaymentLink(Self.good.replacing("wechatpay", with: "alipay+")))
        #expect(plus.method == "alipay+")
    }

    static let defects: [(String, String, CitconOrderLink.Defect)] = [
        ("token=62d5c1e0242011eda300f59379b812ce&", "", .missing("token")),
        ("&method=wechatpay", "", .missing("method")), ("&reference=order-1", "", .missing("reference")),
        ("&amount=1250", "", .missing("amount")), ("&currency=USD", "", .missing("currency")),
        ("&country=US", "", .missing("country")), ("&env=uat", "", .missing("env")),
        ("&env=uat", "&env=uat&env=uat", .repeated("env")),
        ("amount=1250", "amount=1250&amount=1", .repeated("amount")),
        ("&env=uat", "&env=uat&tip=1", .unknownItem), ("&env=uat", "&env=uat&Amount=1", .unknownItem),
        ("&env=uat", "&env=uat#x", .hasFragment), ("amount=1250", "amount=0", .malformed("amount")),
        ("amount=1250", "amount=012", .malformed("amount")), ("amount=1250", "amount=12.50", .malformed("amount")),
        ("amount=1250", "amount=-5", .malformed("amount")), ("amount=1250", "amount=", .malformed("amount")),
        ("amount=1250", "amount=1e3", .malformed("amount")), ("amount=1250", "amount=+1", .malformed("amount")),
        ("amount=1250", "amount=9999999999999999999", .malformed("amount")),
        ("currency=USD", "currency=usd", .malformed("currency")),
        ("currency=USD", "currency=XXX", .malformed("currency")),
        ("country=US", "country=us", .malformed("country")), ("country=US", "country=USA", .malformed("country")),
        ("env=uat", "env=test", .malformed("env")), ("method=wechatpay", "method=WeChat", .malformed("method")),
        ("method=wechatpay", "method=a%20b", .malformed("method")),
        ("method=wechatpay", "method=", .malformed("method")),
        ("token=62d5c1e0242011eda300f59379b812ce", "token=a%2Fb", .malformed("token")),
        ("token=62d5c1e0242011eda300f59379b812ce", "token=..", .malformed("token")),
        ("reference=order-1", "reference=..", .malformed("reference")),
        ("reference=order-1", "reference=%0A", .malformed("reference")),
        ("reference=order-1", "reference=a%2Fb", .malformed("reference")),
        ("reference=order-1", "reference=a..b", .malformed("reference")),
        ("reference=order-1", "reference=a%252Fb", .malformed("reference")),
        ("reference=order-1", "reference=%zz", .malformed("reference")),
        ("reference=order-1", "reference=landing:0", .malformed("reference")),
        ("reference=order-1", "reference=%C3%A9", .malformed("reference")),
        ("charge?", "pay?", .notAnOrder), ("citcon:charge", "citcon://charge", .notAnOrder),
        ("&env=uat", "&env=uat&consumer=", .malformed("consumer")),
    ]

    @Test("Anything else is refused, saying why", arguments: defects)
    func defect(_ old: String, _ new: String, _ expected: CitconOrderLink.Defect) throws {
        let text = Self.good.replacing(old, with: new)
        #expect(text != Self.good)
        let link = try PaymentLink(text)
        #expect(throws: expected) { try CitconOrderLink(link) }
        let match = try Shop.provider().recognize(link)
        #expect(match?.reference == nil)
        if expected != .notAnOrder {
            #expect(match?.trust == .unverified(reason: expected.description))
        }
    }

    @Test("Links that are made are checked as those that are read")
    func making() throws {
        let usd = try Money(minorUnits: 1, currency: .usd)
        func make(_ token: String, _ method: String, _ reference: String, _ amount: Money, _ country: String) throws {
            _ = try CitconOrderLink(
                token: Redacted(token), method: method, reference: reference, amount: amount, country: country,
                mode: .UAT)
        }
        try make("t", "card", "r", usd, "US")
        #expect(throws: CitconOrderLink.Defect.malformed("token")) { try make("", "card", "r", usd, "US") }
        #expect(throws: CitconOrderLink.Defect.malformed("country")) { try make("t", "card", "r", usd, "us") }
        #expect(throws: CitconOrderLink.Defect.malformed("currency")) {
            try make("t", "card", "r", try Money(minorUnits: 1, currency: .satoshi), "US")
        }
        #expect(throws: CitconOrderLink.Defect.malformed("amount")) {
            try make("t", "card", "r", try Money(minorUnits: 0, currency: .usd), "US")
        }
    }

    static let pages: [(String, Bool)] = [
        ("https://landing.uat01.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef", true),
        ("https://landing.uat01.citconpay.com/v1/qr/0123456789abcdef0123456789abcdef", true),
        ("https://landing.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef", true),
        ("https://proxy.citconpay.cn/upi/u_landing/v1/landing/0123456789abcdef0123456789abcdef", true),
        ("https://proxy.citconpay.cn/upi/u_landing/v1/qr/0123456789abcdef0123456789abcdef?x=1", true),
        ("https://proxy.citconpay.cn/v1/landing/0123456789abcdef0123456789abcdef", false),
        ("https://api.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef", false),
        ("https://landing.uat01.citconpay.com/v1/landing/0123", false),
        ("https://landing.uat01.citconpay.com/v1/landing/0123456789ABCDEF0123456789ABCDEF", false),
        ("https://landing.uat01.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef/x", false),
        ("https://landing.uat01.citconpay.com/v1/charges/0123456789abcdef0123456789abcdef", false),
        ("https://landing.uat01.citconpay.com.evil.example/v1/landing/0123456789abcdef0123456789abcdef", false),
        ("https://landing.uat01.citconpay.com:444/v1/landing/0123456789abcdef0123456789abcdef", false),
        ("https://landing.a.b.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef", false),
        ("https://evillanding.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef", false),
    ]

    @Test("Landing pages are recognised, and said to be nothing that can be paid here", arguments: pages)
    func landingPages(_ text: String, _ isOne: Bool) async throws {
        let router = try Shop.router(Self.silent)
        guard case .matched(let route) = router.route(text) else {
            #expect(!isOne)
            return
        }
        #expect(isOne && route.match.trust == .verified && route.match.role == .payment)
        let error = await failure { _ = try await router.quote(route, as: Payer()) }
        #expect(error?.code == .unsupported && error?.message.contains("open it in a browser") == true)
        let reference = PaymentReference(provider: CitconProvider.id, id: try #require(route.match.reference))
        #expect(await failure { _ = try await router.status(of: reference) }?.code == .unsupported)
        // Plain http can be changed in transit.
        guard case .matched(let plain) = router.route(text.replacing("https:", with: "http:")) else {
            Issue.record("plain http is not routed")
            return
        }
        #expect(plain.match.trust != .verified)
    }

    @Test("A quote says what the link says, and what the method needs")
    func quote() async throws {
        let needs: [(String, PayerNeed, String)] = [
            ("wechatpay", .app(name: "WeChat Pay"), "WeChat Pay"), ("alipay", .app(name: "Alipay"), "Alipay"),
            ("upop", .app(name: "UnionPay"), "UnionPay"), ("card", .app(name: "Braintree"), "Card"),
            ("paypal", .app(name: "Braintree"), "PayPal"), ("toss", .page, "Toss"), ("alipay+", .page, "Alipay+"),
            ("zz_new", .page, "zz_new"),
        ]
        for (method, need, title) in needs {
            let silent = Self.silent
            let router = try Shop.router(silent)
            guard case .matched(let route) = router.route(Self.good.replacing("wechatpay", with: method)) else {
                Issue.record("\(method) is not routed")
                continue
            }
            let quote = try await router.quote(route, as: Payer())
            #expect(quote.reference.id == "uat/order-1" && quote.amount?.description == "12.50 USD")
            let option = try #require(quote.options.first)
            #expect(option.needs == [need] && option.unmet == [need] && option.title == title && option.id == method)
            #expect(option.providerData?.text.contains("62d5") == false && silent.calls.isEmpty)
        }
    }

    @Test("A link for another environment is refused")
    func environment() async throws {
        let router = try PaymentRouter(try Shop.provider(Redacted("t"), .PROD), over: Self.silent)
        let error = await failure { _ = try await router.pay(Self.good, as: Payer()) }
        #expect(error?.code == .rejectedLink)
        #expect(error?.message.contains("uat") == true && error?.message.contains("prod") == true)
    }

    @Test("The vendor's environments (Protocol 1.1)")
    func environments() throws {
        let table: [(CPayENVMode, Int, String)] = [
            (.DEV, 0, "https://api.dev01.citconpay.com/v1/"), (.QA, 1, "https://api-eks.qa01.citconpay.com/v1/"),
            (.UAT, 2, "https://api.sandbox.citconpay.com/v1/"), (.PROD, 3, "https://api.citconpay.com/v1/"),
        ]
        for (mode, raw, url) in table {
            #expect(mode.rawValue == raw && CPayENVMode(rawValue: raw) == mode && mode.baseURL == url)
            #expect(try CPayEndpoint(mode).baseURL.text == url)
            #expect(CPayENVMode(linkName: mode.linkName) == mode)
        }
        #expect(CPayENVMode.allCases == [.DEV, .QA, .UAT, .PROD])
        for url in ["http://127.0.0.1:8080/v1/", "http://localhost:1/v1", "http://[::1]:1/", "https://x.example/v1/"] {
            #expect(try CPayEndpoint(.UAT, baseURL: url).mode == .UAT)
        }
        for url in ["http://api.citconpay.com/v1/", "ftp://x/", "x", "https://a@b.example/", "https://b.example/?x=1"] {
            #expect(throws: CPayEndpointError.self) { try CPayEndpoint(.UAT, baseURL: url) }
        }
    }
}
