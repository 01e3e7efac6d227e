import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The URLs by which wallets return to an app.
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
