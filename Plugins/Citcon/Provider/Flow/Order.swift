package import PaymentCore

/// One order in flight: a copy of the caller's values, ready to be sent.
package struct Order: Sendable {
    /// The client kind of an application. The service makes launch payloads for it.
    package static let nativeClient = "mobile_native"

    package let method: String?
    package let reference: String?
    package let amount: Int?
    package let currency: String?
    package let country: String?
    package let chargeToken: Redacted<String>?
    package let consumer: Redacted<String>?
    package let scheme: String?
    package let universalLink: String?
    package let unionPayMode: String?
    package let wants3DSecure: Bool
    /// The merchant's client id at PayPal, if the application overrides the service's.
    package let payPalClientID: String?
    /// The merchant's addresses that pages lead to.
    package let pages: Set<String>
    /// True if only the charge has the rest of the order.
    package let isFromLink: Bool
    /// The body of the confirmation.
    package var body: Redacted<JSONValue>

    /// Creates an order made by an application.
    ///
    /// - Parameters:
    ///   - pages: the merchant's addresses that pages lead to.
    ///   - body: the body of the confirmation.
    package init(
        method: String?, reference: String?, amount: Int?, currency: String?, country: String?,
        chargeToken: Redacted<String>?, consumer: Redacted<String>?, scheme: String?, universalLink: String?,
        unionPayMode: String?, wants3DSecure: Bool, payPalClientID: String? = nil, pages: Set<String>, body: JSONValue
    ) {
        self.method = method
        self.reference = reference
        self.amount = amount
        self.currency = currency
        self.country = country
        self.chargeToken = chargeToken
        self.consumer = consumer
        self.scheme = scheme
        self.universalLink = universalLink
        self.unionPayMode = unionPayMode
        self.wants3DSecure = wants3DSecure
        self.payPalClientID = payPalClientID
        self.pages = pages
        isFromLink = false
        self.body = Redacted(body)
    }

    /// Creates an order from a link. It does not repeat the other values of the charge that the merchant's server made.
    package init(_ link: CitconOrderLink, _ application: CitconConfiguration.Application) {
        method = link.method
        reference = link.reference
        amount = Int(exactly: link.amount.minorUnits)
        currency = link.amount.currency.description
        country = link.country
        chargeToken = link.token
        consumer = link.consumer
        scheme = application.scheme
        universalLink = application.universalLink
        unionPayMode = link.mode == .PROD ? "00" : "01"
        wants3DSecure = false
        payPalClientID = nil
        isFromLink = true
        pages = application.places.pages
        var body: JSONValue = [
            "transaction": [
                "reference": .string(link.reference), "currency": .string(link.amount.currency.description),
                "country": .string(link.country),
            ],
            "payment": [
                "method": .string(link.method), "request_token": false,
                "client": [.string(Order.nativeClient)],
            ],
        ]
        body["transaction"]?["amount"] = amount.map { .number(JSONNumber($0)) }
        if let consumer { body["consumer"] = ["reference": .string(consumer.reveal())] }
        self.body = Redacted(body)
    }

    // MARK: Checks

    /// Checks the requirements of the guide's tables and the known needs of the method, before anything is sent. The
    /// vendor's SDK checks only the method here.
    ///
    /// A link's order need not repeat the other values of the charge that the merchant's server made.
    package func checkAtStart() throws(OrderError) {
        guard let method, !method.isEmpty else { throw OrderError(VendorText.noMethod) }
        guard let token = chargeToken?.reveal(), !token.isEmpty else { throw OrderError(VendorText.noChargeToken) }
        // Both become part of a request's path.
        guard PathSegment.isSafe(token) else { throw OrderError(".chargeToken\(VendorText.notForPaths)") }
        if let reference, !reference.isEmpty, !PathSegment.isSafe(reference) {
            throw OrderError(".transaction.reference\(VendorText.notForPaths)")
        }
        if !isFromLink { try checkTransaction() }
        switch method {
        case "wechatpay": try check(for: .weChat)
        case "alipay": try check(for: .alipay)
        case "upop": try check(for: .unionPay)
        case "card", "paypal", "venmo":
            if wants3DSecure, method == "card" { try checkProof() }
            if usesVault { try demand(consumer?.reveal(), "consumer.reference", "a stored \(method) account") }
        case "cashapppay":
            try demand(scheme, "scheme", "Cash App")
            if usesVault { try demand(consumer?.reveal(), "consumer.reference", "a stored \(method) account") }
        case "toss", "lpay", "lgpay", "samsungpay", "banktransfer":
            guard !isFromLink else { break }
            let urls = body.reveal()["urls"]
            for name in ["success", "fail", "cancel"] { try demand(urls?[name]?.string, "urls.\(name)", method) }
        default: break
        }
    }

    /// Checks the requirements of a charge that an application makes itself. Its method can follow at the confirmation.
    package func checkToMake() throws(OrderError) {
        if let reference, !reference.isEmpty, !PathSegment.isSafe(reference) {
            throw OrderError(".transaction.reference\(VendorText.notForPaths)")
        }
        try checkTransaction()
    }

    /// Checks the guide's requirements of every transaction. The service's answers are compared with the same members.
    private func checkTransaction() throws(OrderError) {
        let members = [
            ("reference", reference), ("amount", amount.flatMap { $0 > 0 ? "\($0)" : nil }), ("currency", currency),
            ("country", country),
        ]
        for (name, value) in members where value?.isEmpty ?? true {
            throw OrderError(".transaction.\(name)\(VendorText.empty)")
        }
    }

    /// Checks 3-D Secure's requirements of the card holder. The unit within the house is optional: not every address
    /// has one.
    private func checkProof() throws(OrderError) {
        let body = body.reveal()
        let parts = [
            ("consumer", body["consumer"], ["first_name", "last_name", "phone", "email"]),
            (
                "payment.billingAddress", body["payment"]?["billing_address"],
                ["street", "city", "state", "zip", "country"]
            ),
        ]
        let names = ["first_name": "firstName", "last_name": "lastName"]
        for (place, part, members) in parts {
            for member in members {
                try demand(part?[member]?.string, "\(place).\(names[member] ?? member)", "3-D Secure")
            }
        }
    }

    private func demand(_ value: String?, _ name: String, _ purpose: String) throws(OrderError) {
        if value?.isEmpty ?? true { throw OrderError(".\(name)\(VendorText.neededFor)\(purpose)") }
    }

    private var hasChargeToken: Bool { chargeToken?.reveal().isEmpty == false }

    /// True if a stored account is used or is to be stored.
    private var usesVault: Bool {
        let payment = body.reveal()["payment"]
        return payment?["request_token"]?.bool == true || payment?["token"]?.string?.isEmpty == false
    }

    /// Checks the needs of the gateway's handler before the charge is confirmed: the vendor SDK's second check.
    ///
    /// UnionPay's screen, which the vendor's text names, has no meaning here.
    package func check(for handler: GatewayHandler) throws(OrderError) {
        guard hasChargeToken else { throw OrderError(VendorText.noChargeToken) }
        switch handler {
        case .weChat where universalLink?.isEmpty ?? true: throw OrderError(VendorText.noUniversalLink)
        case .alipay where scheme?.isEmpty ?? true: throw OrderError(VendorText.noScheme)
        case .unionPay where unionPayMode?.isEmpty ?? true: throw OrderError(VendorText.noUnionPayMode)
        case .klarna where !wantsPage: throw OrderError(VendorText.unsupportedGateway + "klarna")
        default: break
        }
    }

    /// The terms that answers have to match.
    package var terms: ChargeTerms { ChargeTerms(reference: reference, amount: amount, currency: currency) }
}

