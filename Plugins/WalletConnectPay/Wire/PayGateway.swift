import PaymentCore

/// WalletConnect Pay's wallet-facing API, call by call. Stateless.
struct PayGateway: Sendable {
    /// The version of the API this speaks.
    static let version = "2026-02-19.preview"

    let configuration: GatewayConfiguration
    let http: any HTTPTransport

    /// What the payment asks for, and the ways in which `accounts` (CAIP-10) can pay it.
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

    /// Hands in the results: the one call that moves money.
    ///
    /// - Parameter hold: how long the service may wait for a change before it answers, in milliseconds.
    func confirm(
        _ id: String, _ body: ConfirmRequestBody, hold: Int64? = nil
    ) async throws(GatewayError) -> StatusBody {
        try await post(id, "confirm", body, query: Self.query(hold), hold: hold, isMutation: true)
    }

    /// Where the payment stands. `hold` as in ``confirm(_:_:hold:)``.
    func status(_ id: String, hold: Int64? = nil) async throws(GatewayError) -> StatusBody {
        try await send(
            HTTPRequest(
                .get, try url(id, "status", query: Self.query(hold)), headers: headers, timeout: timeout(hold)))
    }

    /// Calls the payment off.
    func cancel(_ id: String) async throws(GatewayError) -> CancelBody {
        try await send(
            HTTPRequest(
                .post, try url(id, "cancel", query: []), headers: headers, replay: .never,
                timeout: configuration.requestTimeout))
    }

    // MARK: Requests

    private static func query(_ hold: Int64?) -> [(name: String, value: String)] {
        hold.map { [("maxPollMs", String($0))] } ?? []
    }

    /// A request that the service may hold gets that much more time.
    private func timeout(_ hold: Int64?) -> Duration {
        configuration.requestTimeout + .milliseconds(min(max(hold ?? 0, 0), Self.longestHold))
    }

    private static let longestHold: Int64 = 300_000

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
        return try await send(
            HTTPRequest(
                .post, try url(id, verb, query: query), headers: headers, body: bytes,
                replay: isMutation ? .never : .safe, timeout: timeout(hold)))
    }

    private func send<Answer: Decodable>(_ request: HTTPRequest) async throws(GatewayError) -> Answer {
        let response: HTTPResponse
        do { response = try await http.send(request) } catch {
            throw error.reason == .cancelled
                ? .cancelled(mayHaveArrived: error.phase == .maybeSent) : .transport(error)
        }
        guard response.status == 200 else { throw .refused(Refusal(response)) }
        do { return try JSONValue(parsing: response.body).decode(Answer.self) } catch {
            throw .unusableAnswer(
                "the service's answer to '\(request.url.path.split(separator: "/").last ?? "")' "
                    + "cannot be understood: \(Self.place(of: error))")
        }
    }

    /// Where decoding failed; never what stood there.
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

    /// An id may itself be an encoded link; it is encoded once more, as the vendor's client does. Whatever it holds, it
    /// is one segment.
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
        var headers: HTTPHeaders = [
            "Accept": "application/json",
            "WCP-Version": Self.version,
            "api-version": Self.version,
            "Sdk-Name": "swift-payment-router",
            "Sdk-Version": "0.1.0",
            "Sdk-Platform": Self.platform,
        ]
        switch configuration.credentials {
        case .app(let id, let clientID):
            headers["App-Id"] = id.reveal()
            headers["Client-Id"] = clientID
        case .apiKey(let key):
            headers["Api-Key"] = key.reveal()
        }
        return headers
    }

    #if canImport(UIKit)
        private static let platform = "ios"
    #elseif canImport(AppKit)
        private static let platform = "macos"
    #else
        private static let platform = "linux"
    #endif
}
