import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// URLs by which payers return (Protocol 4.3 and 4.4).
@Suite struct ReturnTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let url: String
        /// The source and code, or nil for a URL of no source.
        let expected: String?
        var testDescription: String { url }

        init(_ url: String, _ expected: String?) {
            self.url = url
            self.expected = expected
        }
    }

    private static let cancelledInAlipay =
        "%7B%22memo%22%3A%7B%22ResultStatus%22%3A%226001%22%2C%22memo%22%3A%22%22%2C%22result%22%3A%22%22%7D%2C%22requestType%22%3A%22safepay%22%7D"

    /// Protocol 4.4, form by form.
    static let accepted: [Row] = [
        Row("wxeb0650d489d69e14://pay/?returnKey=abc&ret=0", "weChat 0"),
        Row("wxeb0650d489d69e14://pay/?returnKey=(null)&ret=-2", "weChat -2"),
        Row("wxeb0650d489d69e14://pay/?returnKey=x", "weChat -1"),
        Row("wxeb0650d489d69e14://oauth?code=1&state=2", nil),
        Row("com.citcon.citconpay://safepay/?\(cancelledInAlipay)", "alipay 6001"),
        Row("com.citcon.citconpay://safepay/?notjson", "alipay -1"),
        Row("com.citcon.citconpay://safepay.evil/?\(cancelledInAlipay)", nil),
        Row("https://safepay/?\(cancelledInAlipay)", nil),
        Row("com.citcon.citconpay://user@safepay/?\(cancelledInAlipay)", nil),
        Row("com.citcon.citconpay://safepay:80/?\(cancelledInAlipay)", nil),
        Row("other.app://safepay/?\(cancelledInAlipay)", nil),
        Row("com.citcon.citconpay://uppayresult?code=success&data=%7B%22sign%22%3A%22x%22%7D", "unionPay 0"),
        Row("com.citcon.citconpay://uppayresult?code=cancel", "unionPay -2"),
        Row("com.citcon.citconpay://uppayresult?code=cancel&data=", "unionPay -2"),
        Row("com.citcon.citconpay.payments://x-callback-url/vzero/auth/venmo/cancel", "braintree -2"),
        Row("com.citcon.citconpay.payments://x-callback-url/other", nil),
        Row("com.citcon.citconpay://", "page -"),
        Row("com.citcon.citconpay://?status=success", "page -"),
        Row("com.citcon.citconpay://x/uppayresult?code=fail", nil),
        Row("https://dev.citconpay.com/apps/wxeb0650d489d69e14/pay?returnKey=a&ret=0", "weChat 0"),
    ]

    /// More of Protocol 4.3, and its neighbours.
    static let more: [Row] = [
        Row("WXEB0650D489D69E14://PAY/?ret=0", "weChat 0"), Row("wxeb0650d489d69e14://pay?ret=0", "weChat 0"),
        Row("wxeb0650d489d69e14://pay/?ret=-1", "weChat -1"), Row("wxeb0650d489d69e14://pay/?ret=x", "weChat -1"),
        Row("wxeb0650d489d69e14://pay/?ret=0&ret=-2", "weChat -1"), Row("wxeb0650d489d69e14://pay/?ret=", "weChat -1"),
        Row("wxeb0650d489d69e14://pay/?RET=0", "weChat -1"), Row("wxeb0650d489d69e14://pay/more?ret=0", nil),
        Row("wxeb0650d489d69e14://pay/?ret=0#x", nil), Row("wx0000000000000000://pay/?ret=0", nil),
        Row("wxeb0650d489d69e14://safepay/?x", nil), Row("evil://pay/?ret=0", nil),
        Row("wxeb0650d489d69e14:pay?ret=0", nil), Row("wxeb0650d489d69e14://pay/?ret=-5", "weChat -5"),
        Row("com.citcon.citconpay://pay/?ret=0", nil), Row("COM.Citcon.CitconPay://SafePay/?x", "alipay -1"),
        Row("com.citcon.citconpay://safepay/", "alipay -1"), Row("com.citcon.citconpay://safepay/x?y", nil),
        Row("com.citcon.citconpay://uppayresult?code=fail", "unionPay -1"),
        Row("com.citcon.citconpay://uppayresult?code=Success", "unionPay -2"),
        Row("com.citcon.citconpay://uppayresult", "unionPay -2"),
        Row("com.citcon.citconpay://uppayresult?code=success&code=success", "unionPay -1"),
        Row("app://com.citcon.citconpay://uppayresult?code=success", "unionPay 0"),
        Row("app://other.app://uppayresult?code=success", nil),
        Row("app://com.citcon.citconpay%3A%2F%2Fuppayresult%3Fcode%3Dsuccess", nil),
        Row("app://com.citcon.citconpay://safepay/?x", nil),
        Row("x://com.citcon.citconpay://uppayresult?code=success", nil),
        Row(
            "com.citcon.citconpay.payments://x-callback-url/vzero/auth/venmo/success?paymentMethodNonce=n",
            "braintree 0"),
        Row("com.citcon.citconpay.payments://x-callback-url/vzero/auth/venmo/error?errorCode=1", "braintree -1"),
        Row("com.citcon.citconpay.paymentsx://x-callback-url/vzero/auth/venmo/cancel", nil),
        Row("com.citcon.citconpay://x-callback-url/vzero/auth/venmo/cancel", nil),
        Row("com.citcon.citconpay.payments://x-callback-url.evil/vzero/auth/venmo/cancel", nil),
        Row("sdk.ios.braintree://onetouch/v1/success?token=x", nil),
        Row("sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout?token=x", nil),
        Row("com.citcon.citconpay://cashapp", "cashApp -"),
        Row("com.citcon.citconpay://cashapp?cash_request_id=1", "cashApp -"),
        Row("com.citcon.citconpay://klarna", "klarna -"),
        Row("com.citcon.citconpay:///", nil), Row("com.citcon.citconpay://other", nil),
        Row("https://dev.citconpay.com/apps/wxeb0650d489d69e14/pay", "weChat -1"),
        Row("http://dev.citconpay.com/apps/wxeb0650d489d69e14/pay?ret=0", nil),
        Row("https://dev.citconpay.com/apps/wxeb0650d489d69e14/refreshToken?wechat_auth_token=t", nil),
        Row("https://dev.citconpay.com:8443/apps/wxeb0650d489d69e14/pay?ret=0", nil),
        Row("https://dev.citconpay.com.evil.example/apps/wxeb0650d489d69e14/pay?ret=0", nil),
        Row("https://dev.citconpay.com/appswxeb0650d489d69e14/pay?ret=0", nil),
        Row("https://dev.citconpay.com/apps/other/pay?ret=0", nil), Row("", nil), Row("safepay", nil),
    ]

    @Test("Accepted and refused", arguments: accepted + more)
    func reading(_ row: Row) {
        let back = WalletReturn(row.url, at: Shop.places)
        #expect(back.map { "\($0.source.rawValue) \($0.code ?? "-")" } == row.expected)
    }

    static let alipay: [(String, String, String?)] = [
        ("9000", "0", nil), ("8000", "8000", "Unknown Error: 8000"), ("4000", "4000", "Unknown Error: 4000"),
        ("5000", "5000", "Unknown Error: 5000"), ("6001", "6001", "Unknown Error: 6001"),
        ("6002", "6002", "Unknown Error: 6002"), ("6004", "6004", "Unknown Error: 6004"),
        ("4011", "4011", "Unknown Error: 4011"), ("0", "-1", "Unknown Error: 0"), ("", "-1", "Unknown Error"),
        ("paid", "-1", "Unknown Error"),
    ]

    @Test("Alipay's statuses (Protocol 4.3)", arguments: alipay)
    func alipayWords(_ status: String, _ code: String, _ message: String?) throws {
        let json = #"{"memo":{"ResultStatus":"\#(status)","memo":"","result":""},"requestType":"safepay"}"#
        let back = WalletReturn("\(Shop.scheme)://safepay/?\(PercentCoding.encode(json))", at: Shop.places)
        #expect(back?.code == code && back?.message == message)
        #expect(back?.isCancellation == (status == "6001"))
    }

    @Test("Alipay's own text is kept where there is one, and so is the other spelling of its key")
    func alipayMemo() {
        let json = #"{"memo":{"resultStatus":"4000","memo":"balance too low"}}"#
        let back = WalletReturn("\(Shop.scheme)://safepay/?\(PercentCoding.encode(json))", at: Shop.places)
        #expect(back?.code == "4000" && back?.message == "balance too low")
    }

    @Test("Pages come back to each of the merchant's addresses, with any query")
    func pages() {
        let places = CPayReturnPlaces(pages: [
            "https://shop.example/paid?order=1", "myshop://failed", "myshop://x/called-off", "not a url",
        ])
        let rows: [(String, Bool)] = [
            ("https://shop.example/paid", true), ("https://shop.example/paid?status=success&x=1#y", true),
            ("HTTPS://SHOP.example/paid", true), ("https://shop.example/paid/", false),
            ("https://shop.example/PAID", false), ("http://shop.example/paid", false),
            ("https://shop.example:444/paid", false), ("https://shop.example.evil.example/paid", false),
            ("https://a@shop.example/paid", false), ("myshop://failed?why=x", true), ("myshop://failed/", true),
            ("myshop://x/called-off", true), ("myshop://x", false), ("myshop://failed:1", false), ("not a url", false),
        ]
        for (url, expected) in rows {
            #expect((WalletReturn(url, at: places)?.source == .page) == expected, "\(url)")
        }
    }

    @Test("Nothing belongs to the service where no host is known")
    func nowhere() {
        for row in Self.accepted + Self.more { #expect(WalletReturn(row.url, at: CPayReturnPlaces()) == nil) }
    }

    @Test("Consent is read once, and prints as nothing")
    func consent() {
        let base = "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/success"
        let back = WalletReturn(base + "?paymentMethodNonce=canary-1&username=u", at: Shop.places)
        #expect(back?.consent?.value.reveal() == "canary-1")
        #expect(!shown(back as Any).contains("canary"))
        let twice = WalletReturn(base + "?paymentMethodNonce=a&paymentMethodNonce=b", at: Shop.places)
        #expect(twice != nil && twice?.consent == nil)
        #expect(WalletReturn("\(Shop.scheme)://cashapp?grant_id=g", at: Shop.places)?.consent?.value.reveal() == "g")
        #expect(WalletReturn("\(Shop.scheme)://safepay/?grant_id=g", at: Shop.places)?.consent == nil)
    }

    @Test("Every place is claimed by a pattern, and what is claimed is recognised")
    func patterns() throws {
        for source in WalletReturn.Source.allCases {
            let urls = Shop.places.urls(of: source)
            #expect(!urls.isEmpty)
            // PayPal returns within a session, and nowhere else.
            let expected = source == .payPal ? nil : source
            for url in urls { #expect(WalletReturn(url, at: Shop.places)?.source == expected, "\(url)") }
        }
        let places = CPayReturnPlaces(pages: [
            "myshop://failed", "https://shop.example", "https://x.example/a/?b=1", "yy://",
        ])
        #expect(
            places.urls(of: .page) == [
                "https://shop.example", "https://shop.example/", "https://x.example/a/", "myshop://failed",
                "myshop://failed/", "yy://",
            ])
        #expect(places.patterns.count == 6)
    }

    // MARK: Generated URLs

    private static let pieces = [
        "com.citcon.citconpay", "wxeb0650d489d69e14", "com.citcon.citconpay.payments", "evil", "https", "app", "://",
        ":",
        "/", "//", "safepay", "pay", "uppayresult", "x-callback-url", "vzero/auth/venmo/success", "cashapp", "klarna",
        "?", "&", "=", "ret", "0", "-2", "code", "success", "cancel", "%7B%22memo%22%3A", "{\"memo\":", "%", "%00", "#",
        "@", ":80", ".evil", "dev.citconpay.com", "/apps/", "\u{0}", "é", " ", "\\", "[::1]", "1",
    ]

    @Test("Whatever comes, a stranger's URL is never taken", arguments: 0..<40 as Range<UInt64>)
    func generated(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var taken = 0
        for turn in 0..<500 {
            var parts = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Self.pieces.randomElement(using: &random) ?? ""
            }
            // Half of them begin as a return does.
            if turn % 2 == 0 {
                parts.insert(contentsOf: [Self.pieces[turn / 2 % 3], "://", Self.pieces[10 + turn / 6 % 7]], at: 0)
            }
            let text = parts.joined()
            guard let back = WalletReturn(text, at: Shop.places) else { continue }
            taken += 1
            #expect(WalletReturn(text, at: Shop.places) == back)
            var inner = text
            if text.lowercased().hasPrefix("app://") { inner = String(text.dropFirst(6)) }
            let link = try PaymentLink(inner)
            #expect(link.port == nil)
            switch back.source {
            case .weChat where link.isHTTP:
                #expect(link.isHTTPS && link.host == "dev.citconpay.com")
            case .weChat: #expect(link.scheme == "wxeb0650d489d69e14" && link.host == "pay")
            case .alipay: #expect(link.scheme == "com.citcon.citconpay" && link.host == "safepay")
            case .unionPay: #expect(link.scheme == "com.citcon.citconpay" && link.host == "uppayresult")
            case .braintree: #expect(link.scheme == "com.citcon.citconpay.payments" && link.host == "x-callback-url")
            case .cashApp: #expect(link.scheme == "com.citcon.citconpay" && link.host == "cashapp")
            case .payPal: Issue.record("PayPal comes back within a session, and nowhere else")
            case .klarna: #expect(link.scheme == "com.citcon.citconpay" && link.host == "klarna")
            case .page: #expect(link.scheme == "com.citcon.citconpay" && link.host == nil)
            }
            if back.source == .weChat, back.code == "0" { #expect(link.queryItems.values("ret") == ["0"]) }
            if back.source == .unionPay, back.code == "0" { #expect(link.queryItems.values("code") == ["success"]) }
            if back.source == .alipay { #expect(back.code != "0" || text.contains("9000")) }
        }
        #expect(taken > 0)
    }

    @Test("A real return with one byte changed is never more than it was", arguments: 0..<20 as Range<UInt64>)
    func mutated(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for row in Self.accepted where row.expected?.hasSuffix(" 0") != true {
            var bytes = Array(row.url.utf8)
            guard !bytes.isEmpty else { continue }
            for _ in 0..<50 {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let old = bytes[index]
                bytes[index] = UInt8.random(in: 0x21...0x7E, using: &random)
                defer { bytes[index] = old }
                let text = String(decoding: bytes, as: UTF8.self)
                let back = WalletReturn(text, at: Shop.places)
                // One byte cannot turn "cancelled" into "paid", except where WeChat's number itself becomes 0.
                if back?.code == "0" { #expect(back?.source == .weChat && text.hasSuffix("ret=0")) }
            }
        }
    }
}
