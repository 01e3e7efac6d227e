import PaymentCore
import ServiceSupport
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
    ///   - key: identifies repetitions of the request. With a key, the network may send the request again.
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

    /// Marks a payment as refunded. It needs no idempotency key: the payment serves as one.
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

extension ErrorTable {
    /// WalletConnect Pay's error codes for a merchant's calls. Codes with the same meaning for a wallet are in the
    /// provider's table. (Protocol 8.)
    static let walletConnectPayMerchant = walletConnectPay.adding(
        byCode: [
            "not_found": (.notFound, "the service knows nothing of this name in this account"),
            "payment_expired": (.requestRefused, "the payment has expired; make another"),
            "invalid_state": (.requestRefused, "the payment is not in a state that allows this"),
            "payment_not_succeeded": (.requestRefused, "only payments that succeeded can be refunded"),
            "already_refunded": (.requestRefused, "the payment was refunded before"),
            "idempotency_conflict": (
                .requestRefused,
                "the idempotency key was used before with other data; take another key for another order"
            ),
            "missing_idempotency_key": (.requestRefused, "the idempotency key is missing"),
            "settlement_asset_conflict": (
                .requestRefused, "the merchant has a settlement in this asset; change that one"
            ),
            "version_conflict": (.requestRefused, "another client changed this meanwhile; read it again"),
            "merchant_not_found": (.notFound, "the service does not know this merchant in this account"),
            "merchant_exists": (.requestRefused, "there is such a merchant already"),
            "missing_merchant_id": (.unauthorized, "the merchant's id is missing"),
            "missing_merchant_api_key": (.unauthorized, "the API key is missing"),
            "api_key_not_found": (.unauthorized, "the service does not know the API key"),
            "partner_not_found": (.unauthorized, "the service does not know the account of the API key"),
            "customer_not_found": (.notFound, "the service does not know this customer"),
            "executor_not_found": (.serviceFailure, "the service cannot carry this out at the moment; try again later"),
            "bad_gateway": (.serviceFailure, "a part of the service does not answer; try again later"),
            "header_not_ascii": (.requestRefused, "a header field holds letters that are not ASCII; check key and ids"),
        ],
        byStatus: [
            403: (.unauthorized, "the API key is good, and not for this (HTTP 403)"),
            404: (.notFound, "the service knows nothing of this name in this account (HTTP 404)"),
            409: (.requestRefused, "the request contradicts what the service has (HTTP 409)"),
            410: (.requestRefused, "the service has this no more (HTTP 410)"),
            422: (.requestRefused, "the service cannot take the request's data (HTTP 422)"),
        ], unsendable: .requestRefused)
}

/// Runs `work` and maps its failure to a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(GatewayError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch {
        throw ErrorTable.walletConnectPayMerchant.paymentError(from: error, isMutation: isMutation, at: merchant)
    }
}
