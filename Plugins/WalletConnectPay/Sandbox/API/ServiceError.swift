import PaymentCore
import SandboxSupport

/// An error in the service's form: `{"code","message"}`.
///
/// The codes are from the published specification; where it names no status for a code, this uses the one that the
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
