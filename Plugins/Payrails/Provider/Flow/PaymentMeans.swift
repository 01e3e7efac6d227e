import PaymentCore

/// The means of a payment.
package enum PaymentMeans: Sendable {
    case stored(any StoredInstrument)
    case card(encryptedData: String, save: Bool)
    case payPal(save: Bool)
    case applePay(ApplePayToken, save: Bool)
    case redirect(code: String?)

    /// Creates means that need only the name of a type.
    package init(_ type: Payrails.PaymentType, code: String?, save: Bool) throws(PayrailsError) {
        switch type {
        case .payPal: self = .payPal(save: save)
        case .genericRedirect: self = .redirect(code: code)
        case .card: throw .missingData("the card; use executePayment(withCard:…) or a stored instrument")
        case .applePay: throw .missingData("the token of Apple's sheet; use executePayment(withApplePay:…)")
        }
    }

    /// The type of the payment.
    var type: Payrails.PaymentType {
        switch self {
        case .stored(let instrument): instrument.type
        case .card: .card
        case .payPal: .payPal
        case .applePay: .applePay
        case .redirect: .genericRedirect
        }
    }
}

/// The body of a request to pay.
package struct PaymentBody: Sendable {
    let payload: SessionPayload
    let amount: PayrailsAmount
    let returnURLs: ReturnURLs

    package init(payload: SessionPayload, amount: PayrailsAmount, returnURLs: ReturnURLs) {
        self.payload = payload
        self.amount = amount
        self.returnURLs = returnURLs
    }

    /// Returns the body for `means`, after checking that the payment offers it.
    ///
    /// - Throws: ``PayrailsError``: `unsupportedPayment`, `incorrectPaymentSetup` or `missingData`.
    func make(_ means: PaymentMeans) throws(PayrailsError) -> JSONValue {
        switch means {
        case .stored(let instrument):
            try payload.require(instrument.type)
            guard PathSegment.isSafe(instrument.id) else {
                throw .unknown(error: PayrailsUnderlyingError.unusableID(field: "instrumentId"))
            }
            return body(
                [
                    "paymentInstrumentId": .string(instrument.id), "integrationType": "api",
                    "paymentMethodCode": .string(instrument.type.rawValue), "storeInstrument": false,
                ], withPending: false)
        case .card(let encrypted, let save):
            try payload.require(.card)
            guard !encrypted.isEmpty else { throw .missingData("the encrypted card") }
            return body(
                new(
                    "card", "api", save: save,
                    ["encryptedData": .string(encrypted), "vaultProviderConfigId": .string(try payload.vaultID())]))
        case .payPal(let save):
            try payload.require(.payPal)
            return body(new("payPal", "api", save: save, Self.nothing))
        case .applePay(let token, let save):
            try payload.require(.applePay)
            return body(new("applePay", "api", save: save, ["paymentToken": .string(token.paymentText)]))
        case .redirect(let code):
            let option = code.map(payload.option(code:)) ?? payload.option(.genericRedirect)
            guard let option, option.type == .genericRedirect else { throw .unsupportedPayment(type: .genericRedirect) }
            return body(new(option.paymentMethodCode, option.integrationType, save: false, Self.nothing))
        }
    }

    /// The vendor's client sends these two nulls too.
    private static let nothing: JSONValue = ["encryptedData": nil, "vaultProviderConfigId": nil]

    private func new(_ code: String, _ integration: String, save: Bool, _ data: JSONValue) -> [String: JSONValue] {
        [
            "paymentMethodCode": .string(code), "integrationType": .string(integration), "storeInstrument": .bool(save),
            "enrollInstrumentToNetworkOffers": false, "paymentInstrumentData": data,
        ]
    }

    private func body(_ composition: [String: JSONValue], withPending: Bool = true) -> JSONValue {
        let amount: JSONValue = ["value": .string(amount.value), "currency": .string(amount.currency)]
        var composition = composition
        composition["amount"] = amount
        var returns: [String: JSONValue] = [
            "success": .string(returnURLs.success), "cancel": .string(returnURLs.cancel),
            "error": .string(returnURLs.error),
        ]
        if withPending { returns["pending"] = .string(returnURLs.pending) }
        return ["amount": amount, "returnInfo": .object(returns), "paymentComposition": [.object(composition)]]
    }
}
