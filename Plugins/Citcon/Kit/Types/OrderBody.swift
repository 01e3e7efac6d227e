import CitconProvider
import PaymentCore

/// A value in an order's body.
protocol OrderPart {
    /// The value in JSON, or nil if there is none.
    var body: JSONValue? { get }
}

/// A part of an order, as an object of its members that have a value; nil if none has.
protocol OrderObject: OrderPart {
    /// The members, by their names at the service.
    var members: OrderMembers { get }
}

typealias OrderMembers = [String: (any OrderPart)?]

extension OrderObject {
    var body: JSONValue? { JSONValue(members) }
}

extension JSONValue: OrderPart {
    fileprivate init?(_ members: OrderMembers) {
        let given = members.compactMapValues { $0?.body }
        guard !given.isEmpty else { return nil }
        self = .object(given)
    }

    var body: JSONValue? { self }
}

extension String: OrderPart {
    var body: JSONValue? { .string(self) }
}

extension Int: OrderPart {
    var body: JSONValue? { .number(JSONNumber(self)) }
}

extension Bool: OrderPart {
    var body: JSONValue? { .bool(self) }
}

extension Array: OrderPart where Element: OrderPart {
    /// Empty elements keep their place: others refer to them by index.
    var body: JSONValue? { .array(map { $0.body ?? [:] }) }
}

/// The bodies of `charges` and `charges/{token}`: one model for both.
extension CPayRequest {
    /// The JSON body of the order, without the members that stay on the device and without the charge token.
    var body: JSONValue {
        JSONValue([
            "internal": `internal`, "transaction": transaction, "consumer": consumer, "payment": payment,
            "goods": goods, "installments": installments, "urls": urls, "ext": ext,
        ]) ?? [:]
    }
}

extension CPayTransaction: OrderObject {
    var members: OrderMembers {
        [
            "reference": reference, "amount": amount, "currency": currency, "country": country,
            "auto_capture": autoCapture, "note": note, "vertical": vertical,
        ]
    }
}

extension CPayConsumer: OrderObject {
    var members: OrderMembers {
        [
            "reference": reference, "first_name": firstName, "last_name": lastName, "phone": phone, "email": email,
            "street": street, "city": city, "zip": zip, "country": country, "registration_time": registrationTime,
            "registration_ip": registrationIp, "risk_level": riskLevel,
            "first_interaction_time": firstInteractionTime, "total_transaction_count": totalTransactionCount,
        ]
    }
}

extension CPayPayment: OrderObject {
    var members: OrderMembers {
        let given = client ?? []
        let clients = given.contains(Order.nativeClient) ? given : given + [Order.nativeClient]
        return [
            "method": method, "indicator": indicator, "request_token": requestToken, "token": token,
            "expiry": expiry, "format": format, "client": clients,
            "nonce": nonce, "data": data, "billing_address": billingAddress,
        ]
    }
}

extension CPayPaymentData: OrderObject {
    var members: OrderMembers {
        [
            "issuer": issuer, "pan": pan, "first_name": firstName, "last_name": lastName, "cvv": cvv,
            "expiry": expiry,
        ]
    }
}

extension CPayBillingAddr: OrderObject {
    var members: OrderMembers {
        [
            "street": street, "street2": street2, "city": city, "state": state, "zip": zip, "country": country,
        ]
    }
}

extension CPayUrls: OrderObject {
    var members: OrderMembers { ["ipn": ipn, "success": success, "cancel": cancel, "fail": fail, "mobile": mobile] }
}

extension CPayInstallments: OrderObject {
    var members: OrderMembers {
        [
            "id": id, "payment_number": paymentNumber.flatMap(Self.number), "quantity": quantity.map(Int.init),
        ]
    }

    /// Returns whole numbers without a fraction, as the vendor's encoder writes them, and nil for NaN and infinities.
    private static func number(_ value: Double) -> JSONValue? {
        if let whole = Int(exactly: value) { return .number(JSONNumber(whole)) }
        return value.isFinite ? try? JSONValue(parsing: "\(value)") : nil
    }
}

// MARK: - Goods and devices

extension CPayGoods: OrderObject {
    var members: OrderMembers { ["data": goods, "shipping": shipping] }
}

extension CPayProduct: OrderObject {
    var members: OrderMembers {
        [
            "name": name, "sku": sku, "url": url, "category": category, "product_type": productType,
            "description": desc, "total_discount_code": totalDiscountCode, "quantity": quantity,
            "total_amount": totalAmount, "unit_amount": unitAmount, "total_tax_rate": totalTaxRate,
            "total_tax_amount": totalTaxAmount, "total_discount_amount": totalDiscountAmount,
            "taxable_amount": taxableAmount, "tax_exempt_amount": taxExemptAmount, "unit_tax_amount": unitTaxAmount,
        ]
    }
}

extension CPayShipping: OrderObject {
    var members: OrderMembers {
        [
            "first_name": firstName, "last_name": lastName, "phone": phone, "email": email, "street": street,
            "street2": street2, "city": city, "state": state, "zip": zip, "country": country, "type": type,
            "amount": amount,
        ]
    }
}

extension CPayExt: OrderObject {
    var members: OrderMembers { ["transaction": transaction, "device": device, "app": app, "gateway": gateway] }
}

extension CPayExtTransaction: OrderObject {
    var members: OrderMembers { ["receipt": receipt, "metadata": metadata] }
}

extension CPayExtReceipt: OrderObject {
    var members: OrderMembers { ["type": type] }
}

extension CPayExtDevice: OrderObject {
    var members: OrderMembers {
        [
            "ip": ip, "os": os, "os_version": osVersion, "model": model, "fingerprint": fingerprint,
        ]
    }
}

