public import PaymentCore

/// The service and the application that a ``CitconProvider`` works with.
public struct CitconConfiguration: Sendable {
    /// The application's own addresses, to which payers return.
    public struct Application: Sendable, Hashable {
        /// Its own URL scheme, to which Alipay, UnionPay and Cash App return.
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
    /// Your own name for the merchant that the token belongs to: part of a payment's name, so that one journal keeps
    /// the orders of several merchants apart. Nil if there is only one.
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
