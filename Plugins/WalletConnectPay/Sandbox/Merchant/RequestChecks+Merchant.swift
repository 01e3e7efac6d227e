import PaymentCore

/// The rules for a merchant's requests. (Codes and statuses are the description's, where it has them.)
extension RequestChecks {
    static let preview = "2026-02-19.preview"

    /// The caller, with its environment.
    struct Caller: Sendable {
        let world: World
        /// The merchant, if the call is about one.
        let merchant: String
        /// The API version of the request.
        let version: String

        var isPreview: Bool { version == preview }
        /// The namespace that separates one merchant's idempotency keys from the others'.
        var scope: String { "\(world.rawValue)/\(merchant)" }
    }

    /// - Parameters:
    ///   - needsMerchant: true if the call is about one merchant.
    ///   - isCore: true for the payments' own calls, which have another answer to a missing merchant.
    static func caller(
        _ headers: HTTPHeaders, _ configuration: WalletConnectPaySandbox.Configuration, needsMerchant: Bool,
        isCore: Bool, keyName: String = "Api-Key"
    ) throws(ServiceError) -> Caller {
        try ascii(headers)
        guard let key = headers[keyName] ?? headers["Api-Key"] else {
            throw .credentials("missing_api_key", "Missing API key")
        }
        let world: World
        if configuration.testKeys.contains(key) {
            world = .test
        } else if configuration.liveKeys.contains(key) {
            world = .live
        } else {
            throw .credentials("invalid_api_key", "Invalid API key")
        }
        let merchant = headers["Merchant-Id"] ?? ""
        guard !needsMerchant || !merchant.isEmpty else {
            throw .credentials("missing_merchant_id", "Missing Merchant ID", status: isCore ? 400 : 401)
        }
        try version(headers)
        // A request without a version uses the one that the account is pinned to.
        return Caller(world: world, merchant: merchant, version: headers["WCP-Version"] ?? "2026-02-18")
    }

    /// Returns the key that identifies a repetition.
    static func idempotencyKey(_ headers: HTTPHeaders, isRequired: Bool) throws(ServiceError) -> String? {
        guard let key = headers["Idempotency-Key"] else {
            guard !isRequired else {
                throw ServiceError(
                    status: 400, code: "missing_idempotency_key", message: "Missing Idempotency-Key header")
            }
            return nil
        }
        guard !key.isEmpty, key.utf8.count <= 255 else { throw .parameters("Idempotency-Key is too long or empty") }
        return key
    }
}