/// The agreed reference, amount and currency of an order.
///
/// The one check of every answer that sends a payer somewhere or reports a final state: the answer has to state all of
/// this in a readable form. The documented answers to creating, confirming and inquiring about a charge have all three
/// members (Protocol 2.4.3, 2.5 and 2.6); none is known to omit one.
package struct ChargeTerms: Sendable, Hashable {
    package let reference: String?
    package let amount: Int?
    package let currency: String?

    package init(reference: String?, amount: Int?, currency: String?) {
        self.reference = reference
        self.amount = amount
        self.currency = currency
    }

    /// Creates the terms that a payer agreed to. An amount beyond what the service can state matches nothing.
    package init(reference: String, agreed: Money) {
        self.init(
            reference: reference, amount: Int(exactly: agreed.minorUnits) ?? -1, currency: agreed.currency.description)
    }

    /// Creates the terms of a charge if only its reference is known.
    package init(reference: String) { self.init(reference: reference, amount: nil, currency: nil) }

    /// Returns the name of the first member in which `transaction` differs; nil when it matches.
    ///
    /// A member that the order itself leaves open need only be stated.
    package func difference(from transaction: TransactionFields) -> String? {
        guard let theirs = transaction.reference, !theirs.isEmpty, reference == nil || reference == theirs else {
            return "reference"
        }
        guard let theirs = transaction.amount, theirs > 0, amount == nil || amount == theirs else { return "amount" }
        guard let theirs = transaction.currency, !theirs.isEmpty,
            currency.map({ $0.equalsIgnoringASCIICase(theirs) }) ?? true
        else { return "currency" }
        return nil
    }

    /// Returns ``difference(from:)`` for the answer to a confirmation, whose `id` later inquiries use.
    package func difference(fromConfirmed transaction: TransactionFields) -> String? {
        if let id = transaction.id, !id.isEmpty, !PathSegment.isSafe(id) { return "id" }
        return difference(from: transaction)
    }

    /// Returns the message for a confirmation that answers about another charge.
    package static func warning(_ member: String) -> String {
        "the service's answer to the confirmation is about something else: its '\(member)' is not the order's. "
            + VendorText.doNotPayAgain
    }
}

// MARK: - Consent

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
            let given = details.filter { names.contains($0.key) }
            return given.isEmpty ? nil : .object(given.mapValues(JSONValue.string))
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
