public import PaymentCore

/// The URLs that start wallets with a payment.
@nonexhaustive
public enum CitconWalletURL: Sendable, Hashable {
    /// `weixin://app/<app id>/pay/?…`, from the seven values that WeChat's own library takes.
    case weChat(CitconWalletURL.WeChatPayload)
    /// `alipay://alipayclient/?…`: an order string, and the scheme for the return.
    case alipay(order: Redacted<String>, scheme: String)
    /// `uppaywallet://uppay?…`, from values that UnionPay's own library derives from a transaction number. The
    /// derivation is not published, so this library starts UnionPay by its library and only recognises these.
    case unionPay(payData: Redacted<String>, scheme: Redacted<String>)

    /// `alipays://platformapi/startapp?appId=20000067&url=…`: an Alipay page, opened in its app.
    case alipayPage(url: String)
    /// `com.venmo.touch.v2://…`, as Braintree's library makes it.
    case venmo(CitconWalletURL.VenmoSwitch)

    /// The text of the URL. Any holder of it can pay the order.
    public var text: Redacted<String> {
        switch self {
        case .weChat(let payload): Redacted("weixin://app/\(payload.query)")
        case .alipay(let order, let scheme):
            Redacted("alipay://alipayclient/?" + PercentCoding.encode(Self.alipayJSON(order, scheme)))
        case .unionPay(let data, let scheme):
            Redacted(
                "uppaywallet://uppay?paydata=\(PercentCoding.encode(data.reveal()))"
                    + "&s=\(PercentCoding.encode(scheme.reveal()))")
        case .alipayPage(let url):
            Redacted("alipays://platformapi/startapp?appId=\(Self.alipayBrowser)&url=\(PercentCoding.encode(url))")
        case .venmo(let venmo): venmo.text
        }
    }

    /// The id of the part of Alipay's app that opens pages.
    private static let alipayBrowser = "20000067"

    /// The web address form, for WeChat and Alipay pages; nil for the others, which have no known one.
    public var universalLink: Redacted<String>? {
        switch self {
        case .weChat(let payload): Redacted("https://help.wechat.com/app/\(payload.query)")
        case .alipayPage:
            Redacted("https://render.alipay.com/p/s/ulink/?scheme=\(PercentCoding.encode(text.reveal()))")
        case .alipay, .unionPay, .venmo: nil
        }
    }

    /// Creates a wallet URL from `link`; nil if it does not start a wallet.
    public init?(_ link: PaymentLink) {
        guard link.form == .web, link.port == nil, link.fragment == nil else { return nil }
        switch (link.scheme.map(String.init), link.host.map(String.init)) {
        case ("weixin", "app"), ("https", "help.wechat.com"):
            guard let payload = CitconWalletURL.WeChatPayload(link) else { return nil }
            self = .weChat(payload)
        case ("alipay", "alipayclient"), ("alipayhk", "alipayclient"):
            guard let text = link.query.flatMap({ PercentCoding.decode($0) }),
                let json = try? JSONValue(parsing: text), json["requestType"] == "SafePay",
                let order = json["dataString"]?.string, let scheme = json["fromAppUrlScheme"]?.string
            else { return nil }
            self = .alipay(order: Redacted(order), scheme: scheme)
        case ("alipays", "platformapi") where link.path == "/startapp":
            guard link.only("appId") == Self.alipayBrowser, let url = link.only("url"),
                let page = try? PaymentLink(url), page.isHTTPS
            else { return nil }
            self = .alipayPage(url: url)
        case ("https", "render.alipay.com") where link.path == "/p/s/ulink/":
            guard let inner = link.only("scheme").flatMap({ try? PaymentLink($0) }), inner.scheme == "alipays",
                let wallet = CitconWalletURL(inner)
            else { return nil }
            self = wallet
        case ("com.venmo.touch.v2", "x-callback-url"):
            guard let venmo = CitconWalletURL.VenmoSwitch(link) else { return nil }
            self = .venmo(venmo)
        case ("uppaywallet", "uppay"), ("uppaysdk", "uppay"):
            let (data, scheme) = (link.queryItems.values("paydata"), link.queryItems.values("s"))
            guard data.count == 1, scheme.count == 1, let data = PercentCoding.decode(data[0]),
                let scheme = PercentCoding.decode(scheme[0])
            else { return nil }
            self = .unionPay(payData: Redacted(data), scheme: Redacted(scheme))
        default: return nil
        }
    }

    private static func alipayJSON(_ order: Redacted<String>, _ scheme: String) -> String {
        let items = [("requestType", "SafePay"), ("fromAppUrlScheme", scheme), ("dataString", order.reveal())]
        return "{" + items.map { "\"\($0)\":\(JSONValue.string($1).text)" }.joined(separator: ",") + "}"
    }
}
