import CitconProvider
public import PaymentCore

/// An action of the application for an order, as a value: open this page, start this wallet, show this code.
public enum CPayLaunch: Sendable, Hashable {
    /// A page to open in a browser.
    case page(PageRequest)
    /// A wallet to start, by its URL or by its own library with ``AppRequest/payload``.
    case app(AppRequest)
    /// A code to show.
    case code(CodeRequest)
    /// A gateway's own library to start before the charge is confirmed, with the keys in ``AppRequest/payload``. It is
    /// complete when a return URL carries its nonce or grant: `<bundle
    /// id>.payments://x-callback-url/vzero/auth/venmo/success` with `paymentMethodNonce`, `<scheme>://cashapp` with
    /// `grant_id` (and `expiry`, `consumer_id`, `cashtag`, which the library also reports), or, from the session in
    /// which PayPal's library ran and as ``CPayLaunched/returned(url:)`` alone,
    /// `sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout` with `token` and `PayerID`.
    case consent(AppRequest)
}

/// The outcome of a ``CPayLaunch``.
public enum CPayLaunched: Sendable, Hashable {
    /// It is open. The payer returns later, through one of the manager's `handle…` methods.
    case opened
    /// The payer is already back, with the return URL if one was caught.
    case returned(url: String?)
    /// It cannot be opened. The reason is human-readable.
    case impossible(reason: String)
}

/// Opens pages and apps.
public typealias CPayLauncher = @Sendable (CPayLaunch) async -> CPayLaunched

extension Payer {
    /// A launcher that opens pages and apps through this payer.
    public var citconLauncher: CPayLauncher {
        { launch in
            do {
                switch launch {
                case .page(let page):
                    guard let browser else { return .impossible(reason: "the payer has no browser") }
                    return .returned(url: try await browser(page)?.text)
                case .app(let app), .consent(let app):
                    guard let appLauncher else { return .impossible(reason: "the payer opens no apps") }
                    return .returned(url: try await appLauncher(app)?.text)
                case .code(let code):
                    guard let codeDisplay else { return .impossible(reason: "the payer shows no codes") }
                    try await codeDisplay(code)
                    return .opened
                }
            } catch {
                return .impossible(reason: "the payer could not open it (\(type(of: error)))")
            }
        }
    }
}

// MARK: - Info.plist

/// The entries that an application's `Info.plist` needs for a payment method, so that its payers can leave and return
/// (<doc:AppSetup>). The vendor's guide has this as a table. Here an application can check itself:
///
/// ```swift
/// let setup = CPayAppSetup(
///     method: "alipay", bundleID: "com.shop", scheme: "com.shop.pay", weChatAppID: nil)
/// assert(setup.missing(in: Bundle.main.infoDictionary ?? [:]).isEmpty)
/// ```
public struct CPayAppSetup: Sendable, Hashable {
    /// The entries needed in `LSApplicationQueriesSchemes`: the wallets' schemes.
    public let queriedSchemes: [String]
    /// The schemes needed in `CFBundleURLTypes`.
    public let urlSchemes: [String]
    /// True if an associated domain (`applinks:`) is needed: WeChat returns by a universal link.
    public let needsUniversalLink: Bool

    /// Creates the needs of `method`. Methods that are not listed are paid on a page, and return by the application's
    /// scheme if the order's `urls` name it.
    ///
    /// - Parameters:
    ///   - method: the payment method, as in an order.
    ///   - bundleID: the application's bundle id.
    ///   - scheme: the application's own scheme, ``CPayRequest/scheme``.
    ///   - weChatAppID: the application's id at WeChat; nil if WeChat Pay is not offered.
    public init(method: String, bundleID: String, scheme: String, weChatAppID: String?) {
        let payments = "\(bundleID).payments"
        switch method {
        case "wechatpay":
            (queriedSchemes, urlSchemes) = (["weixin", "wechat", "weixinULAPI"], [weChatAppID].compactMap(\.self))
        case "alipay": (queriedSchemes, urlSchemes) = (["alipay", "safepay", "alipays"], [scheme])
        case "upop":
            (queriedSchemes, urlSchemes) = (
                ["uppaywallet", "uppaysdk", "uppayx1", "uppayx2", "uppayx3"], [scheme]
            )
        case "card", "paypal": (queriedSchemes, urlSchemes) = ([payments], [payments])
        case "venmo": (queriedSchemes, urlSchemes) = (["com.venmo.touch.v2", payments], [payments])
        case "klarna": (queriedSchemes, urlSchemes) = (["klarna", "klarnaconsent"], [scheme])
        default: (queriedSchemes, urlSchemes) = ([], [scheme])
        }
        needsUniversalLink = method == "wechatpay"
    }

    /// Returns the keys that are missing in an application's `Info.plist`: one sentence each, none when it has them
    /// all.
    ///
    /// - Parameter info: `Bundle.main.infoDictionary`.
    public func missing(in info: [String: Any]) -> [String] {
        let queried = Set((info["LSApplicationQueriesSchemes"] as? [String] ?? []).map { $0.lowercased() })
        let types = info["CFBundleURLTypes"] as? [[String: Any]] ?? []
        let registered = Set(
            types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }.map { $0.lowercased() })
        return queriedSchemes.filter { !queried.contains($0.lowercased()) }.map {
            "LSApplicationQueriesSchemes lacks '\($0)'"
        } + urlSchemes.filter { !registered.contains($0.lowercased()) }.map { "CFBundleURLTypes lacks '\($0)'" }
    }
}
