package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// Resolves a `build` action, or with empty data all actions of an option.
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

    /// Returns the address of a call. An id may itself be an encoded link. It is encoded again, as the vendor's client
    /// does, so it is one segment, whatever it holds.
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

/// One request to the service and its answer: the same for wallets and merchants.
package enum PayExchange {
    /// The API version of the requests.
    package static let version = "2026-02-19.preview"

    /// Sends `request` and reads its answer.
    ///
    /// - Parameter status: the one status of an answer that is read. Any other status is a refusal.
    package static func send<Answer: Decodable>(
        _ request: HTTPRequest, over http: any HTTPTransport, accepting status: Int = 200
    ) async throws(GatewayError) -> Answer {
        let response: HTTPResponse
        do { response = try await http.send(request) } catch {
            throw error.reason == .cancelled
                ? .cancelled(mayHaveArrived: error.phase == .maybeSent) : .transport(error)
        }
        guard response.status == status else { throw .refused(ErrorAnswer(response)) }
        do { return try JSONValue(parsing: response.body).decode(Answer.self) } catch {
            throw .unusableAnswer(
                "the service's answer to '\(request.url.path.split(separator: "/").last ?? "")' "
                    + "cannot be understood: \(place(of: error))")
        }
    }

    /// Returns the place where decoding failed, never its content.
    private static func place(of error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "'\(([path(context)] + [key.stringValue]).filter { !$0.isEmpty }.joined(separator: "."))' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            return "'\(path(context))' is not as expected"
        default: return "it is not JSON"
        }
    }

    // MARK: Holding

    /// Returns the query of a request that the service may hold for a number of milliseconds.
    package static func query(holding hold: Int64?) -> [(name: String, value: String)] {
        hold.map { [("maxPollMs", String($0))] } ?? []
    }

    /// Returns the additional time for a request that the service may hold.
    package static func time(holding hold: Int64?) -> Duration { .milliseconds(min(max(hold ?? 0, 0), longestHold)) }

    private static let longestHold: Int64 = 300_000

    // MARK: Header fields

    /// The common header fields of every request, without the credentials.
    package static var headers: HTTPHeaders {
        [
            "Accept": "application/json",
            "WCP-Version": version,
            "api-version": version,
            "Sdk-Name": "swift-payment-router",
            "Sdk-Version": "0.1.0",
            "Sdk-Platform": platform,
        ]
    }

    #if canImport(UIKit)
        private static let platform = "ios"
    #elseif canImport(AppKit)
        private static let platform = "macos"
    #else
        private static let platform = "linux"
    #endif
}

// MARK: - Retries

/// The gateway with a caller's retry limits: it repeats queries, and mutations only if they certainly had no effect.
package struct RetryingGateway: Sendable {
    /// The number of retries of one call.
    package struct Limits: Sendable {
        let retries: Int

        /// No retries: the router does them.
        package static let none = Limits(retries: 0)
        /// The number of the vendor's client.
        package static let vendor = Limits(retries: 5)
    }

    let gateway: PayGateway
    let limits: Limits
    let clock: any PaymentClock
    let random: any RandomSource
    /// Receives the reason of each retry.
    let note: @Sendable (String) -> Void

    /// Runs `call`, again after temporary failures.
    ///
    /// - Parameter deadline: no retry begins after it.
    func query<Answer>(
        until deadline: Duration? = nil, _ call: (PayGateway) async throws(GatewayError) -> Answer
    ) async throws(GatewayError) -> Answer {
        var retry = 0
        while true {
            do { return try await call(gateway) } catch {
                retry += 1
                guard error.isPassing, retry <= limits.retries else { throw error }
                try await pause(retry, after: error, until: deadline)
            }
        }
    }

    /// Sends a mutation of the payment `id`. If its effect is unknown, the payment's status decides: the identical
    /// mutation is sent again only while the payment still waits for it.
    ///
    /// - Parameter answer: maps a status to the mutation's answer; nil when nothing has happened.
    func mutate<Answer>(
        _ id: String, _ send: (PayGateway) async throws(GatewayError) -> Answer,
        settledBy answer: (StatusBody) -> Answer?
    ) async throws(GatewayError) -> Answer {
        var retry = 0
        var fateWasOpen = false
        while true {
            do { return try await send(gateway) } catch {
                guard limits.retries > 0 else { throw error }
                if case .cancelled(let mayHaveArrived) = error {
                    throw .cancelled(mayHaveArrived: mayHaveArrived || fateWasOpen)
                }
                fateWasOpen = fateWasOpen || error.leavesFateOpen
                if fateWasOpen, let settled = try await status(of: id, after: error).map(answer) ?? nil {
                    return settled
                }
                retry += 1
                guard error.mayBeSentAgain, retry <= limits.retries else { throw Self.mapped(error, fateWasOpen) }
                do { try await pause(retry, after: error, until: nil) } catch {
                    if case .cancelled = error { throw .cancelled(mayHaveArrived: fateWasOpen) }
                    throw error
                }
            }
        }
    }

    /// Returns the error of a mutation that ended with `last`: the end of a later copy does not show the effect of the
    /// earlier ones.
    private static func mapped(_ last: GatewayError, _ fateWasOpen: Bool) -> GatewayError {
        fateWasOpen && !last.leavesFateOpen ? .afterOpenCopy(last) : last
    }

    /// Returns the payment's status after a mutation failed with `failure`.
    ///
    /// - Throws: `failure` when the status cannot be obtained either.
    private func status(of id: String, after failure: GatewayError) async throws(GatewayError) -> StatusBody? {
        note("the answer is missing or in doubt; asking for the payment's status")
        do {
            return try await query { gateway throws(GatewayError) in try await gateway.status(id) }
        } catch {
            if case .cancelled = error { throw .cancelled(mayHaveArrived: true) }
            throw Self.mapped(failure, true)
        }
    }

    private func pause(_ retry: Int, after failure: GatewayError, until deadline: Duration?) async throws(GatewayError)
    {
        let delay = Self.delay(beforeRetry: retry, after: failure, random: random)
        if let deadline, clock.uptime + delay > deadline { throw failure }
        note("retry \(retry) of \(limits.retries) in \(delay.milliseconds) ms: \(failure.text)")
        do { try await clock.sleep(for: delay) } catch { throw .cancelled(mayHaveArrived: false) }
    }

    /// Returns the vendor's back-off: 1 s, then 2 s, and up to half as much again at random. A wait of up to 2 s that
    /// the service states takes precedence. The vendor's client follows it only after HTTP 429, this one also in an
    /// outage.
    static func delay(
        beforeRetry retry: Int, after failure: GatewayError, random: any RandomSource
    ) -> Duration {
        if case .refused(let refusal) = failure, let seconds = wish(refusal.retryAfter) {
            return .milliseconds(min(seconds, 2) * 1000)
        }
        let base: Int64 = retry == 1 ? 1000 : 2000
        return .milliseconds(base + Int64(random.fraction() * Double(base / 2)))
    }

    private static func wish(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        // A number with too many digits still exceeds the cap.
        let seconds = Int64(text) ?? .max
        return seconds > 0 ? seconds : nil
    }
}
