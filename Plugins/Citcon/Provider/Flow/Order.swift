package import PaymentCore

/// One order in flight: a copy of the caller's values, ready to be sent.
package struct Order: Sendable {
    /// The client kind of an application; the service makes launch payloads for it.
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
    /// The merchant's client id at PayPal, where the application overrides the service's.
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

    /// Creates an order from a link. It does not repeat the values with which the merchant's server made the charge.
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
    /// A link's order need not repeat the values with which the merchant's server made the charge.
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

    /// Checks the requirements of a charge that an application makes itself; its method can follow at the confirmation.
    package func checkToMake() throws(OrderError) {
        if let reference, !reference.isEmpty, !PathSegment.isSafe(reference) {
            throw OrderError(".transaction.reference\(VendorText.notForPaths)")
        }
        try checkTransaction()
    }

    /// Checks the guide's requirements of every transaction; the service's answers are compared with the same members.
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

/// The reason why an order cannot continue, in the vendor SDK's terms.
package struct OrderError: Error, Sendable, Hashable {
    package let code: String
    package let message: String

    package init(_ message: String, code: String = VendorCode.failure) {
        self.code = code
        self.message = message
    }

    package init(_ error: CitconCallError) {
        self.init(error.clientMessage, code: error.clientCode)
    }

    /// Creates the error for a payer's return without consent.
    package init(missingConsentIn back: WalletReturn?) {
        let isCancellation = back?.isCancellation ?? true || back?.code == nil
        self.init(
            back?.message ?? (isCancellation ? Self.cancelledByPayer : VendorText.unknown),
            code: isCancellation ? VendorCode.cancelled : VendorCode.failure)
    }

    /// The message for payers who cancelled.
    package static let cancelledByPayer = "cancelled by the payer"
}
