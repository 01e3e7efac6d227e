import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The wallets: `POST /sandbox/citcon/wallet`, which is not part of the service. It takes the values that a wallet was
/// started with, performs the payer's act, and answers with the URL of the wallet's return to the app.
///
/// Request: `texts` and `url`, the wallet's launch values; `returnURLs`, the app's return addresses; `act`. Answer:
/// `returnURL`, or `null` when the payer does not return.
extension CitconSandbox {
    func wallet(_ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        let body = try CitconRequests.body(request)
        guard let act = body["act"]?.string.flatMap(CitconAct.init) else { throw .badRequest }
        let url = body["url"]?.string
        let texts = Set((body["texts"]?.array ?? []).compactMap(\.string) + (url.map(CitconLaunch.texts) ?? []))
        let returns = CitconReturns(body["returnURLs"]?.array?.compactMap(\.string) ?? [], random: random)
        return envelope.success(["returnURL": .text(orNull: try back(texts, act, returns, url: url))])
    }

    private func back(
        _ texts: Set<String>, _ act: CitconAct, _ returns: CitconReturns, url: String?
    ) throws(CitconSandboxError) -> String? {
        let started = charges.values.first { $0.launch?.isStarted(by: texts) == true }
        guard let token = started?.token, let launch = started?.launch else {
            return try library(texts, act, returns)
        }
        if case .klarna = launch {
            guard act == .pay else { return returns.klarna(nil) }
            return returns.klarna(grant("klarna-"))
        }
        try self.act(act, on: token)
        let charge = try charge(token)
        guard charge.plan?.losesReturn != true else { return nil }
        switch launch {
        case .wechat: return returns.wechat(charge.status)
        case .alipay(let order, _): return returns.alipay(charge.status, order: order, launchURL: url)
        case .unionPay(let tn): return returns.unionPay(charge.status, tn: tn)
        case .klarna: return nil
        }
    }

    /// Simulates libraries that start with the keys of `config`: their results for the app are sent with the
    /// confirmation.
    private func library(
        _ texts: Set<String>, _ act: CitconAct, _ returns: CitconReturns
    ) throws(CitconSandboxError) -> String? {
        if texts.contains("CAS-CI_SANDBOX") { return returns.cashApp(act == .pay ? grant("GRG_") : nil) }
        if texts.contains(Self.payPalClient) { return returns.payPal(act == .pay ? grant("PPO-") : nil) }
        guard !texts.isDisjoint(with: clientTokens) else { throw .badRequest }
        switch act {
        case .pay: return returns.braintree("success", "paymentMethodNonce=\(grant("tokencc_"))&username=sandbox")
        case .cancel: return returns.braintree("cancel", nil)
        case .fail: return returns.braintree("error", "errorMessage=failed&errorCode=1")
        }
    }

    /// Issues a grant of the payer's consent, valid for one confirmation.
    private func grant(_ prefix: String) -> String {
        let grant = prefix + random.hex(24)
        nonces.insert(grant)
        return grant
    }
}

// MARK: - Launch payloads

/// The payload that starts a wallet's own library.
enum CitconLaunch: Sendable {
    case wechat([(String, String)])
    case alipay(order: String, signature: String)
    case unionPay(tn: String)
    case klarna(token: String, session: String)

    /// Creates a payload for `charge`, or nil when its gateway starts no wallet.
    init?(_ gateway: CitconGateway, _ charge: CitconCharge, random: any RandomSource, now: Int64) {
        switch gateway {
        case .wechatpay:
            self = .wechat([
                ("appid", Self.wechatAppID), ("partnerid", "1900000109"), ("prepayid", "wx" + random.hex(34)),
                ("noncestr", random.hex(32)), ("timestamp", String(now)), ("package", "Sign=WXPay"),
                ("sign", random.hex(40)),
            ])
        case .alipay:
            let units = String(charge.amount)
            let order = [
                ("partner", "2088101122136241"), ("out_trade_no", charge.id), ("subject", "Order"),
                ("total_fee", units), ("currency", charge.currency), ("service", "mobile.securitypay.pay"),
                ("_input_charset", "utf-8"),
            ]
            self = .alipay(
                order: order.map { "\($0)=\"\($1)\"" }.joined(separator: "&"),
                signature: PercentCoding.encode(Data(random.hex(64).utf8).base64EncodedString()))
        case .upop: self = .unionPay(tn: (0..<21).map { _ in String(random.next() % 10) }.joined())
        case .klarna: self = .klarna(token: "eyJ" + random.hex(60), session: random.uuid())
        default: return nil
        }
    }

