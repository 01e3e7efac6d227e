public import CitconProvider
public import PaymentCore

/// The configuration of a ``CPayClient``.
public struct CPayClientConfiguration: Sendable {
    /// The order in which the two results of an order are delivered once the payer is back from a wallet.
    public enum ResultOrder: Sendable, Hashable {
        /// The inquiry comes first; its status fills the callback's result and the notification. The guide's rule for
        /// "paid" then applies literally.
        case inquiryFirst
        /// The callback gets the wallet's result at once, with `data.status` empty, and the notification follows after
        /// the inquiry, as in the vendor's SDK for WeChat, Alipay and UnionPay. Pages are inquired about first in
        /// either case.
        case walletFirst
    }

    /// The address of the service.
    public var endpoint: CPayEndpoint
    /// The access token that the merchant's server got from the service.
    public var accessToken: Redacted<String>?
    /// The application's return addresses, in addition to those that orders name.
    public var places: CPayReturnPlaces
    /// The handler of each gateway.
    public var gateways: CPayGateways
    /// The order in which results are delivered.
    public var resultOrder: ResultOrder
    /// The time that an order waits for its payer to return; nil, as with the vendor's SDK, means no limit.
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

/// An event of an order besides its callback: the content of the vendor's two notifications.
public enum CPayEvent: Sendable {
    /// A charge is confirmed; it is not yet paid.
    case orderConfirmed(CPayResult)
    /// The result of an order that has ended, as the service reports it; after a failure before there was a charge, the
    /// failure, with an empty id.
    case checked(CPayCheck)
    /// A payer returned by a URL that names none of the orders waiting there. It has no effect.
    case returnRefused(CPayReturnError)
}
