import CitconProvider
import Foundation
import FuzzModel
import PaymentCore
import PaymentRouting

/// URLs by which a payer comes back from one of Citcon's wallets and pages, and those that start the wallets.
struct CitconReturnTarget: FuzzTarget {
    static let name = "Citcon's return and wallet URLs"
    static let share = 16
    private static let scheme = "com.citcon.citconpay"
    private static let weChatID = "wxeb0650d489d69e14"

    let corpus = Corpus(
        [
            "\(weChatID)://pay/?returnKey=abc&ret=0", "\(weChatID)://pay/?returnKey=(null)&ret=-2",
            "\(weChatID)://oauth?code=1&state=2", "other.app://safepay/?x", "\(scheme)://safepay/?notjson",
            "\(scheme)://safepay/?%7B%22memo%22%3A%7B%22ResultStatus%22%3A%229000%22%2C%22memo%22%3A%22%22%2C%22result%22%3A%22%22%7D%2C%22requestType%22%3A%22safepay%22%7D",
            "\(scheme)://safepay/?%7B%22memo%22%3A%7B%22resultStatus%22%3A%226001%22%7D%7D",
            "\(scheme)://uppayresult?code=success&data=%7B%22sign%22%3A%22a%3D%3D%22%7D",
            "\(scheme)://uppayresult?code=cancel", "app://\(scheme)://uppayresult?code=fail",
            "\(scheme).payments://x-callback-url/vzero/auth/venmo/success?paymentMethodNonce=n&username=u",
            "\(scheme).payments://x-callback-url/vzero/auth/venmo/cancel", "\(scheme)://cashapp?grant_id=GRG_1",
            "\(scheme)://klarna?authorization_token=t", "\(scheme)://", "\(scheme)://?status=success",
            "https://dev.citconpay.com/apps/\(weChatID)/pay?returnKey=a&ret=0", "https://shop.example/paid?order=1",
            "weixin://app/\(weChatID)/pay/?nonceStr=n&package=Sign%3DWXPay&partnerId=1&prepayId=2&timeStamp=3&sign=4&signType=SHA1",
            "alipay://alipayclient/?%7B%22requestType%22%3A%22SafePay%22%2C%22fromAppUrlScheme%22%3A%22a%22%2C%22dataString%22%3A%22b%22%7D",
            "alipays://platformapi/startapp?appId=20000067&url=https%3A%2F%2Fmclient.alipay.com%2Fh5",
            "com.venmo.touch.v2://x-callback-url/vzero/auth?x-success=a.payments%3A%2F%2Fx-callback-url%2Fvzero%2Fauth%2Fvenmo%2Fsuccess&x-error=a.payments%3A%2F%2Fx-callback-url%2Fvzero%2Fauth%2Fvenmo%2Ferror&x-cancel=a.payments%3A%2F%2Fx-callback-url%2Fvzero%2Fauth%2Fvenmo%2Fcancel&x-source=S&braintree_merchant_id=m&braintree_access_token=t&braintree_environment=sandbox&braintree_sdk_data=e",
            "uppaywallet://uppay?paydata=00ff&s=a", "https://help.wechat.com/app/\(weChatID)/pay/?nonceStr=n",
        ],
        pieces: [
            "\(scheme)", "\(scheme).payments", weChatID, "://", ":", "/", "//", "?", "#", "&", "=", "@", "user@", ":80",
            ":443", "pay", "pay/", "safepay", "safepay.evil", "uppayresult", "x-callback-url", "cashapp", "klarna",
            "https://", "http://", "app://", "evil://", "evil.example", "shop.example", "dev.citconpay.com", "/apps/",
            "/paid", "ret=0", "ret=00", "ret=+0", "ret=-2", "code=success", "9000", "%00", "%2F", "%3A", "%3a", "..",
            "PAY", "SafePay", "(null)", "\u{430}", "\u{200B}", "{", "}", "\"",
        ])
    private(set) var counts: [String: Int] = [:]

    private let provider: CitconProvider
    private let router: PaymentRouter
    private let attempt: PaymentAttempt
    private static let places = CitconConfiguration.ReturnPlaces(
        schemes: [scheme], weChatAppIDs: [weChatID], bundleIDs: [scheme],
        universalLinks: ["https://dev.citconpay.com/apps/"], pages: ["\(scheme)://", "https://shop.example/paid"])

