import PaymentCore

/// The calls of WalletConnect Pay's wallet-facing API. Stateless.
struct PayGateway: Sendable {
    let configuration: GatewayConfiguration
    let http: any HTTPTransport

    /// Gets the terms of the payment, and the options with which `accounts` (CAIP-10) can pay it.
    func options(
        _ id: String, accounts: [String], includeInfo: Bool = true
    ) async throws(GatewayError) -> OptionsBody {
        try await post(
            id, "options", OptionsRequestBody(accounts: accounts),
            query: [("includePaymentInfo", includeInfo ? "true" : "false")])
    }

    /// Resolves a `build` action; with empty data all actions of an option.
    func fetch(_ id: String, optionID: String, data: String) async throws(GatewayError) -> ActionsBody {
        try await post(id, "fetch", FetchRequestBody(optionId: optionID, data: data))
    }

    /// Submits the results: the one call that moves money.
    ///
    /// - Parameter hold: the time that the service may wait for a change before it answers, in milliseconds.
    func confirm(
        _ id: String, _ body: ConfirmRequestBody, hold: Int64? = nil
    ) async throws(GatewayError) -> StatusBody {
        try await post(id, "confirm", body, query: PayExchange.query(holding: hold), hold: hold, isMutation: true)
    }

    /// Gets the status of the payment. `hold` as in ``confirm(_:_:hold:)``.
    func status(_ id: String, hold: Int64? = nil) async throws(GatewayError) -> StatusBody {
        try await PayExchange.send(
            HTTPRequest(
                .get, try url(id, "status", query: PayExchange.query(holding: hold)), headers: headers,
                timeout: timeout(hold)), over: http)
    }

    /// Cancels the payment.
    func cancel(_ id: String) async throws(GatewayError) -> CancelBody {
        try await PayExchange.send(
            HTTPRequest(
                .post, try url(id, "cancel", query: []), headers: headers, replay: .never,
                timeout: configuration.requestTimeout), over: http)
    }

    // MARK: Requests

    /// Returns the time limit of a request, extended if the service may hold it.
    private func timeout(_ hold: Int64?) -> Duration {
        configuration.requestTimeout + PayExchange.time(holding: hold)
    }

    private func post<Answer: Decodable>(
        _ id: String, _ verb: String, _ body: some Encodable, query: [(name: String, value: String)] = [],
        hold: Int64? = nil, isMutation: Bool = false
    ) async throws(GatewayError) -> Answer {
        var headers = headers
        headers["Content-Type"] = "application/json"
        let bytes: [UInt8]
        do { bytes = try JSONValue.encode(body).serialized() } catch {
            throw .invalidRequest("what was given for '\(verb)' nests too deeply")
        }
        return try await PayExchange.send(
            HTTPRequest(
                .post, try url(id, verb, query: query), headers: headers, body: bytes,
                replay: isMutation ? .never : .safe, timeout: timeout(hold)), over: http)
    }

    /// Returns the address of a call. An id may itself be an encoded link; it is encoded once more, as the vendor's
    /// client does. Whatever it holds, it is one segment.
    private func url(
        _ id: String, _ verb: String, query: [(name: String, value: String)]
    ) throws(GatewayError) -> HTTPURL {
        guard !id.isEmpty else { throw .invalidRequest("the payment id is empty") }
        guard PaymentID.isSendable(id) else {
            throw .invalidRequest("the payment id holds control characters or leads to another address")
        }
        do {
            return try configuration.baseURL.appending(["v1", "gateway", "payment", id, verb], query: query)
        } catch {
            throw .invalidRequest("the payment id cannot be part of an address: \(error)")
        }
    }

    private var headers: HTTPHeaders {
        var headers = PayExchange.headers
        switch configuration.credentials {
        case .app(let id, let clientID):
            headers["App-Id"] = id.reveal()
            headers["Client-Id"] = clientID
        case .apiKey(let key):
            headers["Api-Key"] = key.reveal()
        }
        return headers
    }
}
