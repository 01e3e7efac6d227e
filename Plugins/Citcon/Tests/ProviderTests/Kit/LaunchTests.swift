import PaymentCore
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Gateways, launch payloads and wallet URLs (Protocol 3.2, 3.3 and 4.1).
@Suite struct LaunchTests {
    static let gateways: [(String, GatewayHandler?)] = [
        ("wechatpay", .weChat), ("alipay", .alipay), ("upop", .unionPay), ("toss", .ams), ("fomo", .url), ("aps", .url),
        ("flexa", .url), ("xendit", .xendit), ("braintree", .braintree), ("cashapp", .cashApp),
        ("klarna", .klarna), ("ppcp", .payPal), ("ebanx", .url), ("hosted", .url),
        ("WeChatPay", nil), ("", nil), ("wechatpay ", nil), ("google", nil),
    ]

    @Test("The method that each gateway takes (Protocol 3.2)", arguments: gateways)
    func gateway(_ id: String, _ expected: GatewayHandler?) {
        #expect(CPayGateways.standard.handler(of: id) == expected)
    }

    @Test("The table is open")
    func openTable() {
        var table = CPayGateways.standard
        table["URL"]?.append("linepay")
        table["Nobody"] = ["octopus"]
        table["WeChat"] = nil
        #expect(table.handler(of: "linepay") == .url && table.handler(of: "octopus") == nil)
        #expect(table.handler(of: "wechatpay") == nil)
    }

    private func launch(
        _ handler: GatewayHandler, _ content: String, format: String = "json", status: String = "initiated",
        method: String = "wechatpay", service: String? = nil
    ) throws -> Launch {
        let charge = ScriptedCitcon.charge(content, format: format, status: status)
        return try Launch(
            handler, Order(Shop.order(method)), TransactionFields(try JSONValue(parsing: charge)),
            at: try CPayEndpoint(.UAT, baseURL: service).baseURL)
    }

