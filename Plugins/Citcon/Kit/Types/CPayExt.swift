/// More about the transaction, the device and the gateway. In the vendor's SDK, not in its guide.
public final class CPayExt: CPayConfidential {
    /// More about the transaction.
    public var transaction: CPayExtTransaction?
    /// The device.
    public var device: CPayExtDevice?
    /// The application; known from later releases.
    public var app: CPayExtApp?
    /// The gateway's data for confirmation; known from later releases.
    public var gateway: CPayExtGateway?

    /// Creates an empty value.
    public init() {}
}

/// More about the transaction.
public final class CPayExtTransaction: CPayConfidential {
    /// The receipt that Korean payers may ask for.
    public var receipt: CPayExtReceipt?
    /// Free text of the merchant; known from later releases.
    public var metadata: String?

    /// Creates an empty value.
    public init() {}
}

/// A Korean cash receipt.
public final class CPayExtReceipt: CPayConfidential {
    /// `income_deduction`, `expense_proof` or `not_issued`.
    public var type: String?

    /// Creates an empty value.
    public init() {}
}

/// The name that the vendor's SDK has for ``CPayExtReceipt``.
public typealias CPayExtTransactionReceipt = CPayExtReceipt

/// The device. Cards through Fomo need its address.
public final class CPayExtDevice: CPayConfidential {
    /// The IP address.
    public var ip: String?
    /// The operating system.
    public var os: String?
    /// The operating system's version. Known from later releases, as are the two that follow.
    public var osVersion: String?
    /// The device model.
    public var model: String?
    /// A value that distinguishes the device from others.
    public var fingerprint: String?

    /// Creates an empty value.
    public init() {}
}

/// The application.
public final class CPayExtApp: CPayConfidential {
    /// The name. On the wire it is called `app_name`.
    public var appName: String?
    /// The version.
    public var version: String?
    /// The source of the application.
    public var source: String?
    /// The bundle id.
    public var bundleId: String?
    /// The version of the SDK in the application.
    public var sdkVersion: String?

    /// Creates an empty value.
    public init() {}
}

extension CPayExtApp {
    // The vendor's own spelling, of these two alone.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// ``bundleId``, as the vendor's SDK spells it.
    public var bundle_id: String? {
        get { bundleId }
        set { bundleId = newValue }
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// ``sdkVersion``, as the vendor's SDK spells it.
    public var sdk_version: String? {
        get { sdkVersion }
        set { sdkVersion = newValue }
    }
}

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

// MARK: - Journeys

// Journeys in Klarna's form: known from release 2.5.0 of the vendor's SDK on, not in its guide. Their units are not
// documented. The vendor's demonstration writes prices as whole numbers. Nil members are not sent.

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
    /// The passenger's number in a flight's ``CPayExtGatewayFlightItinerary/passengerId``.
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
    /// The driver's number in a car's ``CPayExtGatewayCarItinerary/driverId``.
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
    /// The guest's number in a stay's ``CPayExtGatewayHotelItinerary/passengerId``.
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
