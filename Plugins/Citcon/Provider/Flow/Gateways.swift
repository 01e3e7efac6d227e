extension CitconConfiguration {
    /// The table of handlers, by the gateway id that the service answers.
    ///
    /// The service names gateways freely; an id that is in no list is an unsupported payment. Add an id to a handler
    /// whose action fits the gateway: `gateways["URL"]?.append("flexa")`.
    public struct Gateways: Sendable, Hashable {
        /// An app's action for a gateway.
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
            /// Requests a nonce from Braintree's library, and confirms with it.
            case braintree = "Braintree"
            /// Requests the payer's consent from Cash App's library, and confirms with it.
            case cashApp = "CashApp"
            /// Requests the payer's approval from PayPal's own library, and confirms with it.
            case payPal = "PayPal"
            /// Opens a Klarna page if the order asks for one; does not start Klarna's view.
            case klarna = "Klarna"
        }

        /// The gateway ids by handler name. A name without a handler has no effect.
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

        /// Returns the handler of `gateway`, compared exactly; nil when there is none.
        package func handler(of gateway: String) -> Handler? {
            Handler.allCases.first { ids[$0.rawValue]?.contains(gateway) == true }
        }
    }
}

/// The handler of a gateway.
package typealias GatewayHandler = CitconConfiguration.Gateways.Handler

extension GatewayHandler {
    /// True if the payer's consent is needed before the charge is confirmed, which then takes the money.
    package var asksFirst: Bool { self == .braintree || self == .cashApp || self == .payPal }

    /// True if a confirmation alone can take the money. The other gateways only answer with the payer's destination, so
    /// a confirmation whose answer was lost cannot be paid.
    package var mayPayAtConfirm: Bool {
        switch self {
        case .braintree, .cashApp, .payPal, .url, .xendit: true
        case .weChat, .alipay, .unionPay, .ams, .klarna: false
        }
    }

    /// The app's display name.
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

    /// The source of the payer's return.
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