extension CPayExtApp: OrderObject {
    var members: OrderMembers {
        [
            "app_name": appName, "version": version, "source": source, "bundle_id": bundleId,
            "sdk_version": sdkVersion,
        ]
    }
}

// MARK: - Gateways

extension CPayExtGateway: OrderObject {
    var members: OrderMembers {
        [
            "order_id": orderId, "order_payer_id": orderPayerId, "order_payment_id": orderPaymentId,
            "order_payment_source": orderPaymentSource, "authorization_token": authorizationToken, "grant": grant,
            "consumer": consumer, "flight": flight, "car": car, "hotel": hotel, "trip": trip,
        ]
    }
}

extension CPayExtGatewayGrant: OrderObject {
    var members: OrderMembers { ["grant_id": grantId, "expiry": expiry] }
}

extension CPayExtGatewayConsumer: OrderObject {
    var members: OrderMembers { ["consumer_id": consumerId, "cashtag": cashtag] }
}

// MARK: What several journeys have

protocol TravelInsurance: OrderObject {
    var insuranceCompany: String? { get }
    var insuranceType: String? { get }
    var insurancePrice: Int? { get }
}

extension TravelInsurance {
    var members: OrderMembers {
        [
            "insurance_company": insuranceCompany, "insurance_type": insuranceType,
            "insurance_price": insurancePrice,
        ]
    }
}

extension CPayExtGatewayFlightInsurance: TravelInsurance {}
extension CPayExtGatewayCarInsurance: TravelInsurance {}
extension CPayExtGatewayHotelInsurance: TravelInsurance {}

protocol Traveller: OrderObject {
    var id: Int? { get }
    var title: String? { get }
    var firstName: String? { get }
    var lastName: String? { get }
}

extension Traveller {
    var members: OrderMembers { ["id": id, "title": title, "first_name": firstName, "last_name": lastName] }
}

extension CPayExtGatewayFlightPassenger: Traveller {}
extension CPayExtGatewayCarDriver: Traveller {}
extension CPayExtGatewayHotelPassenger: Traveller {}

protocol TravelPlace: OrderObject {
    var streetAddress: String? { get }
    var postalCode: String? { get }
    var city: String? { get }
    var country: String? { get }
}

extension TravelPlace {
    var members: OrderMembers {
        [
            "street_address": streetAddress, "postal_code": postalCode, "city": city, "country": country,
        ]
    }
}

extension CPayExtGatewayCarLocation: TravelPlace {}
extension CPayExtGatewayHotelAddress: TravelPlace {}

// MARK: Journeys

extension CPayExtGatewayFlight: OrderObject {
    var members: OrderMembers {
        [
            "pnr": pnr, "itinerary": itinerary, "insurance": insurance, "passengers": passengers,
            "affiliate_name": affiliateName,
        ]
    }
}

extension CPayExtGatewayFlightItinerary: OrderObject {
    var members: OrderMembers {
        [
            "departure": departure, "departure_city": departureCity, "arrival": arrival, "arrival_city": arrivalCity,
            "carrier": carrier, "segment_price": segmentPrice, "departure_date": departureDate,
            "ticket_delivery_method": ticketDeliveryMethod, "ticket_delivery_recipient": ticketDeliveryRecipient,
            "passenger_id": passengerId, "class": clasName,
        ]
    }
}

extension CPayExtGatewayCar: OrderObject {
    var members: OrderMembers {
        [
            "pnr": pnr, "car_rental_itinerary": carRentalItinerary, "insurance": insurance, "drivers": drivers,
            "affiliate_name": affiliateName,
        ]
    }
}

extension CPayExtGatewayCarItinerary: OrderObject {
    var members: OrderMembers {
        [
            "rental_company": rentalCompany, "driver_id": driverId, "pick_up_location": pickUpLocation,
            "drop_off_location": dropOffLocation, "start_time": startTime, "end_time": endTime,
            "car_price": carPrice, "class": clasName,
        ]
    }
}

extension CPayExtGatewayHotel: OrderObject {
    var members: OrderMembers {
        [
            "pnr": pnr, "hotel_itinerary": hotelItinerary, "insurance": insurance, "passengers": passengers,
            "affiliate_name": affiliateName,
        ]
    }
}

extension CPayExtGatewayHotelItinerary: OrderObject {
    var members: OrderMembers {
        [
            "hotel_name": hotelName, "address": address, "start_time": startTime, "end_time": endTime,
            "number_of_rooms": numberOfRooms, "passenger_id": passengerId,
            "ticket_delivery_method": ticketDeliveryMethod, "ticket_delivery_recipient": ticketDeliveryRecipient,
            "hotel_price": hotelPrice, "class": clasName,
        ]
    }
}

extension CPayExtGatewayTrip: OrderObject {
    var members: OrderMembers {
        [
            "trip_itinerary": tripItinerary, "trip_passengers": tripPassengers, "min_age": minAge, "max_age": maxAge,
            "services": services, "affiliate_name": affiliateName,
        ]
    }
}

extension CPayExtGatewayTripItinerary: OrderObject {
    var members: OrderMembers {
        [
            "initial_country": initialCountry, "initial_city": initialCity, "final_country": finalCountry,
            "final_city": finalCity, "start_time": startTime, "end_time": endTime,
        ]
    }
}

extension CPayExtGatewayTripPassenger: OrderObject {
    var members: OrderMembers {
        [
            "id": id, "first_name": firstName, "last_name": lastName, "birth_date": birthDate, "email": email,
            "unique_id": uniqueId, "main_passenger": mainPassenger,
        ]
    }
}

extension CPayExtGatewayTripServices: OrderObject {
    var members: OrderMembers {
        [
            "travel_insurance": travelInsurance, "hotel": hotel, "flight": flight,
            "cancelation_service": cancelationService, "shared_room": sharedRoom,
        ]
    }
}
