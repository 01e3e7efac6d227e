// Journeys, as Klarna wants to know them: known from release 2.5.0 of the vendor's SDK on, not in its guide. Their
// units are not documented; the vendor's demonstration writes prices as whole numbers. What is nil is not sent.

/// A booking of cars.
public final class CPayExtGatewayCar: CPayConfidential {
    /// The booking's number.
    public var pnr: String?
    /// The cars.
    public var carRentalItinerary: [CPayExtGatewayCarItinerary]?
    /// The insurance.
    public var insurance: [CPayExtGatewayCarInsurance]?
    /// Who drives.
    public var drivers: [CPayExtGatewayCarDriver]?
    /// Who sold it.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// One car.
public final class CPayExtGatewayCarItinerary: CPayConfidential {
    /// Who lets it.
    public var rentalCompany: String?
    /// The ids of those who drive.
    public var driverId: [Int]?
    /// Where it is fetched.
    public var pickUpLocation: CPayExtGatewayCarLocation?
    /// Where it is returned.
    public var dropOffLocation: CPayExtGatewayCarLocation?
    /// From when: `2025-12-25T08:00:00Z`.
    public var startTime: String?
    /// Until when.
    public var endTime: String?
    /// The price.
    public var carPrice: Int?
    /// The class. On the wire it is called `class`.
    public var clasName: String?

    /// Creates an empty value.
    public init() {}
}

/// A place where cars are let.
public final class CPayExtGatewayCarLocation: CPayConfidential {
    /// Street and number.
    public var streetAddress: String?
    /// The postal code.
    public var postalCode: String?
    /// The city.
    public var city: String?
    /// The country, two letters.
    public var country: String?

    /// Creates an empty value.
    public init() {}
}

/// The insurance of cars.
public final class CPayExtGatewayCarInsurance: CPayConfidential {
    /// Who insures.
    public var insuranceCompany: String?
    /// What is insured.
    public var insuranceType: String?
    /// The price.
    public var insurancePrice: Int?

    /// Creates an empty value.
    public init() {}
}

/// One who drives.
public final class CPayExtGatewayCarDriver: CPayConfidential {
    /// The number by which cars name them.
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

/// A booking of hotels.
public final class CPayExtGatewayHotel: CPayConfidential {
    /// The booking's number.
    public var pnr: String?
    /// The stays.
    public var hotelItinerary: [CPayExtGatewayHotelItinerary]?
    /// The insurance.
    public var insurance: [CPayExtGatewayHotelInsurance]?
    /// Who stays.
    public var passengers: [CPayExtGatewayHotelPassenger]?
    /// Who sold it.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// One stay.
public final class CPayExtGatewayHotelItinerary: CPayConfidential {
    /// The hotel.
    public var hotelName: String?
    /// Where it is.
    public var address: CPayExtGatewayHotelAddress?
    /// From when: `2025-12-25T08:00:00Z`.
    public var startTime: String?
    /// Until when.
    public var endTime: String?
    /// How many rooms.
    public var numberOfRooms: Int?
    /// The ids of those who stay.
    public var passengerId: [Int]?
    /// How the voucher is delivered, such as `email`.
    public var ticketDeliveryMethod: String?
    /// To whom the voucher is delivered.
    public var ticketDeliveryRecipient: String?
    /// The price.
    public var hotelPrice: Int?
    /// The kind of room. On the wire it is called `class`.
    public var clasName: String?

    /// Creates an empty value.
    public init() {}
}

/// Where a hotel is.
public final class CPayExtGatewayHotelAddress: CPayConfidential {
    /// Street and number.
    public var streetAddress: String?
    /// The postal code.
    public var postalCode: String?
    /// The city.
    public var city: String?
    /// The country, two letters.
    public var country: String?

    /// Creates an empty value.
    public init() {}
}

/// The insurance of stays.
public final class CPayExtGatewayHotelInsurance: CPayConfidential {
    /// Who insures.
    public var insuranceCompany: String?
    /// What is insured.
    public var insuranceType: String?
    /// The price.
    public var insurancePrice: Int?

    /// Creates an empty value.
    public init() {}
}

/// One who stays.
public final class CPayExtGatewayHotelPassenger: CPayConfidential {
    /// The number by which stays name them.
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
