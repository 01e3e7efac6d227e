package import PaymentCore

/// What stands for a payer's consent at a gateway until it is sent with the confirmation. Never stored.
package struct Consent: Sendable, Hashable {
    /// Braintree's nonce, Cash App's grant or PayPal's order.
    package let value: Redacted<String>
    /// What else the gateway's library tells, by the names of the service.
    package let details: Redacted<[String: String]>

    package init(_ value: Redacted<String>, details: [String: String] = [:]) {
        self.value = value
        self.details = Redacted(details)
    }
}

extension Order {
    /// Whether the order lacks what stands for the payer's consent. A card's number or a stored token is one.
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

    /// The order with the payer's consent, where the gateway's members have it (Protocol 2.4.2).
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

    /// What the gateway's own library cannot do without, before it is started.
    package func check(_ config: GatewayConfig, for handler: GatewayHandler) throws(OrderError) {
        let named = config.keys.reveal()["client_id"] ?? ""
        switch handler {
        case .cashApp where named.isEmpty: throw OrderError(VendorText.noCashAppKeys)
        case .payPal where (payPalClientID ?? named).isEmpty: throw OrderError(VendorText.noPayPalClient)
        default: break
        }
    }

    /// What a gateway's own library is started with before the charge is confirmed.
    package func consentRequest(
        _ config: GatewayConfig, _ handler: GatewayHandler, _ places: CitconConfiguration.ReturnPlaces
    ) -> AppRequest {
        var payload = config.keys.reveal()
        let body = body.reveal()
        if method == "paypal" || handler == .payPal, let payPalClientID { payload["client_id"] = payPalClientID }
        if handler == .cashApp {
            // Once, or for later payments too; for whom.
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
    /// Whether a page is asked for. Of an order from a link there is nothing else that can be started.
    package var wantsPage: Bool {
        let payment = body.reveal()["payment"]
        let clients = (payment?["client"]?.array ?? []).compactMap(\.string)
        return isFromLink || payment?["format"] == "redirect" || clients.contains { $0 != Self.nativeClient }
    }

    /// The order as it asks for a page and nothing else: where a method's own view is not started, its payload is of no
    /// use.
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
    /// Writes a member of a member, making the objects on the way.
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
