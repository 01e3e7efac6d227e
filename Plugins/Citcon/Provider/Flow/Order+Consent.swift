package import PaymentCore

/// A token of the payer's consent at a gateway, held until it is sent with the confirmation. Never stored.
package struct Consent: Sendable, Hashable {
    /// Braintree's nonce, Cash App's grant or PayPal's order.
    package let value: Redacted<String>
    /// The further values from the gateway's library, by the names of the service.
    package let details: Redacted<[String: String]>

    package init(_ value: Redacted<String>, details: [String: String] = [:]) {
        self.value = value
        self.details = Redacted(details)
    }
}

extension Order {
    /// Returns true if the order lacks the payer's consent. A card's number or a stored token counts as consent.
    package func lacksConsent(for handler: GatewayHandler) -> Bool {
        let body = body.reveal()
        let (payment, gateway) = (body["payment"], body["ext"]?["gateway"])
        func lacks(_ values: JSONValue?...) -> Bool { values.allSatisfy { $0?.string?.isEmpty ?? true } }
        switch handler {
        case .braintree: return lacks(payment?["nonce"], payment?["data"]?["pan"], payment?["token"])
        case .cashApp: return lacks(gateway?["grant"]?["grant_id"], payment?["token"])
        case .payPal: return lacks(gateway?["order_id"], payment?["token"])
        default: return false
        }
    }

    /// Returns the order with the payer's consent in the gateway's members (Protocol 2.4.2).
    package func adding(_ consent: Consent, from handler: GatewayHandler) -> Order {
        var order = self
        var body = body.reveal()
        let value = JSONValue.string(consent.value.reveal())
        let details = consent.details.reveal()
        func members(_ names: String...) -> JSONValue? {
            BodyWriter { for name in names { $0[name] = details[name] } }.object
        }
        switch handler {
        case .cashApp:
            var grant = members("expiry") ?? [:]
            grant["grant_id"] = value
            body.write(grant, at: ["ext", "gateway", "grant"])
            if let consumer = members("consumer_id", "cashtag") {
                body.write(consumer, at: ["ext", "gateway", "consumer"])
            }
        case .payPal:
            body.write(value, at: ["ext", "gateway", "order_id"])
            if let payer = details["order_payer_id"] {
                body.write(.string(payer), at: ["ext", "gateway", "order_payer_id"])
            }
        default:
            body.write(value, at: ["payment", "nonce"])
            body.write("braintree", at: ["payment", "indicator"])
        }
        order.body = Redacted(body)
        return order
    }

    /// Checks the values that the gateway's own library needs, before it is started.
    package func check(_ config: GatewayConfig, for handler: GatewayHandler) throws(OrderError) {
        let named = config.keys.reveal()["client_id"] ?? ""
        switch handler {
        case .cashApp where named.isEmpty: throw OrderError(VendorText.noCashAppKeys)
        case .payPal where (payPalClientID ?? named).isEmpty: throw OrderError(VendorText.noPayPalClient)
        default: break
        }
    }

    /// Returns the request that starts a gateway's own library before the charge is confirmed.
    package func consentRequest(
        _ config: GatewayConfig, _ handler: GatewayHandler, _ places: CitconConfiguration.ReturnPlaces
    ) -> AppRequest {
        var payload = config.keys.reveal()
        let body = body.reveal()
        if method == "paypal" || handler == .payPal, let payPalClientID { payload["client_id"] = payPalClientID }
        if handler == .cashApp {
            // The grant's scope: one payment or later ones too, and its grantee.
            payload["on_file"] = body["payment"]?["request_token"]?.bool == true ? "true" : "false"
            payload["scope_id"] = payload["brand_id"] ?? payload["merchant_id"]
        }
        payload["method"] = method
        payload["amount"] = amount.map(String.init)
        payload["currency"] = currency
        payload["country"] = country
        payload["request_3d_secure"] = wants3DSecure ? "true" : "false"
        for (prefix, part) in [("consumer", body["consumer"]), ("billing", body["payment"]?["billing_address"])] {
            for (name, value) in part?.object ?? [:] { payload["\(prefix)_\(name)"] = value.string }
        }
        return AppRequest(
            name: handler.appName ?? method ?? "", url: nil, payload: Redacted(payload),
            returnURLs: places.urls(of: handler.source))
    }
}

extension Order {
    /// True if a page is requested. An order from a link can start nothing else.
    package var wantsPage: Bool {
        let payment = body.reveal()["payment"]
        let clients = (payment?["client"]?.array ?? []).compactMap(\.string)
        return isFromLink || payment?["format"] == "redirect" || clients.contains { $0 != Self.nativeClient }
    }

    /// The order with a request for a page alone: this library does not start the method's own view and cannot use its
    /// payload.
    package var askingForPage: Order {
        var order = self
        var body = body.reveal()
        body.write(["mobile_browser"], at: ["payment", "client"])
        body.write("redirect", at: ["payment", "format"])
        order.body = Redacted(body)
        return order
    }
}

extension JSONValue {
    /// Writes a value at a path of nested members, creating the objects in between.
    fileprivate mutating func write(_ value: JSONValue, at path: [String]) {
        guard let name = path.first else {
            self = value
            return
        }
        var member = self[name] ?? [:]
        member.write(value, at: Array(path.dropFirst()))
        self[name] = member
    }
}
