import PaymentCore
import Testing

@testable import CitconKit

/// Journeys and instalments, which are known from later releases of the vendor's SDK.
@Suite struct TravelWireTests {
    private func gateway(_ set: (CPayExtGateway) -> Void) -> JSONValue? {
        let order = CPayRequest()
        order.ext = CPayExt()
        let gateway = CPayExtGateway()
        set(gateway)
        order.ext?.gateway = gateway
        return order.body["ext"]?["gateway"]
    }

    @Test("A flight, with whom it names by number")
    func flight() throws {
        let flight = CPayExtGatewayFlight()
        flight.pnr = "P1"
        let segment = CPayExtGatewayFlightItinerary()
        segment.departure = "AMS"
        segment.departureDate = "2025-12-25T08:00:00Z"
        segment.segmentPrice = 2000
        segment.passengerId = [1, 2]
        segment.clasName = "business"
        flight.itinerary = [segment]
        let insurance = CPayExtGatewayFlightInsurance()
        insurance.insuranceType = "cancellation"
        flight.insurance = [insurance]
        let passenger = CPayExtGatewayFlightPassenger()
        passenger.id = 1
        passenger.firstName = "Ada"
        // Empty elements keep their place.
        flight.passengers = [passenger, CPayExtGatewayFlightPassenger()]
        flight.affiliateName = "A"
        let expected = #"""
            {"flight":[{"pnr":"P1","itinerary":[{"departure":"AMS","departure_date":"2025-12-25T08:00:00Z",
            "segment_price":2000,"passenger_id":[1,2],"class":"business"}],
            "insurance":[{"insurance_type":"cancellation"}],"passengers":[{"id":1,"first_name":"Ada"},{}],
            "affiliate_name":"A"}]}
            """#
        #expect(gateway { $0.flight = [flight] } == (try JSONValue(parsing: expected)))
    }

    @Test("Cars, stays and journeys")
    func others() throws {
        let car = CPayExtGatewayCar()
        let hire = CPayExtGatewayCarItinerary()
        hire.driverId = [7]
        hire.pickUpLocation = CPayExtGatewayCarLocation()
        hire.pickUpLocation?.postalCode = "1011"
        hire.clasName = "economy"
        car.carRentalItinerary = [hire]
        let hotel = CPayExtGatewayHotel()
        let stay = CPayExtGatewayHotelItinerary()
        stay.numberOfRooms = 2
        stay.address = CPayExtGatewayHotelAddress()
        stay.address?.country = "GB"
        hotel.hotelItinerary = [stay]
        let trip = CPayExtGatewayTrip()
        trip.tripItinerary = CPayExtGatewayTripItinerary()
        trip.tripItinerary?.initialCountry = "France"
        trip.minAge = 3
        let services = CPayExtGatewayTripServices()
        services.cancelationService = "true"
        trip.services = [services]
        let traveller = CPayExtGatewayTripPassenger()
        traveller.mainPassenger = "true"
        traveller.birthDate = "1980-05-10"
        trip.tripPassengers = [traveller]
        let expected = #"""
            {"car":[{"car_rental_itinerary":[{"driver_id":[7],"pick_up_location":{"postal_code":"1011"},
            "class":"economy"}]}],
            "hotel":[{"hotel_itinerary":[{"number_of_rooms":2,"address":{"country":"GB"}}]}],
            "trip":[{"trip_itinerary":{"initial_country":"France"},"min_age":3,
            "services":[{"cancelation_service":"true"}],
            "trip_passengers":[{"main_passenger":"true","birth_date":"1980-05-10"}]}]}
            """#
        let found = gateway {
            $0.car = [car]
            $0.hotel = [hotel]
            $0.trip = [trip]
        }
        #expect(found == (try JSONValue(parsing: expected)))
    }

    @Test("Instalments are numbers, whole ones without a fraction; what is no number is not sent")
    func installments() throws {
        for (number, text) in [(2, "2"), (2.5, "2.5"), (-0.0, "0"), (1e300, "1e+300")] as [(Double, String)] {
            let order = CPayRequest()
            order.installments = CPayInstallments()
            order.installments?.paymentNumber = number
            #expect(order.body["installments"]?["payment_number"] == (try JSONValue(parsing: text)))
        }
        let order = CPayRequest()
        order.installments = CPayInstallments()
        order.installments?.paymentNumber = .nan
        #expect(order.body["installments"] == nil)
    }

    @Test("The application's client id at PayPal goes before the service's, and for PayPal alone")
    func payPal() async throws {
        for (method, expected) in [("paypal", "mine"), ("venmo", "theirs")] {
            let order = Shop.order(method)
            order.paypalClientId = "mine"
            let service = ScriptedCitcon { call, _ in
                call == "POST config"
                    ? .ok(#"{"gateway":"braintree","config":{"client_id":"theirs"}}"#)
                    : .ok(ScriptedCitcon.transaction("initiated"))
            }
            let heard = Heard()
            let client = try CPayClient(service) { launch in
                if case .consent(let request) = launch {
                    heard.add(request.payload.reveal()["client_id"] ?? "none")
                }
                return .impossible(reason: "that was all")
            }
            _ = await client.requestOrder(order)
            #expect(heard.all == [expected])
        }
    }
}
