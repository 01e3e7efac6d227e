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

extension CitconWalletURL {
    /// The values that start a WeChat payment, by the names of the service.
    public struct WeChatPayload: Sendable, Hashable {
        /// The merchant's app id at WeChat, which is also the scheme for the return.
        public let appID: String
        let values: Redacted<[String: String]>

        static let names = ["appid", "partnerid", "prepayid", "noncestr", "timestamp", "package", "sign"]

        /// Reads a launch payload; nil when one of the seven values is missing.
        init?(_ json: JSONValue) {
            var values: [String: String] = [:]
            for name in Self.names {
                guard let value = json[name]?.string ?? json[name]?.number?.text, !value.isEmpty else { return nil }
                values[name] = value
            }
            self.init(values)
        }

        private init?(_ values: [String: String]) {
            guard let appID = values["appid"],
                appID.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }), !appID.isEmpty
            else { return nil }
            self.appID = appID
            self.values = Redacted(values)
        }

        /// Reads the query of a launch URL.
        init?(_ link: PaymentLink) {
            let words = link.path.split(separator: "/").map(String.init)
            guard let last = words.last, last == "pay", words.count == (link.isHTTP ? 3 : 2) else { return nil }
            var values = ["appid": words[words.count - 2]]
            for (name, key) in Self.queryNames {
                let found = link.queryItems.values(key)
                guard found.count == 1, let value = PercentCoding.decode(found[0]), !value.isEmpty else { return nil }
                values[name] = value
            }
            self.init(values)
        }

        /// The items of the URL, in WeChat's own order.
        private static let queryNames = [
            ("noncestr", "nonceStr"), ("package", "package"), ("partnerid", "partnerId"), ("prepayid", "prepayId"),
            ("timestamp", "timeStamp"), ("sign", "sign"),
        ]

        /// The text `<app id>/pay/?…`. MD5 has 32 digits, SHA-1 has 40. The service does not name its choice.
        var query: String {
            let values = values.reveal()
            var items = Self.queryNames.map { "\($1)=\(PercentCoding.encode(values[$0] ?? ""))" }
            items.append("signType=\(values["sign"]?.utf8.count == 32 ? "MD5" : "SHA1")")
            return "\(appID)/pay/?\(items.joined(separator: "&"))"
        }
    }

    /// The launch values of Venmo's app: `com.venmo.touch.v2://x-callback-url/vzero/auth?…`. The form is that of
    /// Braintree's own library, which makes these from its client token.
    public struct VenmoSwitch: Sendable, Hashable {
        /// The application's bundle id. Venmo returns to the scheme `<bundle id>.payments`.
        public let bundleID: String
        /// The application's name, which Venmo shows.
        public let source: String
        /// The merchant's id at Braintree.
        public let merchantID: String
        /// The token that lets Venmo issue a nonce.
        public let accessToken: Redacted<String>
        /// `production` or `sandbox`.
        public let environment: String
        /// The library's data about itself, in base64.
        public let sdkData: Redacted<String>
        /// The id of the payment at Braintree, in later releases of the library.
        public let resourceID: String?

        /// Creates a value.
        public init(
            bundleID: String, source: String, merchantID: String, accessToken: Redacted<String>, environment: String,
            sdkData: Redacted<String>, resourceID: String? = nil
        ) {
            self.bundleID = bundleID
            self.source = source
            self.merchantID = merchantID
            self.accessToken = accessToken
            self.environment = environment
            self.sdkData = sdkData
            self.resourceID = resourceID
        }

        private static let endings = ["success", "error", "cancel"]

        private static func back(_ bundleID: String, _ ending: String) -> String {
            "\(bundleID).payments://x-callback-url/vzero/auth/venmo/\(ending)"
        }

        /// Reads a launch URL; nil when it lacks an item, repeats one, or returns to more than one place.
        init?(_ link: PaymentLink) {
            let suffix = Self.back("", "success")
            guard link.path == "/vzero/auth", let success = link.only("x-success"), success.hasSuffix(suffix),
                let source = link.only("x-source"), let merchant = link.only("braintree_merchant_id"),
                let token = link.only("braintree_access_token"), let environment = link.only("braintree_environment"),
                let data = link.only("braintree_sdk_data"), link.queryItems.values("resource_id").count <= 1
            else { return nil }
            let bundle = String(success.dropLast(suffix.utf8.count))
            guard !bundle.isEmpty, Self.endings.allSatisfy({ link.only("x-\($0)") == Self.back(bundle, $0) }) else {
                return nil
            }
            self.init(
                bundleID: bundle, source: source, merchantID: merchant, accessToken: Redacted(token),
                environment: environment, sdkData: Redacted(data), resourceID: link.only("resource_id"))
        }

        /// The URL.
        var text: Redacted<String> {
            var items = Self.endings.map { ("x-\($0)", Self.back(bundleID, $0)) }
            items += [
                ("x-source", source), ("braintree_merchant_id", merchantID),
                ("braintree_access_token", accessToken.reveal()), ("braintree_environment", environment),
                ("braintree_sdk_data", sdkData.reveal()),
            ]
            if let resourceID { items.append(("resource_id", resourceID)) }
            let query = items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
            return Redacted("com.venmo.touch.v2://x-callback-url/vzero/auth?\(query)")
        }
    }
}

extension PaymentLink {
    /// Returns the decoded value of the one item with this name; nil when there is none, more than one, or an empty
    /// one.
    func only(_ name: String) -> String? {
        let values = queryItems.values(name)
        guard values.count == 1, let value = PercentCoding.decode(values[0]), !value.isEmpty else { return nil }
        return value
    }
}
