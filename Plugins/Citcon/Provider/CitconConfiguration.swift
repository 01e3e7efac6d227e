public import PaymentCore

/// How ``CitconProvider`` reaches the service and the payer.
public struct CitconConfiguration: Sendable {
    /// How the application can be reached when a payer comes back.
    public struct Application: Sendable, Hashable {
        /// Its own URL scheme, which Alipay, UnionPay and Cash App come back to.
        public var scheme: String?
        /// Its universal link for WeChat.
        public var universalLink: String?
        /// Its other places: WeChat app ids, bundle ids, the addresses that payment pages lead to.
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

    /// Where the service is.
    public var endpoint: CitconEndpoint
    /// A name of your own for the merchant whose token this is: part of what a payment is called, so that the orders of
    /// several merchants in one journal stay apart. Nil where there is only one.
    public var merchant: String?
    /// The access token; nil when the application's secret store has it as ``CitconProvider/accessTokenName(of:)``.
    /// Tokens live for a day.
    public var accessToken: Redacted<String>?
    /// How the application can be reached.
    public var application: Application
    /// Who takes which gateway.
    public var gateways: CitconConfiguration.Gateways
    /// The time allowed for one request.
    public var requestTimeout: Duration
    /// How long a payment whose payer is back may take to be decided before it is reported as pending.
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
