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
