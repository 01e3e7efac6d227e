// Journeys, as Klarna wants to know them: known from release 2.5.0 of the vendor's SDK on, not in its guide. Their
// units are not documented; the vendor's demonstration writes prices as whole numbers. What is nil is not sent.

/// A booking of flights.
public final class CPayExtGatewayFlight: CPayConfidential {
    /// The booking's number.
    public var pnr: String?
    /// The flights.
    public var itinerary: [CPayExtGatewayFlightItinerary]?
    /// The insurance.
    public var insurance: [CPayExtGatewayFlightInsurance]?
    /// Who flies.
    public var passengers: [CPayExtGatewayFlightPassenger]?
    /// Who sold it.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// One flight.
public final class CPayExtGatewayFlightItinerary: CPayConfidential {
    /// The airport of departure, IATA: `AMS`.
    public var departure: String?
    /// Its city.
    public var departureCity: String?
    /// The airport of arrival, IATA: `LHR`.
    public var arrival: String?
    /// Its city.
    public var arrivalCity: String?
    /// The airline, IATA: `KL`.
    public var carrier: String?
    /// The price.
    public var segmentPrice: Int?
    /// When it leaves: `2025-12-25T08:00:00Z`.
    public var departureDate: String?
    /// How the ticket is delivered, such as `email`.
    public var ticketDeliveryMethod: String?
    /// To whom the ticket is delivered.
    public var ticketDeliveryRecipient: String?
    /// The ids of those who fly.
    public var passengerId: [Int]?
    /// The class, such as `economy`. On the wire it is called `class`.
    public var clasName: String?

    /// Creates an empty value.
    public init() {}
}

/// The insurance of flights.
public final class CPayExtGatewayFlightInsurance: CPayConfidential {
    /// Who insures.
    public var insuranceCompany: String?
    /// What is insured, such as `cancellation`.
    public var insuranceType: String?
    /// The price.
    public var insurancePrice: Int?

    /// Creates an empty value.
    public init() {}
}

/// One who flies.
public final class CPayExtGatewayFlightPassenger: CPayConfidential {
    /// The number by which flights name them.
    public var id: Int?
    /// The title, such as `mr`.
    public var title: String?
    /// The first name.
    public var firstName: String?
    /// The last name.
    public var lastName: String?

    /// Creates an empty value.
    public init() {}
}

/// A journey that is sold as one.
public final class CPayExtGatewayTrip: CPayConfidential {
    /// Where it goes.
    public var tripItinerary: CPayExtGatewayTripItinerary?
    /// Who travels.
    public var tripPassengers: [CPayExtGatewayTripPassenger]?
    /// The age of the youngest.
    public var minAge: Int?
    /// The age of the oldest.
    public var maxAge: Int?
    /// What is included.
    public var services: [CPayExtGatewayTripServices]?
    /// Who sold it.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// Where a journey goes.
public final class CPayExtGatewayTripItinerary: CPayConfidential {
    /// The country it starts in, by its English name.
    public var initialCountry: String?
    /// The city it starts in.
    public var initialCity: String?
    /// The country it ends in, by its English name.
    public var finalCountry: String?
    /// The city it ends in.
    public var finalCity: String?
    /// From when: `2025-12-25T08:00:00Z`.
    public var startTime: String?
    /// Until when.
    public var endTime: String?

    /// Creates an empty value.
    public init() {}
}

/// One who travels.
public final class CPayExtGatewayTripPassenger: CPayConfidential {
    /// The number of the traveller.
    public var id: Int?
    /// The first name.
    public var firstName: String?
    /// The last name.
    public var lastName: String?
    /// The date of birth: `1980-05-10`.
    public var birthDate: String?
    /// The e-mail address.
    public var email: String?
    /// The merchant's id of them.
    public var uniqueId: String?
    /// Whether they booked: `true` or `false`.
    public var mainPassenger: String?

    /// Creates an empty value.
    public init() {}
}

/// What a journey includes: `true` or `false` each.
public final class CPayExtGatewayTripServices: CPayConfidential {
    /// An insurance.
    public var travelInsurance: String?
    /// Hotels.
    public var hotel: String?
    /// Flights.
    public var flight: String?
    /// That it can be called off.
    public var cancelationService: String?
    /// Rooms that are shared.
    public var sharedRoom: String?

    /// Creates an empty value.
    public init() {}
}
