import PaymentCore
import SandboxSupport

/// The general rules for every request. The codes are from the specification, their statuses are guesses.
enum RequestChecks {
    private static let versions: Set<String> = ["2026-02-18", preview]

    /// Checks a wallet's credentials: an API key, or an app id with a client id.
    static func wallet(_ headers: HTTPHeaders) throws(ServiceError) {
        try ascii(headers)
        let key = headers["Api-Key"]
        let app = headers["App-Id"]
        let client = headers["Client-Id"]
        guard key == nil || app == nil else {
            throw .credentials("conflicting_auth_headers", "Conflicting authentication headers", status: 400)
        }
        if let key {
            guard !key.isEmpty else { throw .credentials("invalid_api_key", "Invalid API key") }
        } else if let app {
            guard !app.isEmpty else { throw .credentials("invalid_app_id", "Invalid app id") }
            guard client?.isEmpty == false else {
                throw .credentials("missing_client_id", "Missing Client-Id header", status: 400)
            }
        } else if client != nil {
            throw .credentials("missing_app_id", "Missing App-Id header", status: 400)
        } else {
            throw .credentials("missing_auth_headers", "Missing authentication headers")
        }
        try version(headers)
    }

    /// Returns the body as JSON of the right media type.
    static func body(_ request: HTTPRequest) throws(ServiceError) -> JSONValue {
        guard request.mediaType == "application/json" else {
            throw .parameters("Content-Type must be application/json")
        }
        do { return try JSONValue(parsing: request.body) } catch { throw .parameters("Body is not valid JSON") }
    }

    /// Returns the `maxPollMs` of a query, or nil.
    static func maxPollMs(_ request: HTTPRequest) throws(ServiceError) -> Int64? {
        guard let text = QueryItems(Substring(request.url.query ?? "")).values("maxPollMs").first else { return nil }
        guard let value = Int64(text), value >= 0 else {
            throw .parameters("maxPollMs must be a non-negative integer")
        }
        return value
    }

    static func ascii(_ headers: HTTPHeaders) throws(ServiceError) {
        for name in ["Api-Key", "App-Id", "Client-Id", "Merchant-Id"] {
            guard headers[name]?.utf8.allSatisfy({ $0 < 0x80 }) != false else {
                throw .credentials("header_not_ascii", "Header \(name) is not ASCII", status: 400)
            }
        }
    }

    static func version(_ headers: HTTPHeaders) throws(ServiceError) {
        guard let version = headers["WCP-Version"] else { return }
        guard isVersion(version) else {
            throw .credentials("invalid_api_version", "Invalid API version", status: 400)
        }
        guard versions.contains(version) else {
            throw .credentials("unknown_api_version", "Unknown API version", status: 400)
        }
    }

    /// Returns true for `YYYY-MM-DD`, with or without `.preview`.
    private static func isVersion(_ text: String) -> Bool {
        let date = text.hasSuffix(".preview") ? text.dropLast(8) : text[...]
        let shape = date.utf8.map { $0.isASCIIDigit ? UInt8(ascii: "0") : $0 }
        return shape.elementsEqual("0000-00-00".utf8)
    }
}

/// The rules for a merchant's requests. (Codes and statuses are the description's, if it has them.)
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

// MARK: - Errors

/// An error in the service's form: `{"code","message"}`.
///
/// The codes are from the published specification. If it names no status for a code, this uses the one that the
/// vendor's own client understands.
struct ServiceError: Error {
    let status: Int
    let code: String
    let message: String
    /// Seconds for `Retry-After`.
    var retryAfter: Int64?
    /// The invalid fields, with the reasons.
    var issues: [(field: String, message: String)] = []

    var response: HTTPResponse {
        var body: JSONValue = ["code": .string(code), "message": .string(message)]
        if !issues.isEmpty {
            body["issues"] = .array(issues.map { ["field": .string($0.field), "message": .string($0.message)] })
        }
        var response = HTTPResponse.json(body, status: status)
        if let retryAfter { response.headers["Retry-After"] = String(retryAfter) }
        return response
    }

    static let paymentNotFound = ServiceError(status: 404, code: "payment_not_found", message: "Payment not found")
    static let unknownPath = ServiceError(status: 404, code: "not_found", message: "Not found")
    /// The error for an object that does not exist or is not the caller's.
    static let notFound = ServiceError(status: 404, code: "not_found", message: "Not Found")
    /// The status of this error in the payments' own calls is not published.
    static let conflict = ServiceError(
        status: 409, code: "idempotency_conflict",
        message: "Idempotency key conflict: same key was used with a different request body")
    static let paymentExpired = ServiceError(status: 410, code: "payment_expired", message: "Payment expired")
    static let quoteExpired = ServiceError(status: 400, code: "quote_expired", message: "Quote expired")
    /// The documentation names only the status.
    static let routeExpired = ServiceError(status: 409, code: "invalid_state", message: "Route expired")
    static let invalidSignature = ServiceError(status: 422, code: "invalid_params", message: "Invalid signature")
    static let sanctioned = ServiceError(status: 451, code: "sanctioned_user", message: "Payer is not allowed to pay")
    static let internalError = ServiceError(status: 500, code: "internal_error", message: "Internal error")
    static let optionNotFound = ServiceError.validation("Validation error: Option not found")
    static let dataMissing = ServiceError.validation("IC data required but not found")

    static func rateLimited(retryAfter: Int64) -> ServiceError {
        ServiceError(status: 429, code: "rate_limited", message: "Too many requests", retryAfter: retryAfter)
    }

    static func validation(_ message: String) -> ServiceError {
        ServiceError(status: 400, code: "params_validation", message: message)
    }

    /// Returns the error for one field of a call about merchants, settlements, lists or refunds.
    static func invalid(_ field: String, _ message: String) -> ServiceError {
        ServiceError(
            status: 400, code: "params_validation", message: "Validation failed", issues: [(field, message)])
    }

    static func parameters(_ message: String, status: Int = 400) -> ServiceError {
        ServiceError(status: status, code: "invalid_params", message: message)
    }

    static func invalidState(_ message: String) -> ServiceError {
        ServiceError(status: 400, code: "invalid_state", message: message)
    }

    static func credentials(_ code: String, _ message: String, status: Int = 401) -> ServiceError {
        ServiceError(status: status, code: code, message: message)
    }
}
