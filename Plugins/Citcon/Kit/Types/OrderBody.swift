import CitconProvider
import PaymentCore

/// The bodies of `charges` and `charges/{token}`: one model for both.
extension CPayRequest {
    /// The JSON body of the order, without the members that stay on the device and without the charge token.
    var body: JSONValue {
        var body = BodyWriter()
        body.write("internal", `internal`.map { JSONValue.bool($0) })
        body.write("transaction", transaction.body)
        body.write("consumer", consumer?.body)
        body.write("payment", payment?.body)
        body.write("goods", goods?.body)
        body.write("installments", installments?.body)
        body.write("urls", urls.body)
        body.write("ext", ext?.body)
        return body.object ?? [:]
    }
}

extension CPayTransaction {
    var body: JSONValue? {
        var body = BodyWriter()
        body["reference"] = reference
        body.write("amount", amount)
        body["currency"] = currency
        body["country"] = country
        body.write("auto_capture", autoCapture)
        body["note"] = note
        body["vertical"] = vertical
        return body.object
    }
}

extension CPayConsumer {
    var body: JSONValue? {
        var body = BodyWriter()
        body["reference"] = reference
        body["first_name"] = firstName
        body["last_name"] = lastName
        body["phone"] = phone
        body["email"] = email
        body["street"] = street
        body["city"] = city
        body["zip"] = zip
        body["country"] = country
        body.write("registration_time", registrationTime)
        body["registration_ip"] = registrationIp
        body["risk_level"] = riskLevel
        body.write("first_interaction_time", firstInteractionTime)
        body.write("total_transaction_count", totalTransactionCount)
        return body.object
    }
}

extension CPayPayment {
    var body: JSONValue? {
        var body = BodyWriter()
        body["method"] = method
        body["indicator"] = indicator
        body.write("request_token", requestToken)
        body["token"] = token
        body.write("expiry", expiry)
        body["format"] = format
        let given = client ?? []
        let clients = given.contains(Order.nativeClient) ? given : given + [Order.nativeClient]
        body.write("client", JSONValue.array(clients.map { .string($0) }))
        body["nonce"] = nonce
        body.write("data", data?.body)
        body.write("billing_address", billingAddress?.body)
        return body.object
    }
}

extension CPayPaymentData {
    var body: JSONValue? {
        var body = BodyWriter()
        body["issuer"] = issuer
        body["pan"] = pan
        body["first_name"] = firstName
        body["last_name"] = lastName
        body["cvv"] = cvv
        body["expiry"] = expiry
        return body.object
    }
}

extension CPayBillingAddr {
    var body: JSONValue? {
        var body = BodyWriter()
        body["street"] = street
        body["street2"] = street2
        body["city"] = city
        body["state"] = state
        body["zip"] = zip
        body["country"] = country
        return body.object
    }
}

extension CPayUrls {
    var body: JSONValue? {
        var body = BodyWriter()
        body["ipn"] = ipn
        body["success"] = success
        body["cancel"] = cancel
        body["fail"] = fail
        body["mobile"] = mobile
        return body.object
    }
}

extension CPayInstallments {
    var body: JSONValue? {
        var body = BodyWriter()
        body["id"] = id
        body.write("payment_number", paymentNumber.flatMap(Self.number))
        body.write("quantity", quantity.map(Int.init))
        return body.object
    }
    /// Returns whole numbers without a fraction, as the vendor's encoder writes them, and nil for NaN and infinities.
    private static func number(_ value: Double) -> JSONValue? {
        if let whole = Int(exactly: value) { return .number(JSONNumber(whole)) }
        return value.isFinite ? try? JSONValue(parsing: "\(value)") : nil
    }
}

// MARK: - Goods and devices

extension CPayGoods {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("data", goods.map { .array($0.map { $0.body ?? [:] }) })
        body.write("shipping", shipping?.body)
        return body.object
    }
}

extension CPayProduct {
    var body: JSONValue? {
        var body = BodyWriter()
        body["name"] = name
        body["sku"] = sku
        body["url"] = url
        body["category"] = category
        body["product_type"] = productType
        body["description"] = desc
        body["total_discount_code"] = totalDiscountCode
        body.write("quantity", quantity)
        body.write("total_amount", totalAmount)
        body.write("unit_amount", unitAmount)
        body.write("total_tax_rate", totalTaxRate)
        body.write("total_tax_amount", totalTaxAmount)
        body.write("total_discount_amount", totalDiscountAmount)
        body.write("taxable_amount", taxableAmount)
        body.write("tax_exempt_amount", taxExemptAmount)
        body.write("unit_tax_amount", unitTaxAmount)
        return body.object
    }
}

