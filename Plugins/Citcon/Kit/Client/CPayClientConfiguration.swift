public import CitconProvider
public import PaymentCore

/// How a ``CPayClient`` works.
public struct CPayClientConfiguration: Sendable {
    /// In which order an order's two results are delivered once the payer is back from a wallet.
    public enum ResultOrder: Sendable, Hashable {
        /// The service is asked first; its word fills the callback's result and the notification. So the guide's rule
        /// for "paid" can be followed to the letter.
        case inquiryFirst
        /// The callback gets the wallet's word at once, with `data.status` empty, and the notification follows after
        /// the inquiry: what the vendor's SDK does for WeChat, Alipay and UnionPay. Pages are asked about first in
        /// either case.
        case walletFirst
    }

    /// Where the service is.
    public var endpoint: CPayEndpoint
    /// The access token that the merchant's server got from the service.
    public var accessToken: Redacted<String>?
    /// Where the application can be reached, besides the places that orders name themselves.
    public var places: CPayReturnPlaces
    /// Who takes which gateway.
    public var gateways: CPayGateways
    /// In which order results are delivered.
    public var resultOrder: ResultOrder
    /// How long an order waits for its payer to come back; nil, as with the vendor's SDK, for ever.
    public var returnTimeout: Duration?
    /// The time allowed for one request.
    public var requestTimeout: Duration

    /// Creates a configuration.
    public init(
        endpoint: CPayEndpoint, accessToken: Redacted<String>? = nil, places: CPayReturnPlaces = CPayReturnPlaces(),
        gateways: CPayGateways = .standard, resultOrder: ResultOrder = .inquiryFirst, returnTimeout: Duration? = nil,
        requestTimeout: Duration = .seconds(30)
    ) {
        self.endpoint = endpoint
        self.accessToken = accessToken
        self.places = places
        self.gateways = gateways
        self.resultOrder = resultOrder
        self.returnTimeout = returnTimeout
        self.requestTimeout = requestTimeout
    }
}

/// What happens to orders besides their callbacks: the content of the vendor's two notifications.
public enum CPayEvent: Sendable {
    /// A charge is confirmed; nobody has paid yet.
    case orderConfirmed(CPayResult)
    /// The result of an order that came to an end, by the service's word; after a failure before there was a charge,
    /// the failure, with an empty id.
    case checked(CPayCheck)
    /// A payer came back by a URL that names another order than those that wait there. Nothing was done about it.
    case returnRefused(CPayReturnError)
}