    init() throws {
        provider = CitconProvider(
            configuration: CitconConfiguration(
                endpoint: try CitconEndpoint(.UAT), accessToken: Redacted("token"),
                application: .init(scheme: Self.scheme, places: Self.places)))
        router = PaymentRouter(
            registry: try ProviderRegistry([provider]),
            transport: Surroundings.Service { _ in HTTPResponse(status: 500) },
            journal: InMemoryJournal())
        let option = PaymentMethodOption(
            id: "wechatpay", title: "WeChat Pay", amount: try Money(minorUnits: 1250, currency: .usd))
        attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_1"), reference: PaymentReference(provider: CitconProvider.id, id: "order-1"),
            option: option, idempotencyKey: "k", startedAt: Date(timeIntervalSince1970: 1_800_000_000), expiresAt: nil)
        // The provider must read the patterns that it declares to a router.
        for case .returnURL(let url) in provider.descriptor.patterns {
            guard WalletReturn(url + "?x=1", at: Self.places) != nil else { throw Unread() }
        }
    }

    private struct Unread: Error {}

    mutating func violation(_ input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        if let problem = wrongWalletURL(text) { return problem }
        let back = WalletReturn(text, at: Self.places)
        let decision = router.route(text)
        if case .matched(let route) = decision, route.match.role == .callback, back == nil {
            return "routed as a return, and is none"
        }
        guard let back else {
            counts["nobody's", default: 0] += 1
            return nil
        }
        counts["from \(back.source)", default: 0] += 1
        if case .matched(let route) = decision, route.match.role != .callback || route.match.reference != nil {
            return "a return is routed as a payment"
        }
        guard Self.canLeadHere(Oracle.plain(input)) else { return "a foreign URL is taken for a return" }
        if back.source == .page, back.code != nil || back.message != nil { return "a page's word counts" }
        if back.code == VendorCode.success, !Self.canSayPaid(Oracle.plain(input), back.source) {
            return "reads a success that is not there"
        }
        if back.code == VendorCode.success, back.isCancellation { return "a success is a cancellation" }
        if let link = try? PaymentLink(text), WalletReturn(link.text, at: Self.places) != back {
            return "the canonical text is read otherwise"
        }
        return paid(by: text)
    }

    /// The service states that nothing is paid: no URL may change that.
    private mutating func paid(by text: String) -> String? {
        guard let link = try? PaymentLink(text) else { return nil }
        let (provider, attempt) = (provider, attempt)
        let outcome = Surroundings.wait { () -> ServiceReport? in
            let context = Surroundings.context { _ in
                Surroundings.answer(
                    #"{"status":"success","data":{"id":"1","reference":"order-1","amount":1250,"currency":"USD","status":"canceled"}}"#
                )
            }
            do { return try await provider.complete(link, for: attempt, in: context) } catch let error as PaymentError {
                // It names another order, and is refused.
                return error.code == .foreignReturn ? .cancelled : nil
            } catch {
                return nil
            }
        }
        return outcome == .cancelled ? nil : "a return URL changes the service's word: \(outcome.debugDescription)"
    }

    // MARK: Second opinions

    private static func canLeadHere(_ text: String) -> Bool {
        guard let parts = Oracle.places(of: text) else { return false }
        switch parts.scheme {
        case weChatID: return parts.authority == "pay"
        case scheme: return ["safepay", "uppayresult", "cashapp", "klarna", ""].contains(parts.authority)
        case scheme + ".payments":
            return parts.authority == "x-callback-url" && parts.path.hasPrefix("/vzero/auth/venmo/")
        case "https":
            let host = parts.authority.hasSuffix(":443") ? String(parts.authority.dropLast(4)) : parts.authority
            return host == "dev.citconpay.com" && parts.path == "/apps/\(weChatID)/pay"
                || host == "shop.example" && parts.path == "/paid"
        case "app": return Oracle.places(of: String(text.dropFirst(6)))?.authority == "uppayresult"
        default: return false
        }
    }

    private static func canSayPaid(_ text: String, _ source: WalletReturn.Source) -> Bool {
        switch source {
        case .weChat: text.contains("ret=0") || text.contains("%")
        case .alipay: text.contains("9000") || text.contains("%")
        case .unionPay: text.contains("code=success") || text.contains("%")
        case .braintree: text.contains("/success")
        case .page, .cashApp, .klarna, .payPal: false
        }
    }

    // MARK: Wallets

    /// The URL that starts a wallet is written and read the same way.
    private mutating func wrongWalletURL(_ text: String) -> String? {
        if let link = try? PaymentLink(text), let wallet = CitconWalletURL(link) {
            counts["starts a wallet", default: 0] += 1
            for written in [wallet.text, wallet.universalLink].compactMap(\.self) {
                guard let again = try? PaymentLink(written.reveal()), CitconWalletURL(again) == wallet else {
                    return "a wallet's URL is written otherwise than it is read"
                }
            }
            if WalletReturn(text, at: Self.places) != nil { return "what starts a wallet is also a return" }
        }
        // Longer ones, encoded, do not fit a link.
        guard text.utf8.count <= 800 else { return nil }
        for wallet in [
            CitconWalletURL.alipay(order: Redacted(text), scheme: Self.scheme),
            .unionPay(payData: Redacted(text), scheme: Redacted(text)),
        ] {
            let written = wallet.text.reveal()
            guard let link = try? PaymentLink(written), CitconWalletURL(link) == wallet else {
                return "a wallet's URL that was written cannot be read"
            }
        }
        return nil
    }
}