extension CPayShipping {
    var body: JSONValue? {
        var body = BodyWriter()
        body["first_name"] = firstName
        body["last_name"] = lastName
        body["phone"] = phone
        body["email"] = email
        body["street"] = street
        body["street2"] = street2
        body["city"] = city
        body["state"] = state
        body["zip"] = zip
        body["country"] = country
        body["type"] = type
        body.write("amount", amount)
        return body.object
    }
}

extension CPayExt {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("transaction", transaction?.body)
        body.write("device", device?.body)
        body.write("app", app?.body)
        body.write("gateway", gateway?.body)
        return body.object
    }
}

extension CPayExtTransaction {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("receipt", BodyWriter { $0["type"] = receipt?.type }.object)
        body["metadata"] = metadata
        return body.object
    }
}

extension CPayExtDevice {
    var body: JSONValue? {
        var body = BodyWriter()
        body["ip"] = ip
        body["os"] = os
        body["os_version"] = osVersion
        body["model"] = model
        body["fingerprint"] = fingerprint
        return body.object
    }
}

extension CPayExtApp {
    var body: JSONValue? {
        var body = BodyWriter()
        body["app_name"] = appName
        body["version"] = version
        body["source"] = source
        body["bundle_id"] = bundleId
        body["sdk_version"] = sdkVersion
        return body.object
    }
}

// MARK: - Gateways

extension CPayExtGateway {
    var body: JSONValue? {
        var body = BodyWriter()
        body["order_id"] = orderId
        body["order_payer_id"] = orderPayerId
        body["order_payment_id"] = orderPaymentId
        body["order_payment_source"] = orderPaymentSource
        body["authorization_token"] = authorizationToken
        body.write("grant", grant?.body)
        body.write("consumer", consumer?.body)
        body.write("flight", list(flight, \.body))
        body.write("car", list(car, \.body))
        body.write("hotel", list(hotel, \.body))
        body.write("trip", list(trip, \.body))
        return body.object
    }
}

extension CPayExtGatewayGrant {
    var body: JSONValue? {
        var body = BodyWriter()
        body["grant_id"] = grantId
        body["expiry"] = expiry
        return body.object
    }
}

extension CPayExtGatewayConsumer {
    var body: JSONValue? {
        var body = BodyWriter()
        body["consumer_id"] = consumerId
        body["cashtag"] = cashtag
        return body.object
    }
}

/// Returns a list whose empty elements keep their place: others refer to them by index.
private func list<Element>(_ elements: [Element]?, _ body: (Element) -> JSONValue?) -> JSONValue? {
    elements.map { .array($0.map { body($0) ?? [:] }) }
}

// MARK: What several journeys have

private protocol TravelInsurance {
    var insuranceCompany: String? { get }
    var insuranceType: String? { get }
    var insurancePrice: Int? { get }
}

extension TravelInsurance {
    fileprivate var body: JSONValue? {
        var body = BodyWriter()
        body["insurance_company"] = insuranceCompany
        body["insurance_type"] = insuranceType
        body.write("insurance_price", insurancePrice)
        return body.object
    }
}

extension CPayExtGatewayFlightInsurance: TravelInsurance {}
extension CPayExtGatewayCarInsurance: TravelInsurance {}
extension CPayExtGatewayHotelInsurance: TravelInsurance {}

private protocol Traveller {
    var id: Int? { get }
    var title: String? { get }
    var firstName: String? { get }
    var lastName: String? { get }
}

extension Traveller {
    fileprivate var body: JSONValue? {
        var body = BodyWriter()
        body.write("id", id)
        body["title"] = title
        body["first_name"] = firstName
        body["last_name"] = lastName
        return body.object
    }
}

extension CPayExtGatewayFlightPassenger: Traveller {}
extension CPayExtGatewayCarDriver: Traveller {}
extension CPayExtGatewayHotelPassenger: Traveller {}

private protocol TravelPlace {
    var streetAddress: String? { get }
    var postalCode: String? { get }
    var city: String? { get }
    var country: String? { get }
}

extension TravelPlace {
    fileprivate var body: JSONValue? {
        var body = BodyWriter()
        body["street_address"] = streetAddress
        body["postal_code"] = postalCode
        body["city"] = city
        body["country"] = country
        return body.object
    }
}

