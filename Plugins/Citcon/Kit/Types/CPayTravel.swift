// Journeys in Klarna's form: known from release 2.5.0 of the vendor's SDK on, not in its guide. Their units are not
// documented; the vendor's demonstration writes prices as whole numbers. Nil members are not sent.

/// A booking of flights.
public final class CPayExtGatewayFlight: CPayConfidential {
    /// The booking's number.
    public var pnr: String?
    /// The flights.
    public var itinerary: [CPayExtGatewayFlightItinerary]?
    /// The insurance.
    public var insurance: [CPayExtGatewayFlightInsurance]?
    /// The passengers.
    public var passengers: [CPayExtGatewayFlightPassenger]?
    /// The seller.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// One flight.
public final class CPayExtGatewayFlightItinerary: CPayConfidential {
    /// The airport of departure, IATA: `AMS`.
    public var departure: String?
    /// The city of departure.
    public var departureCity: String?
    /// The airport of arrival, IATA: `LHR`.
    public var arrival: String?
    /// The city of arrival.
    public var arrivalCity: String?
    /// The airline, IATA: `KL`.
    public var carrier: String?
    /// The price.
    public var segmentPrice: Int?
    /// The time of departure: `2025-12-25T08:00:00Z`.
    public var departureDate: String?
    /// The means of delivery of the ticket, such as `email`.
    public var ticketDeliveryMethod: String?
    /// The recipient of the ticket.
    public var ticketDeliveryRecipient: String?
    /// The ids of the passengers.
    public var passengerId: [Int]?
    /// The class, such as `economy`. On the wire it is called `class`.
    public var clasName: String?

    /// Creates an empty value.
    public init() {}
}

/// The insurance of flights.
public final class CPayExtGatewayFlightInsurance: CPayConfidential {
    /// The insurer.
    public var insuranceCompany: String?
    /// The insured risk, such as `cancellation`.
    public var insuranceType: String?
    /// The price.
    public var insurancePrice: Int?

    /// Creates an empty value.
    public init() {}
}

/// A passenger.
public final class CPayExtGatewayFlightPassenger: CPayConfidential {
    /// The number by which a flight's ``CPayExtGatewayFlightItinerary/passengerId`` refers to the passenger.
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
    /// The route.
    public var tripItinerary: CPayExtGatewayTripItinerary?
    /// The travellers.
    public var tripPassengers: [CPayExtGatewayTripPassenger]?
    /// The age of the youngest traveller.
    public var minAge: Int?
    /// The age of the oldest traveller.
    public var maxAge: Int?
    /// The included services.
    public var services: [CPayExtGatewayTripServices]?
    /// The seller.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// The route and the dates of a journey.
public final class CPayExtGatewayTripItinerary: CPayConfidential {
    /// The country it starts in, by its English name.
    public var initialCountry: String?
    /// The city it starts in.
    public var initialCity: String?
    /// The country it ends in, by its English name.
    public var finalCountry: String?
    /// The city it ends in.
    public var finalCity: String?
    /// The start: `2025-12-25T08:00:00Z`.
    public var startTime: String?
    /// The end, in the same format.
    public var endTime: String?

    /// Creates an empty value.
    public init() {}
}

/// A traveller.
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
    /// The merchant's id of the traveller.
    public var uniqueId: String?
    /// `true` if the traveller made the booking, otherwise `false`.
    public var mainPassenger: String?

    /// Creates an empty value.
    public init() {}
}

/// The services that a journey includes: `true` or `false` each.
public final class CPayExtGatewayTripServices: CPayConfidential {
    /// An insurance.
    public var travelInsurance: String?
    /// Hotels.
    public var hotel: String?
    /// Flights.
    public var flight: String?
    /// The right to cancel.
    public var cancelationService: String?
    /// Shared rooms.
    public var sharedRoom: String?

    /// Creates an empty value.
    public init() {}
}
