// Journeys in Klarna's form: known from release 2.5.0 of the vendor's SDK on, not in its guide. Their units are not
// documented; the vendor's demonstration writes prices as whole numbers. Nil members are not sent.

/// A booking of cars.
public final class CPayExtGatewayCar: CPayConfidential {
    /// The booking's number.
    public var pnr: String?
    /// The cars.
    public var carRentalItinerary: [CPayExtGatewayCarItinerary]?
    /// The insurance.
    public var insurance: [CPayExtGatewayCarInsurance]?
    /// The drivers.
    public var drivers: [CPayExtGatewayCarDriver]?
    /// The seller.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// One car.
public final class CPayExtGatewayCarItinerary: CPayConfidential {
    /// The rental company.
    public var rentalCompany: String?
    /// The ids of the drivers.
    public var driverId: [Int]?
    /// The place of collection.
    public var pickUpLocation: CPayExtGatewayCarLocation?
    /// The place of return.
    public var dropOffLocation: CPayExtGatewayCarLocation?
    /// The start: `2025-12-25T08:00:00Z`.
    public var startTime: String?
    /// The end, in the same format.
    public var endTime: String?
    /// The price.
    public var carPrice: Int?
    /// The class. On the wire it is called `class`.
    public var clasName: String?

    /// Creates an empty value.
    public init() {}
}

/// A location of a rental company.
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
    /// The insurer.
    public var insuranceCompany: String?
    /// The insured risk.
    public var insuranceType: String?
    /// The price.
    public var insurancePrice: Int?

    /// Creates an empty value.
    public init() {}
}

/// A driver.
public final class CPayExtGatewayCarDriver: CPayConfidential {
    /// The number by which a car's ``CPayExtGatewayCarItinerary/driverId`` refers to the driver.
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
    /// The guests.
    public var passengers: [CPayExtGatewayHotelPassenger]?
    /// The seller.
    public var affiliateName: String?

    /// Creates an empty value.
    public init() {}
}

/// One stay.
public final class CPayExtGatewayHotelItinerary: CPayConfidential {
    /// The hotel.
    public var hotelName: String?
    /// The hotel's address.
    public var address: CPayExtGatewayHotelAddress?
    /// The start: `2025-12-25T08:00:00Z`.
    public var startTime: String?
    /// The end, in the same format.
    public var endTime: String?
    /// The number of rooms.
    public var numberOfRooms: Int?
    /// The ids of the guests.
    public var passengerId: [Int]?
    /// The means of delivery of the voucher, such as `email`.
    public var ticketDeliveryMethod: String?
    /// The recipient of the voucher.
    public var ticketDeliveryRecipient: String?
    /// The price.
    public var hotelPrice: Int?
    /// The kind of room. On the wire it is called `class`.
    public var clasName: String?

    /// Creates an empty value.
    public init() {}
}

/// The address of a hotel.
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
    /// The insurer.
    public var insuranceCompany: String?
    /// The insured risk.
    public var insuranceType: String?
    /// The price.
    public var insurancePrice: Int?

    /// Creates an empty value.
    public init() {}
}

/// A guest.
public final class CPayExtGatewayHotelPassenger: CPayConfidential {
    /// The number by which a stay's ``CPayExtGatewayHotelItinerary/passengerId`` refers to the guest.
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
