/// The entries that an application's `Info.plist` needs for a payment method, so that its payers can leave and return
/// (<doc:AppSetup>). The vendor's guide has this as a table; here an application can check itself:
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
    ///   - weChatAppID: the application's id at WeChat; nil where WeChat Pay is not offered.
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
