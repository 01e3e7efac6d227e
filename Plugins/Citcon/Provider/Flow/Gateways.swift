extension CitconConfiguration {
    /// Which handler takes a payment, by the gateway id that the service answers.
    ///
    /// The service names gateways freely; an id that is in no list is an unsupported payment. Add an id to a handler
    /// that does what it needs: `gateways["URL"]?.append("flexa")`.
    public struct Gateways: Sendable, Hashable {
        /// What an app does for a gateway.
        @nonexhaustive
        public enum Handler: String, Sendable, Hashable, CaseIterable {
            /// Starts WeChat with its payload.
            case weChat = "WeChat"
            /// Starts Alipay with its payload.
            case alipay = "Alipay"
            /// Starts UnionPay's app with its payload.
            case unionPay = "UnionPay"
            /// Opens a page.
            case ams = "AMS"
            /// Opens a page, or starts WeChat where the service sends a payload for it.
            case url = "URL"
            /// Opens a page.
            case xendit = "Xendit"
            /// Has Braintree's library make a nonce, and confirms with it.
            case braintree = "Braintree"
            /// Has Cash App's library get the payer's consent, and confirms with it.
            case cashApp = "CashApp"
            /// Has PayPal's own library get the payer's approval, and confirms with it.
            case payPal = "PayPal"
            /// Opens a page of Klarna's, where one is asked for: Klarna's view is not started.
            case klarna = "Klarna"
        }

        /// The gateway ids by handler name. A name that is no handler's has no effect.
        public var ids: [String: [String]]

        /// Creates a table.
        public init(_ ids: [String: [String]]) { self.ids = ids }

        /// The gateways of the vendor's SDK, release 2.0.8, and those of later releases that these handlers can serve.
        /// The ids `braintree`, `ppcp`, `ebanx` and `hosted` are not confirmed by any source (Protocol 3.2).
        public static let standard = Gateways([
            "WeChat": ["wechatpay"], "Alipay": ["alipay"], "UnionPay": ["upop"], "AMS": ["toss"],
            "URL": ["fomo", "aps", "flexa", "ebanx", "hosted"], "Xendit": ["xendit"], "Braintree": ["braintree"],
            "CashApp": ["cashapp"], "PayPal": ["ppcp"], "Klarna": ["klarna"],
        ])

        /// The ids of one handler.
        public subscript(_ handler: String) -> [String]? {
            get { ids[handler] }
            set { ids[handler] = newValue }
        }

        /// Who takes `gateway`, compared to the letter; nil when nobody does.
        package func handler(of gateway: String) -> Handler? {
            Handler.allCases.first { ids[$0.rawValue]?.contains(gateway) == true }
        }
    }
}

/// Who takes a payment.
package typealias GatewayHandler = CitconConfiguration.Gateways.Handler

extension GatewayHandler {
    /// Whether the payer's consent is needed before the charge is confirmed, which then takes the money.
    package var asksFirst: Bool { self == .braintree || self == .cashApp || self == .payPal }

    /// Whether confirming alone can take the money. The other gateways only answer with what the payer is sent to, so
    /// that nobody can pay after a confirmation whose answer never came.
    package var mayPayAtConfirm: Bool {
        switch self {
        case .braintree, .cashApp, .payPal, .url, .xendit: true
        case .weChat, .alipay, .unionPay, .ams, .klarna: false
        }
    }

    /// The app's name for people.
    package var appName: String? {
        switch self {
        case .weChat: "WeChat Pay"
        case .alipay: "Alipay"
        case .unionPay: "UnionPay"
        case .braintree: "Braintree"
        case .cashApp: "Cash App"
        case .payPal: "PayPal"
        case .ams, .url, .xendit, .klarna: nil
        }
    }

    /// Who leads the payer back.
    package var source: WalletReturn.Source {
        switch self {
        case .weChat: .weChat
        case .alipay: .alipay
        case .unionPay: .unionPay
        case .braintree: .braintree
        case .cashApp: .cashApp
        case .payPal: .payPal
        case .ams, .url, .xendit, .klarna: .page
        }
    }
}
