import Foundation
import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

@Suite("What is sent (Protocol 3)")
struct BodyTests {
    private func body(
        _ payload: JSONValue, _ means: PaymentMeans
    ) throws(PayrailsError) -> JSONValue {
        let payload = try SessionPayload(payload)
        return try PaymentBody(payload: payload, amount: payload.amount, returnURLs: .standard).make(means)
    }

    private func body(_ means: PaymentMeans) throws(PayrailsError) -> JSONValue { try body(Sample.payload(), means) }

    private func envelope(_ composition: JSONValue, withPending: Bool = true) -> JSONValue {
        let page = "https://assets.payrails.io/html/payrails-"
        var returns: JSONValue = [
            "success": .string(page + "success.html"), "cancel": .string(page + "cancel.html"),
            "error": .string(page + "error.html"),
        ]
        if withPending { returns["pending"] = .string(page + "pending.html") }
        var composition = composition
        composition["amount"] = ["value": "99.00", "currency": "EUR"]
        return [
            "amount": ["value": "99.00", "currency": "EUR"], "returnInfo": returns, "paymentComposition": [composition],
        ]
    }

    @Test("Stored card and PayPal (Protocol 3.1): no pending URL, nothing else")
    func stored() throws {
        #expect(
            try body(.stored(StoredCardInstrument(id: "i1", bin: nil, suffix: nil)))
                == envelope(
                    [
                        "paymentInstrumentId": "i1", "integrationType": "api", "paymentMethodCode": "card",
                        "storeInstrument": false,
                    ], withPending: false))
        #expect(
            try body(.stored(StoredPayPalInstrument(id: "i2", email: nil)))
                == envelope(
                    [
                        "paymentInstrumentId": "i2", "integrationType": "api", "paymentMethodCode": "payPal",
                        "storeInstrument": false,
                    ], withPending: false))
    }

    @Test("New card (Protocol 3.2)")
    func card() throws {
        #expect(
            try body(.card(encryptedData: "jwe", save: true))
                == envelope([
                    "paymentMethodCode": "card", "integrationType": "api", "storeInstrument": true,
                    "enrollInstrumentToNetworkOffers": false,
                    "paymentInstrumentData": ["encryptedData": "jwe", "vaultProviderConfigId": "pc-1"],
                ]))
    }

    @Test("New PayPal account (Protocol 3.3) and redirect (Protocol 3.5): the two nulls are sent")
    func nulls() throws {
        let nothing: JSONValue = ["encryptedData": nil, "vaultProviderConfigId": nil]
        #expect(
            try body(.payPal(save: true))
                == envelope([
                    "paymentMethodCode": "payPal", "integrationType": "api", "storeInstrument": true,
                    "enrollInstrumentToNetworkOffers": false, "paymentInstrumentData": nothing,
                ]))
        let redirect = envelope([
            "paymentMethodCode": "ideal", "integrationType": "hpp", "storeInstrument": false,
            "enrollInstrumentToNetworkOffers": false, "paymentInstrumentData": nothing,
        ])
        #expect(try body(.redirect(code: nil)) == redirect)
        #expect(try body(.redirect(code: "ideal")) == redirect)
    }

    @Test("Apple Pay (Protocol 3.4): the token is a JSON text in the JSON")
    func applePay() throws {
        let token = try ApplePayToken(
            paymentData: Array(#"{"data":"secret-data","version":"EC_v1"}"#.utf8), displayName: "Visa 1111",
            network: "Visa", type: .debit, transactionIdentifier: "t-1")
        let sent = try body(.applePay(token, save: false))["paymentComposition"]?[0]
        let text = try #require(sent?["paymentInstrumentData"]?["paymentToken"]?.string)
        #expect(
            try JSONValue(parsing: text) == [
                "paymentData": ["data": "secret-data", "version": "EC_v1"],
                "paymentMethod": ["displayName": "Visa 1111", "network": "Visa", "type": "debit"],
                "transactionIdentifier": "t-1", "paymentNetwork": "Visa", "paymentInstrumentName": "Visa 1111",
            ])
        #expect(try JSONValue(parsing: token.vaultText)["token"]?["transactionIdentifier"] == "t-1")
        #expect(sent?["paymentMethodCode"] == "applePay" && sent?["integrationType"] == "api")
        #expect(throws: PayrailsError.self) {
            try ApplePayToken(
                paymentData: [], displayName: "", network: "", type: .unknown, transactionIdentifier: "")
        }
    }

    @Test("What is missing is said before anything is sent")
    func preconditions() async throws {
        var noOptions = Sample.payload()
        noOptions["execution"]?["initialResults"] = []
        for (means, word) in [
            (PaymentMeans.stored(StoredCardInstrument(id: "i", bin: nil, suffix: nil)), "unsupportedPayment card"),
            (.card(encryptedData: "x", save: false), "unsupportedPayment card"),
            (.payPal(save: false), "unsupportedPayment payPal"),
            (.redirect(code: nil), "unsupportedPayment genericRedirect"),
        ] {
            let error = #expect(throws: PayrailsError.self) { try body(noOptions, means) }
            #expect(error?.word == word)
        }
        var noVault = Sample.payload()
        noVault["vaultConfiguration"]?["providerConfigId"] = nil
        let card = #expect(throws: PayrailsError.self) {
            try body(noVault, .stored(StoredCardInstrument(id: "i", bin: nil, suffix: nil)))
        }
        #expect(card?.word.contains("vaultConfiguration.providerConfigId") == true)
        var noConfig = Sample.payload()
        noConfig["execution"]?["initialResults"] = [
            [
                "body": [
                    "name": "lookup",
                    "data": ["paymentCompositionOptions": [["integrationType": "api", "paymentMethodCode": "payPal"]]],
                ]
            ]
        ]
        let setup = #expect(throws: PayrailsError.self) { try body(noConfig, .payPal(save: false)) }
        #expect(setup?.word == "incorrectPaymentSetup payPal")
        #expect(throws: PayrailsError.self) { try body(.redirect(code: "card")) }
        #expect(throws: PayrailsError.self) { try body(.card(encryptedData: "", save: false)) }

        let service = ScriptedService([:])
        let session = try PayrailsSession.scripted(service, payload: noOptions)
        let result = await session.executePayment(withStoredInstrument: session.card)
        #expect(result.word == "error unsupportedPayment card")
        #expect(service.requests.isEmpty && !session.isPaymentInProgress)
        #expect(await session.executePayment(with: .card, presenter: nil).word.hasPrefix("error missingData"))
        #expect(await session.executePayment(with: .applePay, presenter: nil).word.hasPrefix("error missingData"))
    }

    @Test("Another amount is used in later bodies")
    func amount() async throws {
        let service = ScriptedService([.read: [.ok(Sample.status([Sample.requested, Sample.successful]))]])
        let session = try PayrailsSession.scripted(service)
        session.update(amount: PayrailsAmount(value: "12.50", currency: "USD"))
        _ = await session.executePayment(withStoredInstrument: session.card)
        let sent = try JSONValue(parsing: service.requests[0].body)
        let expected: JSONValue = ["value": "12.50", "currency": "USD"]
        #expect(sent["amount"] == expected && sent["paymentComposition"]?[0]?["amount"] == expected)
        session.update(UpdateOptions())
        #expect(session.amount.value == "12.50")
    }

    @Test("Updating and saving (Protocol 2.2): only what is given")
    func instruments() async throws {
        let answer: JSONValue = [
            "id": "i1", "createdAt": "x", "holderId": "h", "paymentMethod": "card", "status": "disabled",
            "data": ["bin": "411111", "network": "visa", "suffix": "1111"],
        ]
        let service = ScriptedService([.update: [.ok(answer)], .save: [.json(answer, 201)]])
        let session = try PayrailsSession.scripted(service)
        let changed = try await session.updateInstrument(
            instrumentId: "i1", body: UpdateInstrumentBody(status: "disabled", default: true))
        #expect(changed.status == "disabled" && changed.data.suffix == "1111")
        #expect(try JSONValue(parsing: service.requests[0].body) == ["status": "disabled", "default": true])
        let card = try CardDetails(
            number: Canary.pan, expiryMonth: "12", expiryYear: "2040", securityCode: Canary.securityCode,
            now: YearAndMonth(year: 2026, month: 11))
        #expect(try await session.tokenize(card).id == "i1")
        var saved = try JSONValue(parsing: service.requests[1].body)
        let jwe = try #require(saved["data"]?["encryptedData"]?.string)
        #expect(jwe.hasPrefix("eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIn0."))
        saved["data"]?["encryptedData"] = nil
        #expect(
            saved == [
                "holderReference": "holder-1", "paymentMethod": "card", "storeInstrument": false,
                "futureUsage": "CardOnFile", "data": ["vaultProviderConfigId": "pc-1"],
            ])
        #expect(service.requests.map(\.url.path).last == "/public/payment/instruments")
    }
}