extension CPayExtGatewayCarLocation: TravelPlace {}
extension CPayExtGatewayHotelAddress: TravelPlace {}

// MARK: Journeys

extension CPayExtGatewayFlight {
    var body: JSONValue? {
        var body = BodyWriter()
        body["pnr"] = pnr
        body.write("itinerary", list(itinerary, \.body))
        body.write("insurance", list(insurance, \.body))
        body.write("passengers", list(passengers, \.body))
        body["affiliate_name"] = affiliateName
        return body.object
    }
}

extension CPayExtGatewayFlightItinerary {
    var body: JSONValue? {
        var body = BodyWriter()
        body["departure"] = departure
        body["departure_city"] = departureCity
        body["arrival"] = arrival
        body["arrival_city"] = arrivalCity
        body["carrier"] = carrier
        body.write("segment_price", segmentPrice)
        body["departure_date"] = departureDate
        body["ticket_delivery_method"] = ticketDeliveryMethod
        body["ticket_delivery_recipient"] = ticketDeliveryRecipient
        body.write("passenger_id", list(passengerId) { .number(JSONNumber($0)) })
        body["class"] = clasName
        return body.object
    }
}

extension CPayExtGatewayCar {
    var body: JSONValue? {
        var body = BodyWriter()
        body["pnr"] = pnr
        body.write("car_rental_itinerary", list(carRentalItinerary, \.body))
        body.write("insurance", list(insurance, \.body))
        body.write("drivers", list(drivers, \.body))
        body["affiliate_name"] = affiliateName
        return body.object
    }
}

extension CPayExtGatewayCarItinerary {
    var body: JSONValue? {
        var body = BodyWriter()
        body["rental_company"] = rentalCompany
        body.write("driver_id", list(driverId) { .number(JSONNumber($0)) })
        body.write("pick_up_location", pickUpLocation?.body)
        body.write("drop_off_location", dropOffLocation?.body)
        body["start_time"] = startTime
        body["end_time"] = endTime
        body.write("car_price", carPrice)
        body["class"] = clasName
        return body.object
    }
}

extension CPayExtGatewayHotel {
    var body: JSONValue? {
        var body = BodyWriter()
        body["pnr"] = pnr
        body.write("hotel_itinerary", list(hotelItinerary, \.body))
        body.write("insurance", list(insurance, \.body))
        body.write("passengers", list(passengers, \.body))
        body["affiliate_name"] = affiliateName
        return body.object
    }
}

extension CPayExtGatewayHotelItinerary {
    var body: JSONValue? {
        var body = BodyWriter()
        body["hotel_name"] = hotelName
        body.write("address", address?.body)
        body["start_time"] = startTime
        body["end_time"] = endTime
        body.write("number_of_rooms", numberOfRooms)
        body.write("passenger_id", list(passengerId) { .number(JSONNumber($0)) })
        body["ticket_delivery_method"] = ticketDeliveryMethod
        body["ticket_delivery_recipient"] = ticketDeliveryRecipient
        body.write("hotel_price", hotelPrice)
        body["class"] = clasName
        return body.object
    }
}

extension CPayExtGatewayTrip {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("trip_itinerary", tripItinerary?.body)
        body.write("trip_passengers", list(tripPassengers, \.body))
        body.write("min_age", minAge)
        body.write("max_age", maxAge)
        body.write("services", list(services, \.body))
        body["affiliate_name"] = affiliateName
        return body.object
    }
}

extension CPayExtGatewayTripItinerary {
    var body: JSONValue? {
        var body = BodyWriter()
        body["initial_country"] = initialCountry
        body["initial_city"] = initialCity
        body["final_country"] = finalCountry
        body["final_city"] = finalCity
        body["start_time"] = startTime
        body["end_time"] = endTime
        return body.object
    }
}

extension CPayExtGatewayTripPassenger {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("id", id)
        body["first_name"] = firstName
        body["last_name"] = lastName
        body["birth_date"] = birthDate
        body["email"] = email
        body["unique_id"] = uniqueId
        body["main_passenger"] = mainPassenger
        return body.object
    }
}

extension CPayExtGatewayTripServices {
    var body: JSONValue? {
        var body = BodyWriter()
        body["travel_insurance"] = travelInsurance
        body["hotel"] = hotel
        body["flight"] = flight
        body["cancelation_service"] = cancelationService
        body["shared_room"] = sharedRoom
        return body.object
    }
}
