/// What a gateway needs at confirmation: PayPal's own order, Klarna's authorisation and journeys, Cash App's grant.
public final class CPayExtGateway: CPayConfidential {
    /// The gateway's order.
    public var orderId: String?
    /// The gateway's id of the payer.
    public var orderPayerId: String?
    /// The gateway's id of the payment.
    public var orderPaymentId: String?
    /// What the payer paid with.
    public var orderPaymentSource: String?
    /// Klarna's word that the payer agreed.
    public var authorizationToken: String?
    /// Cash App's consent.
    public var grant: CPayExtGatewayGrant?
    /// Cash App's payer.
    public var consumer: CPayExtGatewayConsumer?
    /// Flights that are paid for.
    public var flight: [CPayExtGatewayFlight]?
    /// Cars that are hired.
    public var car: [CPayExtGatewayCar]?
    /// Nights in hotels.
    public var hotel: [CPayExtGatewayHotel]?
    /// Journeys that are sold as one.
    public var trip: [CPayExtGatewayTrip]?

    /// Creates an empty value.
    public init() {}
}

/// A payer's consent at Cash App.
public final class CPayExtGatewayGrant: CPayConfidential {
    /// Its id.
    public var grantId: String?
    /// When it ends.
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