    @Test("WeChat gets its seven values and its URL (Protocol 3.3, 4.1)")
    func weChat() throws {
        guard case .app(let wallet) = try launch(.weChat, ScriptedCitcon.weChatPayload) else {
            Issue.record("no wallet is started")
            return
        }
        #expect(wallet.name == "WeChat Pay" && wallet.weChatAppID == "wxeb0650d489d69e14")
        #expect(
            wallet.url
                == "weixin://app/wxeb0650d489d69e14/pay/?nonceStr=n1&package=Sign%3DWXPay&partnerId=1900000109&prepayId=wx20&timeStamp=1700000000&sign=5577&signType=SHA1"
        )
        #expect(
            wallet.payload == [
                "appid": "wxeb0650d489d69e14", "partnerid": "1900000109", "prepayid": "wx20", "noncestr": "n1",
                "timestamp": "1700000000", "package": "Sign=WXPay", "sign": "5577",
                "universalLink": "https://dev.citconpay.com/apps/",
            ])
        let request = wallet.request(.weChat, CPayReturnPlaces())
        #expect(request.returnURLs == ["wxeb0650d489d69e14://pay/", "wxeb0650d489d69e14://pay"])
        let url = try #require(CPayWalletURL(PaymentLink(wallet.url ?? "")))
        #expect(url.text.reveal() == wallet.url)
        let universal = try #require(url.universalLink?.reveal())
        #expect(universal.hasPrefix("https://help.wechat.com/app/wxeb0650d489d69e14/pay/?nonceStr=n1&"))
        #expect(CPayWalletURL(try PaymentLink(universal)) == url)
        // A signature of 32 digits is MD5's.
        let md5 = ScriptedCitcon.weChatPayload.replacing("5577", with: String(repeating: "a", count: 32))
        guard case .app(let other) = try launch(.weChat, md5) else { return }
        #expect(other.url?.hasSuffix("&signType=MD5") == true)
        // Numbers count as their text.
        let number = ScriptedCitcon.weChatPayload.replacing(#""1700000000""#, with: "1700000000")
        #expect(try launch(.weChat, number) == (try launch(.weChat, ScriptedCitcon.weChatPayload)))
    }

    @Test("Alipay gets an order string with literal quotes, and the scheme (Protocol 3.3, 4.1)")
    func alipay() throws {
        let payload = #"{"orderSpec":"partner=\"2088\"&total_fee=\"1\"","signedString":"a%2Bb"}"#
        guard case .app(let wallet) = try launch(.alipay, payload, method: "alipay") else {
            Issue.record("no wallet is started")
            return
        }
        let order = #"partner="2088"&total_fee="1"&sign="a%2Bb"&sign_type="RSA""#
        #expect(wallet.payload == ["orderString": order, "fromScheme": Shop.scheme])
        let link = try PaymentLink(wallet.url ?? "")
        #expect(link.scheme == "alipay" && link.host == "alipayclient" && link.path == "/")
        let json = try JSONValue(parsing: PercentCoding.decode(link.query ?? "") ?? "")
        #expect(
            json == ["requestType": "SafePay", "fromAppUrlScheme": .string(Shop.scheme), "dataString": .string(order)])
        #expect(CPayWalletURL(link) == .alipay(order: Redacted(order), scheme: Shop.scheme))
    }

    @Test("UnionPay gets its number and mode; no URL is guessed (Protocol 3.3, 4.1)")
    func unionPay() throws {
        guard case .app(let wallet) = try launch(.unionPay, #"{"tn":"812345"}"#, method: "upop") else {
            Issue.record("no wallet is started")
            return
        }
        #expect(wallet.url == nil && wallet.payload == ["tn": "812345", "mode": "00", "fromScheme": Shop.scheme])
        for text in [
            "uppaywallet://uppay?paydata=746e3d31&s=x%3A%2F%2F", "uppaysdk://uppay?s=x%3A%2F%2F&paydata=746e3d31",
        ] {
            let url = try #require(CPayWalletURL(PaymentLink(text)))
            #expect(
                url.text.reveal() == "uppaywallet://uppay?paydata=746e3d31&s=x%3A%2F%2F" && url.universalLink == nil)
        }
    }

    static let strangers = [
        "weixin://app/wx1/pay/?nonceStr=n", "weixin://evil/wx1/pay/", "alipay://alipayclient/?notjson",
        "alipay://other/?%7B%7D", "uppaywallet://uppay?paydata=1", "uppaywallet://uppay?paydata=1&paydata=2&s=x",
        "https://help.wechat.com.evil.example/app/wx1/pay/", "uppaywallet://uppay:1?paydata=1&s=x", "weixin://", "a:b",
        "alipays://platformapi/startapp?appId=1&url=https%3A%2F%2Fa.b%2F", "alipays://platformapi/startapp?url=x",
        "alipays://platformapi/startapp?appId=20000067&url=file%3A%2F%2F%2Fetc",
        "alipays://platformapi/other?appId=20000067",
        "https://render.alipay.com/p/s/ulink/?scheme=evil%3A%2F%2Fx", "https://render.alipay.com/p/s/other/?scheme=x",
        "http://render.alipay.com/p/s/ulink/?scheme=alipays%3A%2F%2Fplatformapi%2Fstartapp%3FappId%3D20000067%26url%3Dhttps%253A%252F%252Fa.b%252F",
    ]

    @Test("Alipay's page for browsers, its wrapper and its Hong Kong build (Protocol 4.1)")
    func alipayPage() throws {
        let page = CPayWalletURL.alipayPage(url: "https://mclient.alipay.com/h5?a=1&b=2")
        let text =
            "alipays://platformapi/startapp?appId=20000067&url=https%3A%2F%2Fmclient.alipay.com%2Fh5%3Fa%3D1%26b%3D2"
        #expect(page.text.reveal() == text)
        let wrapper = try #require(page.universalLink?.reveal())
        #expect(wrapper == "https://render.alipay.com/p/s/ulink/?scheme=" + PercentCoding.encode(text))
        for form in [text, wrapper] { #expect(CPayWalletURL(try PaymentLink(form)) == page) }
        let app = CPayWalletURL.alipay(order: Redacted("a=1"), scheme: "x.y")
        let hongKong = app.text.reveal().replacing("alipay://", with: "alipayhk://")
        #expect(CPayWalletURL(try PaymentLink(hongKong)) == app)
    }

    @Test("Venmo's app (Protocol 4.1)")
    func venmo() throws {
        let switching = CPayVenmoSwitch(
            bundleID: "com.citcon.citconpay", source: "Shop", merchantID: "m1", accessToken: Redacted("canary"),
            environment: "sandbox", sdkData: Redacted("eyJ9"), resourceID: "r 1")
        let url = CPayWalletURL.venmo(switching)
        #expect(
            url.text.reveal()
                == "com.venmo.touch.v2://x-callback-url/vzero/auth?x-success=com.citcon.citconpay.payments%3A%2F%2Fx-callback-url%2Fvzero%2Fauth%2Fvenmo%2Fsuccess&x-error=com.citcon.citconpay.payments%3A%2F%2Fx-callback-url%2Fvzero%2Fauth%2Fvenmo%2Ferror&x-cancel=com.citcon.citconpay.payments%3A%2F%2Fx-callback-url%2Fvzero%2Fauth%2Fvenmo%2Fcancel&x-source=Shop&braintree_merchant_id=m1&braintree_access_token=canary&braintree_environment=sandbox&braintree_sdk_data=eyJ9&resource_id=r%201"
        )
        #expect(CPayWalletURL(try PaymentLink(url.text.reveal())) == url && url.universalLink == nil)
        #expect(!"\(url)".contains("canary"))
        let text = url.text.reveal()
        for (old, new) in [
            ("x-cancel=com.citcon", "x-cancel=com.evil"), ("v2://x-callback-url", "v2://evil"),
            ("/vzero/auth?", "/other?"),
            ("&x-source=Shop", ""), ("&x-source=Shop", "&x-source=a&x-source=b"), ("venmo%2Ferror", "venmo%2Fsuccess"),
            (".payments", ""), ("v2://x-callback-url", "v2://x-callback-url:1"),
        ] {
            #expect(CPayWalletURL(try PaymentLink(text.replacing(old, with: new))) == nil, "\(new)")
        }
        // Venmo returns to the app that this URL names.
        let places = CPayReturnPlaces(bundleIDs: ["com.citcon.citconpay"])
        for value in try PaymentLink(text).queryItems where ["x-error", "x-cancel"].contains(value.name) {
            #expect(WalletReturn(value.decodedValue ?? "", at: places)?.source == .braintree)
        }
    }

    @Test("Other URLs start no wallet", arguments: strangers)
    func stranger(_ text: String) throws {
        #expect(CPayWalletURL(try PaymentLink(text)) == nil)
    }

    @Test("Pages and codes (Protocol 3.3)")
    func pages() throws {
        let page = "https://landing.uat01.citconpay.com/v1/landing/0123456789abcdef0123456789abcdef"
        for handler in [GatewayHandler.ams, .url, .xendit] {
            #expect(try launch(handler, page, format: "redirect") == .page(url: page))
        }
        #expect(try launch(.url, page, format: "qr") == .page(url: page))
        #expect(try launch(.url, "00020101021226", format: "qr") == .code(text: "00020101021226"))
        let local = try launch(.url, "http://127.0.0.1:1/x", format: "redirect", service: "http://127.0.0.1:2/v1/")
        #expect(local == .page(url: "http://127.0.0.1:1/x"))
        guard case .app(let wallet) = try launch(.url, ScriptedCitcon.weChatPayload) else {
            Issue.record("no wallet is started")
            return
        }
        #expect(wallet.weChatAppID != nil)
    }

    @Test("A charge that is settled already starts nothing (Protocol 3.3)")
    func settled() throws {
        for status in ["succeeded", "authorized", "failed", "expired", " Success"] {
            #expect(try launch(.url, "broken", format: "odd", status: status) == .nothing)
        }
        #expect(try launch(.braintree, "broken") == .nothing)
    }

    static let broken: [(GatewayHandler, String, String, String, String, String)] = [
        (.weChat, "wechatpay", "json", "{}", "-2", CPayMessage.undecodable),
        (.weChat, "wechatpay", "json", "not json", "-2", CPayMessage.undecodable),
        (
            .weChat, "wechatpay", "json",
            #"{"appid":"../x","partnerid":"1","prepayid":"1","noncestr":"1","timestamp":"1","package":"1","sign":"1"}"#,
            "-2", CPayMessage.undecodable
        ),
        (.weChat, "wechatpay", "redirect", "https://x.example/", "-1", CPayMessage.unsupportedFormat),
        (.alipay, "alipay", "json", #"{"orderSpec":"x"}"#, "-2", CPayMessage.undecodable),
        (.unionPay, "upop", "json", #"{"tn":""}"#, "-2", CPayMessage.undecodable),
        (.unionPay, "upop", "json", "[]", "-2", CPayMessage.undecodable),
        (.url, "grabpay", "json", ScriptedCitcon.weChatPayload, "-1", CPayMessage.unsupportedMethod),
        (.url, "grabpay", "odd", "https://x.example/", "-1", CPayMessage.unsupportedFormat),
        (.ams, "toss", "json", "{}", "-1", CPayMessage.unsupportedFormat),
        (.ams, "toss", "qr", "https://x.example/", "-1", CPayMessage.unsupportedFormat),
        (.ams, "toss", "redirect", "javascript:alert(1)", "-1", CPayMessage.invalidRedirect),
        (.ams, "toss", "redirect", "http://x.example/", "-1", CPayMessage.invalidRedirect),
        (.xendit, "gcash", "redirect", "intent://x", "-1", CPayMessage.invalidRedirect),
        (.url, "grabpay", "redirect", "", "-1", CPayMessage.invalidContent),
    ]

    @Test("A payload that cannot be used is reported in the vendor's terms (Protocol 3.4)", arguments: broken)
    func brokenPayload(
        _ handler: GatewayHandler, _ method: String, _ format: String, _ content: String, _ code: String,
        _ message: String
    ) {
        #expect {
            try launch(handler, content, format: format, method: method)
        } throws: { error in
            let failure = error as? OrderError
            return failure?.code == code && failure?.message.hasPrefix(message) == true
        }
    }

    @Test("Consent goes with the confirmation, and only where it is missing (Protocol 3.3)")
    func consent() throws {
        let plain = Order(Shop.order("card"))
        #expect(plain.lacksConsent(for: .braintree) && plain.lacksConsent(for: .cashApp))
        #expect(!plain.lacksConsent(for: .weChat))
        let body = plain.adding(Consent(Redacted("n")), from: .braintree)
        #expect(body.body.reveal()["payment"]?["nonce"] == "n" && !body.lacksConsent(for: .braintree))
        #expect(body.body.reveal()["payment"]?["indicator"] == "braintree")
        let grant = plain.adding(Consent(Redacted("g")), from: .cashApp)
        #expect(grant.body.reveal()["ext"]?["gateway"]?["grant"]?["grant_id"] == "g")
        #expect(!grant.lacksConsent(for: .cashApp) && grant.body.reveal()["payment"] == plain.body.reveal()["payment"])
        let card = Shop.order("card")
        card.payment?.data = CPayPaymentData()
        card.payment?.data?.pan = "4111111111111111"
        #expect(!Order(card).lacksConsent(for: .braintree))
        let stored = Shop.order("card")
        stored.payment?.token = "t"
        #expect(!Order(stored).lacksConsent(for: .braintree))
    }

    @Test("A gateway's library learns what 3-D Secure needs")
    func threeDSecure() throws {
        let order = Shop.order("card")
        order.request3DSecureVerification = true
        order.consumer = CPayConsumer()
        order.consumer?.firstName = "Ada"
        order.payment?.billingAddress = CPayBillingAddr()
        order.payment?.billingAddress?.zip = "1010"
        let config = GatewayConfig(try JSONValue(parsing: #"{"gateway":"braintree","config":{"client_token":"ct"}}"#))
        let request = Order(order).consentRequest(config, .braintree, Shop.places)
        let payload = request.payload.reveal()
        #expect(
            payload["client_token"] == "ct" && payload["request_3d_secure"] == "true" && payload["amount"] == "1250")
        #expect(payload["consumer_first_name"] == "Ada" && payload["billing_zip"] == "1010")
        #expect(request.returnURLs.first == "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/success")
        #expect(!"\(request)".contains("Ada"))
    }
}
