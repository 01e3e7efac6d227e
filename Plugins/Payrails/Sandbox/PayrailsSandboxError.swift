import PaymentCore
import SandboxSupport

extension PayrailsSandbox {
    /// A refusal in the service's form: `{"errors":[{"id","code","detail","docUrl"}]}`.
    ///
    /// The codes are documented. The HTTP status of a code is a guess unless a comment says otherwise. 401 for a bad
    /// token and 404 for an unknown instrument are documented.
    struct PayrailsSandboxError: Error, Sendable, Hashable {
        let status: Int
        let code: String
        let detail: String

        init(_ status: Int, _ code: String, _ detail: String) {
            self.status = status
            self.code = code
            self.detail = detail
        }

        func response(_ random: any RandomSource) -> HTTPResponse {
            .json(
                [
                    "errors": [
                        [
                            "id": .string(random.uuid()), "code": .string(code), "detail": .string(detail),
                            "docUrl": .string("https://docs.payrails.com/docs/error-codes#\(code)"),
                        ]
                    ]
                ], status: status)
        }

        /// Returns the refusal in the older form, that of the call that stores cards without a payment: `title` in
        /// place of `code`, and no `docUrl`.
        func olderResponse(_ random: any RandomSource) -> HTTPResponse {
            .json(
                ["errors": [["id": .string(random.uuid()), "title": .string(code), "detail": .string(detail)]]],
                status: status)
        }

        static let unauthorized = PayrailsSandboxError(
            401, "request.unauthorized", "The token is missing, wrong or no longer valid")
        static let unknownPath = PayrailsSandboxError(404, "request.not-found", "There is nothing at this address")
        static let unknownExecution = PayrailsSandboxError(404, "request.not-found", "The execution does not exist")
        static let unknownInstrument = PayrailsSandboxError(404, "request.not-found", "The instrument does not exist")
        static let wrongMethod = PayrailsSandboxError(
            405, "request.method-not-allowed", "The method is not allowed here")
        /// Not among the service's documented answers: HTTP 451 of RFC 7725.
        static let withheld = PayrailsSandboxError(451, "request.forbidden", "The answer is withheld")
        static let internalError = PayrailsSandboxError(500, "internal", "Something went wrong on our side")
        /// Documented: an amount other than the execution's is answered like a bad token.
        static let wrongAmount = PayrailsSandboxError(401, "request.unauthorized", "The amount is not the execution's")
        static let keyMissing = PayrailsSandboxError(400, "request.header.missing", "x-idempotency-key is required")
        static let notJSON = PayrailsSandboxError(400, "request.malformed", "The body is not a JSON object")

        static func missing(_ parameter: String) -> PayrailsSandboxError {
            PayrailsSandboxError(400, "request.param.missing", "\(parameter) is required")
        }

        static func invalid(_ parameter: String, _ rule: String) -> PayrailsSandboxError {
            PayrailsSandboxError(422, "request.param.invalid", "\(parameter) \(rule)")
        }

        static func notAllowed(_ detail: String) -> PayrailsSandboxError {
            PayrailsSandboxError(409, "workflow.action.not-allowed", detail)
        }
    }

    /// The reason of a failed action of an execution, as its status reports it.
    struct Reason: Sendable, Hashable {
        let category: String
        let result: String
        let source: String

        var errors: JSONValue {
            [
                [
                    "code": "workflow.action.failed",
                    "detail": "The execution of the requested workflow action failed",
                    "docUrl": "https://docs.payrails.com/docs/error-codes#workflow.action.failed",
                    "reason": [
                        "category": .string(category), "result": .string(result), "source": .string(source),
                    ],
                ]
            ]
        }

        static let rejected = Reason(category: "Operation", result: "GenericRejection", source: "Customer")
        static let insufficientBalance = Reason(
            category: "InsufficientBalance", result: "InsufficientBalance", source: "Customer")
        static let authenticationFailed = Reason(
            category: "PayerAuthentication", result: "PayerAuthenticationFailed", source: "Customer")
        static let payerCanceled = Reason(category: "Operation", result: "PayerCanceled", source: "Customer")
        static let instrumentNotAllowed = Reason(
            category: "Instrument", result: "InstrumentNotAllowed", source: "Customer")
        static let invalidInstrument = Reason(
            category: "Instrument", result: "InvalidInstrument", source: "Customer")
        static let expiredInstrument = Reason(
            category: "Instrument", result: "ExpiredInstrument", source: "Customer")

        /// The documented reasons, by `result`. A merchant can set the end of a test payment to one of them through its
        /// `meta`.
        static let named: [String: Reason] = {
            let categories = [
                "Unknown": ["UnexpectedProviderResponse", "ProviderUnknownError", "UnexpectedProviderError"],
                "Connection": ["ProviderConnectionError", "Timeout", "ProviderTimeout"],
                "Operation": [
                    "GenericRejection", "DuplicateOperation", "OperationNotAllowed", "PayerCanceled", "LimitExceeded",
                ],
                "Instrument": ["InstrumentNotAllowed", "InvalidInstrument", "BlockedInstrument", "ExpiredInstrument"],
                "PayerAuthentication": ["PayerAuthenticationRequired", "PayerAuthenticationFailed"],
                "InsufficientBalance": ["InsufficientBalance"], "FraudRisk": ["FraudRisk"],
            ]
            var reasons: [String: Reason] = [:]
            for (category, results) in categories {
                for result in results {
                    reasons[result] = Reason(category: category, result: result, source: "Customer")
                }
            }
            return reasons
        }()
    }
}
