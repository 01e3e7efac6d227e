import PaymentCore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 1.2, 2.2: sessions for storing cards, which have no payment.
@Suite("Sessions without a payment")
struct TokenizationTests {
    /// A recorded session of this kind: neither an execution nor a vault configuration.
    private static let payload: JSONValue = [
        "token": .string(Canary.token), "holderReference": "holder-1", "amount": ["value": "0.00", "currency": "EUR"],
        "tokenization": [
            "id": "6f1c0d5e-53d7-4a3b-8f61-2d2f6f0a9b11", "publicKey": .string(Sample.key),
            "vaultProviderConfigId": "pc-2",
            "links": [
                "tokenize": [
                    "method": "POST", "href": .string(Sample.host + "/public/payment/instruments/tokenize"),
                ]
            ],
        ],
    ]

    private static let saved: JSONValue = [
        "id": "n1", "createdAt": "2026-01-01T00:00:00Z", "holderId": "h", "paymentMethod": "card", "status": "created",
        "data": ["bin": "411111", "suffix": "1111", "expiryYear": 30, "holderName": "Ada Canary"],
    ]

    private func card(_ year: String = "30") throws -> CardDetails {
        try CardDetails(
            number: Canary.pan, expiryMonth: "12", expiryYear: year, securityCode: Canary.securityCode,
            now: YearAndMonth(year: 2026, month: 11))
    }

    @Test("A card is stored by the session's own call")
    func tokenizes() async throws {
        let service = ScriptedService([.save: [.json(Self.saved, 201)]])
        let session = try PayrailsSession.scripted(service, payload: Self.payload)
        let answer = try await session.tokenize(card(), options: TokenizeOptions(storeInstrument: true))
        #expect(answer.id == "n1" && answer.data.holderName == "Ada Canary" && answer.data.expiryYear == "30")
        #expect(!"\(answer)".contains("Ada"), "names print as nothing")
        let request = try #require(service.requests.first)
        #expect(request.url.path == "/public/payment/instruments/tokenize")
        let body = try JSONValue(parsing: request.body)
        #expect(body["id"] == "6f1c0d5e-53d7-4a3b-8f61-2d2f6f0a9b11" && body["holderReference"] == "holder-1")
        #expect(body["storeInstrument"] == true && body["futureUsage"] == "CardOnFile")
        #expect(body["vaultProviderConfigId"] == "pc-2")
        #expect(body["encryptedInstrumentDetails"]?.string?.split(separator: ".").count == 5)
        #expect(Set((body.object ?? [:]).keys).count == 6)
        #expect(!body.text.contains(Canary.pan))
    }

    @Test("Nothing is paid in it, and nothing is sent")
    func paysNothing() async throws {
        let service = ScriptedService([:])
        let session = try PayrailsSession.scripted(service, payload: Self.payload)
        #expect(session.executionId == nil && session.query(.executionId) == nil && session.query(.binLookup) == nil)
        #expect(session.getPaymentMethodConfig().isEmpty && session.amount.value == "0.00")
        for type in Payrails.PaymentType.allCases { #expect(!session.isPaymentAvailable(type: type)) }
        #expect(
            await session.executePayment(withStoredInstrument: session.card).word == "error unsupportedPayment card")
        #expect(await session.executePayment(withCard: try card()).word == "error unsupportedPayment card")
        #expect(await session.executePayment(with: .payPal, presenter: nil).word == "error unsupportedPayment payPal")
        #expect(service.requests.isEmpty && !session.isPaymentInProgress)
        let match = PayrailsProvider().recognize(
            try PaymentLink(SessionLink.link(to: Sample.initData(Self.payload)).reveal()))
        #expect(match?.reference == nil && match?.holdsSecret == true)
        let trust = String(describing: match?.trust)
        #expect(trust.contains("it is for storing cards, and pays nothing"))
    }

    @Test("What misses is named before anything is sent")
    func missing() async throws {
        for (path, word) in [
            (["holderReference"], "holderReference"), (["tokenization"], "providerConfigId"),
            (["tokenization", "id"], "providerConfigId"),
        ] {
            let service = ScriptedService([:])
            let session = try PayrailsSession.scripted(service, payload: Self.payload.removing(path))
            let error = await #expect(throws: PayrailsError.self) { try await session.tokenize(card()) }
            #expect(error?.word.contains(word) == true, "\(path)")
            #expect(service.requests.isEmpty)
        }
    }

    @Test("The token and the card go to no other host")
    func addresses() async throws {
        let path = ["tokenization", "links", "tokenize", "href"]
        #expect(throws: PayrailsError.self) {
            try SessionPayload(Self.payload.with("http://shop.example/tokenize", at: path))
        }
        let elsewhere = Self.payload.with("https://shop.example/tokenize", at: path)
        let match = PayrailsProvider().recognize(
            try PaymentLink(SessionLink.link(to: Sample.initData(elsewhere)).reveal()))
        #expect(match?.trust != .verified)
    }

    @Test("In the sandbox: cards are listed, one is stored, and it is there for the next payment")
    func sandbox() async throws {
        let world = PayrailsWorld()
        let made = await world.sandbox.createTokenizationSession(holder: "ada")
        let session = try world.session(made)
        #expect(session.storedInstruments(for: .card).isEmpty)
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .card).count == 2)
        let saved = try await session.tokenize(card("40"), options: TokenizeOptions(storeInstrument: true))
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .card).contains { $0.id == saved.id })
        // For a single use: it is not stored.
        let once = try await session.tokenize(card("2040"))
        #expect(once.status == "transient")
        try await session.reloadInstruments()
        #expect(session.storedInstruments(for: .card).count == 3)
        let next = await world.sandbox.createSession(holder: "ada")
        let payment = try world.session(next)
        let card = try #require(payment.storedInstruments(for: .card).first { $0.id == saved.id })
        #expect(await payment.executePayment(withStoredInstrument: card).word == "success")
    }

    @MainActor @Test("A list of such a session shows the cards once the service has been asked")
    func component() async throws {
        let world = PayrailsWorld()
        let made = await world.sandbox.createTokenizationSession()
        let session = try world.session(made)
        let list = StoredInstruments(session: session)
        #expect(list.state.rows.isEmpty)
        list.refreshInstruments()
        await list.waitUntilRefreshed()
        #expect(list.state.rows.map(\.type) == [.card, .card, .payPal])
    }
}
