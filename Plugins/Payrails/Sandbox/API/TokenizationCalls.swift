public import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sessions for storing cards without a payment.
extension PayrailsSandbox {
    /// A session for storing cards.
    struct Tokenization: Sendable {
        let id: String
        let holder: String
        let amount: Amount
        /// The scheme, host and port of every link.
        let base: String
        /// The client's token and its expiry; nil after its withdrawal.
        var token: (text: String, expiresAt: Timestamp)?

        /// Returns the client's data: neither an execution nor a vault configuration, as recorded.
        func body(token: String) -> JSONValue {
            [
                "token": .string(token), "holderReference": .string(holder), "amount": amount.body,
                "type": "tokenization",
                "tokenization": [
                    "id": .string(id), "publicKey": .string(CardKey.publicKey),
                    "vaultProviderConfigId": .string(SessionPayload.providerConfig),
                    "links": ["tokenize": SessionPayload.link("POST", base + "/public/payment/instruments/tokenize")],
                ],
            ]
        }
    }

    /// Creates a session that can store cards and has no payment.
    ///
    /// - Parameters:
    ///   - holder: the holder of the cards; nil creates a new holder with two cards and a PayPal account.
    ///   - base: the origin of the session's links; nil is ``Configuration/baseURL``.
    /// - Returns: the session; its scenario has no meaning.
    public func createTokenizationSession(holder: String? = nil, base: HTTPURL? = nil) -> Session {
        makeTokenization(
            amount: Amount(value: "0.00", currency: "EUR"), holder: holder ?? "holder-\(holders.count + 1)",
            base: base?.origin ?? defaultBase)
    }

    func makeTokenization(amount: Amount, holder: String, base: String) -> Session {
        if holders[holder] == nil { holders[holder] = newHolder(.paid, at: now) }
        let tokenization = Tokenization(id: random.uuid(), holder: holder, amount: amount, base: base)
        tokenizations[tokenization.id] = tokenization
        return session(tokenization)
    }

    func session(_ tokenization: Tokenization) -> Session {
        let token = clientToken(
            ["tokenizationId": .string(tokenization.id), "holderReference": .string(tokenization.holder)],
            for: ["instruments:tokenize"])
        tokenizations[tokenization.id]?.token = (token, now + .seconds(configuration.tokenLifetime))
        return Session(
            id: tokenization.id, version: SessionPayload.version,
            data: Redacted(Data(tokenization.body(token: token).serialized()).base64EncodedString()), scenario: .paid,
            holder: tokenization.holder)
    }

    /// Stores a card, `POST /public/payment/instruments/tokenize`. Its refusals have the older form.
    func tokenize(_ request: HTTPRequest) -> HTTPResponse {
        do { return try tokenized(request) } catch { return error.olderResponse(random) }
    }

    private func tokenized(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        let session = try tokenization(of: request)
        return try once(request) { () throws(PayrailsSandboxError) in
            let body = try object(request)
            guard body["id"]?.string?.lowercased() == session.id.lowercased() else {
                throw .invalid("id", "is not the session's")
            }
            guard body["holderReference"]?.string == session.holder else {
                throw .invalid("holderReference", "is not the session's holder")
            }
            if let provider = body["vaultProviderConfigId"], !provider.isNull {
                guard provider.string == SessionPayload.providerConfig else {
                    throw .invalid("vaultProviderConfigId", "is not the session's")
                }
            }
            guard let message = body["encryptedInstrumentDetails"]?.string, !message.isEmpty else {
                throw .missing("encryptedInstrumentDetails")
            }
            let card = try Card(try CardKey.open(message), holder: session.holder)
            guard card.isPlausible, !card.isExpired(at: now) else {
                throw .invalid("encryptedInstrumentDetails", "holds a card that cannot be used")
            }
            let usage = try Self.futureUsage(body, isRequired: false)
            // Without a value the card is stored, as the service documents for the corresponding call of servers.
            let stores = body["storeInstrument"]?.bool ?? true
            return kept(
                Instrument(card, id: random.uuid(), createdAt: now), for: session.holder, stores: stores, usage: usage)
        }
    }

    /// Returns the later use of a card.
    static func futureUsage(_ body: JSONValue, isRequired: Bool) throws(PayrailsSandboxError) -> String? {
        let usage = body["futureUsage"]?.string
        guard usage != nil || isRequired else { return nil }
        guard ["CardOnFile", "Subscription", "UnscheduledCardOnFile"].contains(usage) else {
            throw .invalid("futureUsage", "must be CardOnFile, Subscription or UnscheduledCardOnFile")
        }
        return usage
    }

    /// Stores `instrument` for `holder` if `stores` is true, and returns the answer.
    func kept(_ instrument: Instrument, for holder: String, stores: Bool, usage: String?) -> HTTPResponse {
        var instrument = instrument
        let holderID = holders[holder]?.id ?? random.uuid()
        if stores {
            holders[holder, default: Holder(id: holderID, instruments: [])].instruments.append(instrument)
        } else {
            // For one payment only, and never listed.
            instrument.status = "transient"
        }
        return .json(instrument.body(holderID: holderID, futureUsage: usage), status: 201)
    }
}
