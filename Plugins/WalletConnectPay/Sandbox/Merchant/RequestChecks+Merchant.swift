import PaymentCore

/// What the merchant's requests must look like. (Codes and statuses are the description's, where it has them.)
extension RequestChecks {
    static let preview = "2026-02-19.preview"

    /// Who asks, and in which world.
    struct Caller: Sendable {
        let world: World
        /// The merchant that is meant, where the call is about one.
        let merchant: String
        /// The version of the API that is spoken.
        let version: String

        var isPreview: Bool { version == preview }
        /// What makes keys of repetition one merchant's own.
        var scope: String { "\(world.rawValue)/\(merchant)" }
    }

    /// - Parameters:
    ///   - needsMerchant: whether the call is about one merchant.
    ///   - isCore: whether it is one of the payments' own calls, which answer a missing merchant otherwise.
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
        // An account that asks for no version speaks the one that it is pinned to.
        return Caller(world: world, merchant: merchant, version: headers["WCP-Version"] ?? "2026-02-18")
    }

    /// The key under which a repetition is recognised.
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
