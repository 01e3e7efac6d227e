import PaymentCore
public import PayrailsProvider
import Synchronization

extension PayrailsSession {
    /// Deletes a stored instrument. ``storedInstruments(for:)`` does not list it any more. An instrument that the
    /// service does not know counts as deleted.
    ///
    /// - Throws: ``PayrailsError``.
    public func deleteInstrument(instrumentId: String) async throws(PayrailsError) -> DeleteInstrumentResponse {
        let answer = try await change("delete") { (api, payload) throws(PayrailsError) in
            try await api.delete(instrumentId, payload.instrumentDelete)
        }
        if answer.success { state.withLock { $0.instruments.delete(instrumentId) } }
        return answer
    }

    /// Changes a stored instrument.
    ///
    /// - Throws: ``PayrailsError``.
    public func updateInstrument(
        instrumentId: String, body: UpdateInstrumentBody
    ) async throws(PayrailsError) -> UpdateInstrumentResponse {
        try await change("update") { (api, payload) throws(PayrailsError) in
            try await api.update(instrumentId, body, payload.instrumentUpdate)
        }
    }

    /// Stores a card in the service's vault, without a payment.
    ///
    /// - Throws: ``PayrailsError``.
    public func tokenize(
        _ card: CardDetails, options: TokenizeOptions = TokenizeOptions()
    ) async throws(PayrailsError) -> SaveInstrumentResponse {
        let payload = payload
        if let tokenization = payload.tokenization, payload.vault?.links?.saveInstrument?.href?.nonEmpty == nil {
            return try await tokenize(card, options, tokenization)
        }
        guard let provider = payload.vault?.providerConfigId?.nonEmpty else {
            throw .missingData("'vaultConfiguration.providerConfigId', which storing a card needs")
        }
        let encrypted = try encrypt(card)
        return try await save(
            "card", ["encryptedData": .string(encrypted), "vaultProviderConfigId": .string(provider)], options)
    }

    /// Stores the token of Apple's payment sheet in the service's vault, without a payment.
    ///
    /// - Throws: ``PayrailsError``.
    public func tokenize(
        _ token: ApplePayToken, options: TokenizeOptions = TokenizeOptions()
    ) async throws(PayrailsError) -> SaveInstrumentResponse {
        try await save("applePay", ["paymentToken": .string(token.vaultText)], options)
    }

    /// Tokenizes a card in a session that has no payment.
    private func tokenize(
        _ card: CardDetails, _ options: TokenizeOptions, _ tokenization: SessionPayload.TokenizationBody
    ) async throws(PayrailsError) -> SaveInstrumentResponse {
        var body: JSONValue = [
            "id": .string(tokenization.id), "holderReference": .string(try holder()),
            "encryptedInstrumentDetails": .string(try encrypt(card)),
            "storeInstrument": .bool(options.storeInstrument), "futureUsage": .string(options.futureUsage.rawValue),
        ]
        body["vaultProviderConfigId"] = tokenization.vaultProviderConfigId.map { .string($0) }
        let filled = body
        return try await change("tokenize") { (api, _) throws(PayrailsError) in
            try await api.tokenize(filled, tokenization.tokenize)
        }
    }

    private func holder() throws(PayrailsError) -> String {
        guard let holder = payload.holderReference else {
            throw .missingData("'holderReference', which storing an instrument needs")
        }
        return holder
    }

    private func save(
        _ method: String, _ data: [String: JSONValue], _ options: TokenizeOptions
    ) async throws(PayrailsError) -> SaveInstrumentResponse {
        let body: JSONValue = [
            "holderReference": .string(try holder()), "paymentMethod": .string(method),
            "storeInstrument": .bool(options.storeInstrument), "futureUsage": .string(options.futureUsage.rawValue),
            "data": .object(data),
        ]
        return try await change("save") { (api, payload) throws(PayrailsError) in
            try await api.save(body, payload.vault?.links?.saveInstrument)
        }
    }
}
