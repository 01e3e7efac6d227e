import PaymentCore
import WalletConnectPayProvider

/// The calls of WalletConnect Pay's merchant-facing API. Stateless.
struct MerchantAPI: Sendable {
    let baseURL: HTTPURL
    let key: Redacted<String>
    let merchantID: String
    let http: any HTTPTransport
    let timeout: Duration

    /// Makes a call and reads its answer.
    ///
    /// - Parameters:
    ///   - ofMerchant: true if it is about this merchant, false if it is about the partner's account.
    ///   - key: the key by which the service recognises a repetition; with one, the network may send the request again.
    ///   - hold: the time that the service may wait for a change before it answers, in milliseconds.
    ///   - status: the status of a success.
    func call<Answer: Decodable>(
        _ method: HTTPRequest.Method, _ path: [String], query: [(name: String, value: String)] = [],
        body: JSONValue? = nil, ofMerchant: Bool, key: String? = nil, replay: HTTPRequest.Replay? = nil,
        hold: Int64? = nil, accepting status: Int = 200
    ) async throws(GatewayError) -> Answer {
        let url: HTTPURL
        do {
            url = try baseURL.appending(["v1"] + path, query: query + PayExchange.query(holding: hold))
        } catch { throw .invalidRequest("the call cannot be part of an address: \(error)") }
        var headers = PayExchange.headers
        headers["Api-Key"] = self.key.reveal()
        if ofMerchant { headers["Merchant-Id"] = merchantID }
        if let key { headers["Idempotency-Key"] = key }
        if body != nil { headers["Content-Type"] = "application/json" }
        return try await PayExchange.send(
            HTTPRequest(
                method, url, headers: headers, body: body?.serialized() ?? [],
                replay: replay ?? (method.isSafe || key != nil ? .safe : .never),
                timeout: timeout + PayExchange.time(holding: hold), responseLimit: 4 << 20),
            over: http, accepting: status)
    }

    // MARK: Payments

    func create(_ body: JSONValue, key: String) async throws(GatewayError) -> CreatedBody {
        try await call(.post, ["payments"], body: body, ofMerchant: true, key: key, accepting: 201)
    }

    func view(_ id: String) async throws(GatewayError) -> ViewBody {
        try await call(.get, ["payments", id], ofMerchant: true)
    }

    func status(_ id: String, hold: Int64? = nil) async throws(GatewayError) -> StatusBody {
        try await call(.get, ["payments", id, "status"], ofMerchant: true, hold: hold)
    }

    func cancel(_ id: String) async throws(GatewayError) -> CancelledBody {
        try await call(.post, ["payments", id, "cancel"], body: [:], ofMerchant: true)
    }

    /// Marks a payment as refunded. It needs no idempotency key; the payment serves as one.
    func refund(_ id: String) async throws(GatewayError) -> RefundBody {
        try await call(.post, ["refunds"], body: ["paymentId": .string(id)], ofMerchant: true, replay: .safe)
    }

    /// - Parameter ofMerchant: true for this merchant's payments only, false for all of the partner's account.
    func payments(
        _ query: [(name: String, value: String)], ofMerchant: Bool
    ) async throws(GatewayError) -> PaymentListBody {
        try await call(
            .get, ofMerchant ? ["merchants", "payments"] : ["payments"], query: query, ofMerchant: ofMerchant)
    }
}
