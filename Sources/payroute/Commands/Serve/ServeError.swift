import PaymentCore

/// An answer of `payroute serve` that is an error: an HTTP status, and the object `error` of the body. It holds no
/// secret and no personal data.
struct ServeError: Error {
    let status: Int
    /// A `PaymentError.Code`, or one of the interface itself.
    let code: String
    let message: String
    var phase = PaymentError.Phase.beforeSend
    var provider: ProviderID?
    /// Header fields beside those of every answer.
    var headers: HTTPHeaders = [:]

    init(_ status: Int, _ code: String, _ message: String, headers: HTTPHeaders = [:]) {
        (self.status, self.code, self.message, self.headers) = (status, code, message, headers)
    }

    /// The answer where the router, or a service behind it, stopped the call.
    init(_ error: PaymentError) {
        (status, code, message) = (Self.status(of: error.code), error.code.rawValue, error.message)
        (phase, provider) = (error.phase, error.provider)
    }

    /// A call that names nothing that the caller may see.
    static let notFound = ServeError(404, "not-found", "there is nothing of this name; look at GET /openapi.json")

    /// A body, or a field, that cannot be read.
    static func malformed(_ message: String) -> ServeError { ServeError(422, "malformed-request", message) }

    /// The table failed: nothing was begun.
    static func table(_ error: any Error) -> ServeError {
        ServeError(503, PaymentError.Code.journal.rawValue, "the table of payments failed: \(error)")
    }

    var json: JSONValue {
        var error: JSONValue = [
            "code": .string(code), "message": .string(Printable.text(message, limit: 1000)),
            "phase": .string(phase.rawValue),
        ]
        error["provider"] = provider.map { .string($0.rawValue) }
        return ["error": error]
    }

    private static func status(of code: PaymentError.Code) -> Int {
        switch code {
        case .untrustedNotification: 403
        case .notFound: 404
        case .inUse, .openPeriod, .earlierPayment, .attemptEnded, .integrity, .foreignReturn, .refundTooLarge: 409
        case .network, .rateLimited, .serviceFailure, .invalidResponse, .unauthorized, .providerFault: 502
        case .journal: 503
        default: 422
        }
    }
}
