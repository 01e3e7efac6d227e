import PaymentCore
public import PayrailsProvider
import Synchronization

/// The stored instruments of the payer, as far as a session knows them.
struct Instruments: Sendable {
    /// The latest list of the service; nil while the init data are the only source.
    private var listed: [Payrails.PaymentType: [any StoredInstrument]]?
    /// The ids of deleted instruments that the init data, or a list requested before the deletion, still contain.
    private var deleted: Set<String> = []
    /// The number of requests for the list, and the number of the latest request that was answered.
    private var asked = 0
    private var answered = 0
    /// The number of times that fresh init data came. An answer to an earlier request does not describe the new data.
    private var renewals = 0

    /// One request for the list.
    struct Question: Sendable {
        fileprivate let number: Int
        fileprivate let renewals: Int
        /// The ids deleted before the request: the service knows of these deletions.
        fileprivate let deleted: Set<String>
    }

    /// Returns the instruments of `type`, in the service's order. If the session has a payment, only a type that it
    /// offers has any.
    func list(_ type: Payrails.PaymentType, in payload: SessionPayload) -> [any StoredInstrument] {
        guard payload.execution == nil || payload.option(type) != nil else { return [] }
        let all = listed.map { $0[type] ?? [] } ?? payload.instruments(type)
        return all.filter { !deleted.contains($0.id) }
    }

    /// Records the deletion of the instrument `id`.
    mutating func delete(_ id: String) { deleted.insert(id) }

    /// Discards the list and the deletions, because fresh init data came.
    mutating func renew() {
        listed = nil
        deleted = []
        renewals += 1
    }

    /// Begins a request for the list.
    mutating func ask() -> Question {
        asked += 1
        return Question(number: asked, renewals: renewals, deleted: deleted)
    }

    /// Takes `list` as the service's answer to `question`. Changes nothing if a later request was answered before.
    mutating func take(_ list: InstrumentList, to question: Question, in payload: SessionPayload) {
        guard question.renewals == renewals, question.number > answered else { return }
        answered = question.number
        var new = list.instruments
        if list.hasMore {
            for type in [Payrails.PaymentType.card, .payPal] {
                let known = listed.map { $0[type] ?? [] } ?? payload.instruments(type)
                let ids = Set(new[type, default: []].map(\.id))
                new[type, default: []] += known.filter { !ids.contains($0.id) }
            }
        }
        listed = new
        deleted.subtract(question.deleted)
    }
}

extension PayrailsSession {
    /// Reloads the payer's stored instruments. Afterwards ``storedInstruments(for:)`` lists the new ones, and no
    /// deleted ones.
    ///
    /// The service is asked for its list. The documentation allows this to servers and does not mention clients. If the
    /// service refuses, the application is asked for fresh init data (`onSessionExpired`), which contain the list too.
    /// This fallback is skipped while a payment is in progress or may have been made: fresh data can be those of
    /// another payment.
    ///
    /// - Throws: ``PayrailsError`` if there was no answer; the known instruments stay.
    public func reloadInstruments() async throws(PayrailsError) {
        let (payload, question) = state.withLock { ($0.payload, $0.instruments.ask()) }
        do throws(PayrailsError) {
            guard let address = payload.instrumentsAddress else {
                throw .missingData("an address in the session at which stored instruments could be asked for")
            }
            let api = PayrailsAPI(payload, http: context(payload).http, random: random)
            let list = try await api.instruments(at: address, of: payload.holderReference)
            state.withLock { $0.instruments.take(list, to: question, in: $0.payload) }
        } catch {
            let isSettled = state.withLock { !$0.isPaying && $0.earlier == nil }
            guard error.isRejection, isSettled, await isRefreshed() else { throw error }
        }
    }

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

    /// Requests the change `name` of the service, once. If the token is refused, requests fresh init data afterwards.
    func change<Answer: Codable & Sendable>(
        _ name: String, _ call: @escaping @Sendable (PayrailsAPI, SessionPayload) async throws(PayrailsError) -> Answer
    ) async throws(PayrailsError) -> Answer {
        let payload = payload
        let context = context(payload)
        let api = PayrailsAPI(payload, http: context.http, random: random)
        do {
            return try await context.step(name, .mutation(replay: .never)) { try await call(api, payload) }
        } catch let error as PayrailsError {
            if case .authenticationError = error { refresh() }
            throw error
        } catch {
            throw .unknown(error: error)
        }
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

extension PayrailsError {
    /// True if the service was reached and gives no list, or the session has no address to ask at.
    fileprivate var isRejection: Bool {
        switch self {
        case .authenticationError, .missingData: true
        case .unknown(let fault as PayrailsUnderlyingError):
            switch fault {
            case .service, .unusableAnswer: true
            default: false
            }
        default: false
        }
    }
}