    /// The app id of the WeChat payloads, from the vendor's guide.
    static let wechatAppID = "wxeb0650d489d69e14"

    /// The payload as text, as in `content`.
    var content: String {
        switch self {
        case .wechat(let fields): WireJSON.object(fields.map { ($0, WireJSON.text($1)) }).text
        case .alipay(let order, let signature):
            WireJSON.object([("orderSpec", .text(order)), ("signedString", .text(signature))]).text
        case .unionPay(let tn): WireJSON.object([("tn", .text(tn))]).text
        case .klarna(let token, let session): klarna(token, session).text
        }
    }

    private func klarna(_ token: String, _ session: String) -> WireJSON {
        [
            "client_token": .text(token), "session_id": .text(session),
            "payment_method_categories": [
                [
                    "identifier": "pay_later", "name": "Pay later",
                    "asset_urls": [
                        "descriptive": "https://x.klarnacdn.net/payment-method/assets/badges/generic/klarna.svg",
                        "standard": "https://x.klarnacdn.net/payment-method/assets/badges/generic/klarna.svg",
                    ],
                ]
            ],
        ]
    }

    /// Returns true if `texts`, the launch values of a wallet, contain this payload complete and unchanged.
    func isStarted(by texts: Set<String>) -> Bool {
        switch self {
        case .wechat(let fields): fields.allSatisfy { texts.contains($0.1) }
        case .alipay(let order, let signature):
            texts.contains("\(order)&sign=\"\(signature)\"&sign_type=\"RSA\"")
                || texts.isSuperset(of: [order, signature])
        case .unionPay(let tn):
            texts.contains(tn)
                || texts.contains { text in
                    Hex.decode(text).map { String(decoding: $0, as: UTF8.self).contains(tn) } ?? false
                }
        case .klarna(let token, _): texts.contains(token)
        }
    }

    /// Returns the parts of the launch URL `text` that can hold a payload's value: path segments, the values of its
    /// query, and the texts in a query that is JSON as a whole.
    static func texts(in text: String) -> [String] {
        guard let link = try? PaymentLink(text) else { return [] }
        var texts = link.path.split(separator: "/").map(String.init)
        texts += link.queryItems.compactMap { PercentCoding.decode($0.value) }
        if let query = PercentCoding.decode(link.query ?? ""), let json = try? JSONValue(parsing: Array(query.utf8)) {
            texts += json.object?.values.compactMap(\.string) ?? []
        }
        return texts
    }
}

// MARK: - Returns

/// The URLs of wallets' returns to an app.
struct CitconReturns {
    private let links: [PaymentLink]
    private let random: any RandomSource

    /// - Parameter urls: the app's return addresses, without queries.
    init(_ urls: [String], random: any RandomSource) {
        links = urls.compactMap { try? PaymentLink($0) }
        self.random = random
    }

    /// Returns `<app id>://pay/?returnKey=…&ret=…`. The app id is the app's scheme at WeChat.
    func wechat(_ status: CitconCharge.Status) -> String? {
        let base =
            links.first { $0.host == "pay" || $0.path.hasSuffix("/pay") }?.text
            ?? CitconLaunch.wechatAppID + "://pay/"
        switch Verdict(status) {
        case .paid, .open: return "\(base)?returnKey=\(random.hex(16))&ret=0"
        case .cancelled: return "\(base)?returnKey=(null)&ret=-2"
        case .failed: return "\(base)?returnKey=\(random.hex(16))&ret=-1"
        }
    }

