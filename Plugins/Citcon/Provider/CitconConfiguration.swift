public import PaymentCore

/// The service and the application that a ``CitconProvider`` works with.
public struct CitconConfiguration: Sendable {
    /// The application's own addresses for returning payers.
    public struct Application: Sendable, Hashable {
        /// Its own URL scheme, for the returns of Alipay, UnionPay and Cash App.
        public var scheme: String?
        /// Its universal link for WeChat.
        public var universalLink: String?
        /// Its other return addresses: WeChat app ids, bundle ids, the addresses that payment pages lead to.
        public var places: CitconConfiguration.ReturnPlaces

        /// Creates a description.
        public init(
            scheme: String? = nil, universalLink: String? = nil,
            places: CitconConfiguration.ReturnPlaces = CitconConfiguration.ReturnPlaces()
        ) {
            self.scheme = scheme
            self.universalLink = universalLink
            self.places = places.union(
                CitconConfiguration.ReturnPlaces(
                    schemes: Set([scheme].compactMap(\.self)), universalLinks: Set([universalLink].compactMap(\.self))))
        }
    }

    /// The address of the service.
    public var endpoint: CitconEndpoint
    /// Your own name for the merchant that the token belongs to: part of a payment's name, so one journal keeps the
    /// orders of several merchants apart. Nil if there is only one.
    public var merchant: String?
    /// The access token; nil when the application's secret store has it as ``CitconProvider/accessTokenName(of:)``.
    /// Tokens are valid for a day.
    public var accessToken: Redacted<String>?
    /// The application's own addresses.
    public var application: Application
    /// The handler of each gateway.
    public var gateways: CitconConfiguration.Gateways
    /// The time allowed for one request.
    public var requestTimeout: Duration
    /// The time limit for a decision after the payer's return, before the payment is reported as pending.
    public var settlementTimeout: Duration

    /// Creates a configuration.
    public init(
        endpoint: CitconEndpoint, accessToken: Redacted<String>? = nil, application: Application = Application(),
        gateways: CitconConfiguration.Gateways = .standard, requestTimeout: Duration = .seconds(30),
        settlementTimeout: Duration = .seconds(60)
    ) {
        self.endpoint = endpoint
        self.accessToken = accessToken
        self.application = application
        self.gateways = gateways
        self.requestTimeout = requestTimeout
        self.settlementTimeout = settlementTimeout
    }
}

// MARK: - Endpoint

/// The address of the service.
public struct CitconEndpoint: Sendable, Hashable {
    /// The environment, which order links and UnionPay's mode must match.
    public let mode: Mode
    /// The address that calls are appended to.
    public let baseURL: HTTPURL

    /// Creates the vendor's own address of `mode`, or another one: a sandbox, or one of the vendor's accelerated hosts.
    ///
    /// - Parameters:
    ///   - mode: the environment.
    ///   - baseURL: the address that calls are appended to; nil for the environment's own.
    /// - Throws: ``Defect``: `baseURL` is not a web address, or it is `http` and not on this machine, and an access
    ///   token would travel unencrypted.
    public init(_ mode: Mode, baseURL: String? = nil) throws(Defect) {
        let url: HTTPURL
        do { url = try HTTPURL(baseURL ?? mode.baseURL) } catch { throw .malformed(error) }
        guard url.isConfidential else { throw .insecure(origin: url.origin) }
        guard url.query == nil else { throw .hasQuery }
        self.mode = mode
        self.baseURL = url
    }
}

extension CitconEndpoint {
    /// The vendor's environment. An access token works in one of them only.
    @nonexhaustive
    public enum Mode: Int, Sendable, Hashable, CaseIterable {
        /// The vendor's own development.
        case DEV = 0
        /// The vendor's own tests.
        case QA = 1
        /// For the merchant's tests.
        case UAT = 2
        /// Real money.
        case PROD = 3

        /// The address that calls are appended to, with its version.
        public var baseURL: String { "https://\(host)/v1/" }

        /// The host of the environment's API.
        public var host: String {
            switch self {
            case .DEV: "api.dev01.citconpay.com"
            case .QA: "api-eks.qa01.citconpay.com"
            case .UAT: "api.sandbox.citconpay.com"
            case .PROD: "api.citconpay.com"
            }
        }

        /// Creates the environment with the name `name` in an order link: `dev`, `qa`, `uat` or `prod`; nil for any
        /// other.
        public init?(linkName name: some StringProtocol) {
            guard let mode = Self.allCases.first(where: { $0.linkName == name }) else { return nil }
            self = mode
        }

        /// The environment's name in an order link.
        public var linkName: String {
            switch self {
            case .DEV: "dev"
            case .QA: "qa"
            case .UAT: "uat"
            case .PROD: "prod"
            }
        }
    }

    /// Why an address cannot be that of the service.
    @nonexhaustive
    public enum Defect: Error, Sendable, Hashable {
        /// It is not a web address.
        case malformed(LinkDefect)
        /// It is not encrypted and not on this machine.
        case insecure(origin: String)
        /// It has a query, which calls cannot be appended to.
        case hasQuery
    }

