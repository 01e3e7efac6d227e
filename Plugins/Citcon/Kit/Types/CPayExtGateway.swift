/// A gateway's data for confirmation: PayPal's own order, Klarna's authorisation and journeys, Cash App's grant.
public final class CPayExtGateway: CPayConfidential {
    /// The gateway's id of the order.
    public var orderId: String?
    /// The gateway's id of the payer.
    public var orderPayerId: String?
    /// The gateway's id of the payment.
    public var orderPaymentId: String?
    /// The source that the payer paid from.
    public var orderPaymentSource: String?
    /// Klarna's token for the payer's authorisation.
    public var authorizationToken: String?
    /// Cash App's consent.
    public var grant: CPayExtGatewayGrant?
    /// Cash App's payer.
    public var consumer: CPayExtGatewayConsumer?
    /// The flights that are paid for.
    public var flight: [CPayExtGatewayFlight]?
    /// The cars that are hired.
    public var car: [CPayExtGatewayCar]?
    /// The hotel stays.
    public var hotel: [CPayExtGatewayHotel]?
    /// The journeys that are sold as one.
    public var trip: [CPayExtGatewayTrip]?

    /// Creates an empty value.
    public init() {}
}

/// A payer's consent at Cash App.
public final class CPayExtGatewayGrant: CPayConfidential {
    /// Its id.
    public var grantId: String?
    /// The time of its expiry.
    public var expiry: String?

    /// Creates an empty value.
    public init() {}
}

/// A payer at Cash App.
public final class CPayExtGatewayConsumer: CPayConfidential {
    /// Cash App's id of the payer.
    public var consumerId: String?
    /// The payer's name there.
    public var cashtag: String?

    /// Creates an empty value.
    public init() {}
}