    /// Returns `<scheme>://safepay/?…`, whose whole query is JSON. The scheme is a return URL's, otherwise the launch
    /// URL's.
    func alipay(_ status: CitconCharge.Status, order: String, launchURL: String?) -> String? {
        guard let scheme = scheme("safepay") ?? launchURL.flatMap(Self.sourceScheme) else { return nil }
        let (code, memo) =
            switch Verdict(status) {
            case .paid: ("9000", "")
            case .open: ("8000", "processing")
            case .cancelled: ("6001", "cancelled by the user")
            case .failed: ("4000", "payment failed")
            }
        let echo = code == "9000" ? "\(order)&success=\"true\"&sign_type=\"RSA\"&sign=\"\(random.hex(40))\"" : ""
        let json: WireJSON = [
            "memo": ["ResultStatus": .text(code), "memo": .text(memo), "result": .text(echo)],
            "requestType": "safepay",
        ]
        return "\(scheme)://safepay/?\(PercentCoding.encode(json.text))"
    }

    /// Returns `<scheme>://uppayresult?code=…&data=…`.
    func unionPay(_ status: CitconCharge.Status, tn: String) -> String? {
        guard let scheme = scheme("uppayresult") else { return nil }
        switch Verdict(status) {
        case .paid, .open:
            let signature = Data(random.hex(32).utf8).base64EncodedString()
            let data: WireJSON = [
                "sign": .text(signature), "data": .text("pay_result=success&tn=\(tn)&cert_id=68759585097"),
            ]
            return "\(scheme)://uppayresult?code=success&data=\(PercentCoding.encode(data.text))"
        case .cancelled: return "\(scheme)://uppayresult?code=cancel"
        case .failed: return "\(scheme)://uppayresult?code=fail"
        }
    }

    /// Returns `<scheme>://cashapp`; the ids in its query are the sandbox's own substitute for the app library's
    /// result.
    func cashApp(_ grant: String?) -> String? {
        scheme("cashapp").map { scheme in
            "\(scheme)://cashapp"
                + (grant.map {
                    "?cash_request_id=GRR_\(random.hex(16))&grant_id=\($0)&consumer_id=CST_\(random.hex(8))&cashtag=%24sandbox"
                }
                    ?? "")
        }
    }

    /// Returns `<scheme>://klarna`; the token in its query is the sandbox's own substitute for the app library's
    /// result.
    func klarna(_ token: String?) -> String? {
        scheme("klarna").map { scheme in
            "\(scheme)://klarna" + (token.map { "?authorization_token=\($0)" } ?? "")
        }
    }

    /// Returns `sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout?token=…&PayerID=…`.
    func payPal(_ order: String?) -> String? {
        order.map { "sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout?token=\($0)&PayerID=\(random.hex(13))" }
    }

    /// Returns `<bundle id>.payments://x-callback-url/vzero/auth/venmo/<ending>?…`.
    func braintree(_ ending: String, _ query: String?) -> String? {
        scheme("x-callback-url").map { scheme in
            "\(scheme)://x-callback-url/vzero/auth/venmo/\(ending)" + (query.map { "?" + $0 } ?? "")
        }
    }

    /// Returns the scheme of the return URL with this host, or of the first that is not a web page.
    private func scheme(_ host: String) -> Substring? {
        (links.first { $0.host.map(String.init) == host } ?? links.first { !$0.isHTTP })?.scheme
    }

    private static func sourceScheme(_ launchURL: String) -> Substring? {
        let query = (try? PaymentLink(launchURL))?.query.flatMap { PercentCoding.decode($0) }
        let json = query.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        return json?["fromAppUrlScheme"]?.string.map { $0[...] }
    }

    private enum Verdict {
        case paid, open, cancelled, failed

        init(_ status: CitconCharge.Status) {
            self =
                switch status {
                case .authorized, .succeeded: .paid
                case .initiated, .pending: .open
                case .canceled: .cancelled
                case .failed, .expired: .failed
                }
        }
    }
}