    /// Real money.
    package static let production: CitconEndpoint = {
        do { return try CitconEndpoint(.PROD) } catch { preconditionFailure("the vendor's own address is malformed") }
    }()
}

extension CitconEndpoint.Defect: CustomStringConvertible {
    /// One human-readable sentence.
    public var description: String {
        switch self {
        case .malformed(let defect): "the service's address is not usable: \(defect)"
        case .insecure(let origin): "\(origin) is neither https nor on this machine; the access token would be readable"
        case .hasQuery: "the service's address must not have a query"
        }
    }
}

// MARK: - Gateways

extension CitconConfiguration {
    /// The table of handlers, by the gateway id that the service answers.
    ///
    /// The service names gateways freely. An id that is in no list is an unsupported payment. Add an id to a handler
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
            /// Opens a page, or starts WeChat if the service sends a payload for it.
            case url = "URL"
            /// Opens a page.
            case xendit = "Xendit"
            /// Requests a nonce from Braintree's library, and confirms with it.
            case braintree = "Braintree"
            /// Requests the payer's consent from Cash App's library, and confirms with it.
            case cashApp = "CashApp"
            /// Requests the payer's approval from PayPal's own library, and confirms with it.
            case payPal = "PayPal"
            /// Opens a Klarna page if the order asks for one. It does not start Klarna's view.
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

// MARK: - Return places

extension CitconConfiguration {
    /// An application's return addresses. A URL that leads elsewhere is not a return.
    public struct ReturnPlaces: Sendable, Hashable {
        /// The application's own URL schemes, as orders name them: Alipay, UnionPay, Cash App and Klarna return by
        /// these.
        public var schemes: Set<String>
        /// The WeChat app ids. Each one is a URL scheme of the application.
        public var weChatAppIDs: Set<String>
        /// The application's bundle ids. Braintree returns to the scheme `<bundle id>.payments`.
        public var bundleIDs: Set<String>
        /// The universal links registered with WeChat, such as `https://www.merchant.com/apps/`.
        public var universalLinks: Set<String>
        /// The payers' destinations after payment pages: the merchant's success, failure and cancellation addresses.
        public var pages: Set<String>

        /// Creates a description. Schemes compare without regard to case.
        public init(
            schemes: Set<String> = [], weChatAppIDs: Set<String> = [], bundleIDs: Set<String> = [],
            universalLinks: Set<String> = [], pages: Set<String> = []
        ) {
            self.schemes = schemes
            self.weChatAppIDs = weChatAppIDs
            self.bundleIDs = bundleIDs
            self.universalLinks = universalLinks
            self.pages = pages
        }

        /// Returns these places combined with `others`.
        package func union(_ others: ReturnPlaces) -> ReturnPlaces {
            ReturnPlaces(
                schemes: schemes.union(others.schemes), weChatAppIDs: weChatAppIDs.union(others.weChatAppIDs),
                bundleIDs: bundleIDs.union(others.bundleIDs),
                universalLinks: universalLinks.union(others.universalLinks),
                pages: pages.union(others.pages))
        }

        /// Returns the URLs of the wallet's returns, without queries.
        package func urls(of source: WalletReturn.Source) -> [String] {
            switch source {
            case .weChat:
                weChatAppIDs.sorted().flatMap { ["\($0)://pay/", "\($0)://pay"] }
                    + universalLinks.sorted().flatMap { link in
                        weChatAppIDs.sorted().map { "\(link.hasSuffix("/") ? link : link + "/")\($0)/pay" }
                    }
            case .alipay: schemes.sorted().flatMap { ["\($0)://safepay/", "\($0)://safepay"] }
            case .unionPay: schemes.sorted().flatMap { ["\($0)://uppayresult", "\($0)://uppayresult/"] }
            case .braintree:
                bundleIDs.sorted().flatMap { bundle in
                    ["success", "error", "cancel"].map { "\(bundle).payments://x-callback-url/vzero/auth/venmo/\($0)" }
                }
            case .cashApp: schemes.sorted().flatMap { ["\($0)://cashapp", "\($0)://cashapp/"] }
            case .payPal: [WalletReturn.payPalSession]
            case .klarna: schemes.sorted().flatMap { ["\($0)://klarna", "\($0)://klarna/"] }
            case .page:
                pages.sorted().compactMap { WalletReturn.address(of: $0) }.flatMap { url in
                    // The slash of an empty path is optional.
                    url.hasSuffix("/") && url.split(separator: "/").count == 2 ? [String(url.dropLast()), url] : [url]
                }
            }
        }

        /// The patterns, for a router, of every URL that can be a payer's return.
        package var patterns: [LinkPattern] {
            var seen: Set<String> = []
            // PayPal returns to the system's session, never to a router.
            return WalletReturn.Source.allCases.filter { $0 != .payPal }.flatMap(urls).compactMap { text in
                guard let url = try? PaymentLink(text), url.form == .web, seen.insert(url.text).inserted else {
                    return nil
                }
                return .returnURL(url.text)
            }
        }
    }
}
