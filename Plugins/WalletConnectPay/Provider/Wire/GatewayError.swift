package import PaymentCore
package import PaymentReview
package import ServiceSupport

/// Why the flow has no result. The provider and the vendor's client map it to their own errors.
package enum GatewayError: Error, Sendable, Hashable {
    /// The service answered with a refusal or a fault.
    case refused(ErrorAnswer)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood. The text names the place.
    case unusableAnswer(String)
    /// The answer requests something that this version cannot do.
    case unsupported(String)
    /// The call cannot be sent as it is.
    case invalidRequest(String)
    /// The option is unknown, so there is nothing to review against.
    case unknownOption
    /// The link does not name its payment, so no coin is sent for it.
    case unnamedPayment
    /// The calls would do something other than pay the option.
    case dangerousCalls(SigningError)
    /// The task was cancelled.
    case cancelled(mayHaveArrived: Bool)
    /// The error of the last copy of a mutation. An earlier copy may have been carried out.
    indirect case afterOpenCopy(GatewayError)
}

extension GatewayError: ServiceCallError {
    /// The form of this error for the shared error table.
    package var failedCall: FailedCall {
        switch self {
        case .refused(let refusal): .refused(refusal)
        case .transport(let error): .transport(error)
        case .unusableAnswer(let text): .unusableAnswer(text)
        case .unsupported(let text): .other(.unsupported, text, phase: .answered)
        case .invalidRequest(let text): .unsendable(text)
        case .unknownOption, .unnamedPayment: .other(.unusableOption, text, phase: .beforeSend)
        case .dangerousCalls(let refusal): .other(.integrity, refusal.description, phase: .beforeSend)
        case .cancelled(let mayHaveArrived):
            .other(.cancelled, text, phase: .beforeSend, ifMutation: mayHaveArrived ? .maybeSent : nil)
        case .afterOpenCopy(let last): .afterOpenCopy(last.failedCall)
        }
    }

    /// Creates the cause of an error that a flow threw: the error behind the router's, for the vendor's client.
    package init(behind error: any Error) {
        switch error {
        case let error as GatewayError: self = error
        case let error as PaymentError where error.cause is GatewayError: self.init(behind: error.cause ?? error)
        case is CancellationError: self = .cancelled(mayHaveArrived: false)
        default: self = .invalidRequest("the call failed (\(type(of: error)))")
        }
    }

    /// True if the request, were it a mutation, may have been carried out: only the payment's status can decide.
    var leavesFateOpen: Bool {
        switch self {
        case .refused(let refusal): !refusal.provesNothingWasDone
        case .transport(let error): error.phase == .maybeSent
        case .unusableAnswer, .unsupported: true
        case .invalidRequest, .unknownOption, .unnamedPayment, .dangerousCalls: false
        case .cancelled(let mayHaveArrived): mayHaveArrived
        case .afterOpenCopy: true
        }
    }

    /// True if the identical mutation may be sent again while the payment still waits for it.
    var mayBeSentAgain: Bool {
        if case .refused(let refusal) = self { return !refusal.isRejection || [425, 429].contains(refusal.status) }
        return leavesFateOpen || isPassing
    }

    /// True if the same request may succeed when it is repeated.
    var isPassing: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || (500..<600).contains(refusal.status)
        case .transport(let error):
            switch error.reason {
            case .hostNotFound, .connectFailed, .timedOut, .connectionLost: true
            case .tls, .responseTooLarge, .malformedResponse, .cancelled, .hostNotDeclared, .invalidRequest: false
            }
        case .unusableAnswer, .unsupported, .invalidRequest, .unknownOption, .unnamedPayment, .dangerousCalls,
            .cancelled, .afterOpenCopy:
            false
        }
    }

    /// One human-readable sentence, without secrets and personal data.
    package var text: String {
        switch self {
        case .refused(let refusal): refusal.text
        case .transport(let error): error.description
        case .unusableAnswer(let text), .unsupported(let text), .invalidRequest(let text): text
        case .unknownOption: "the option is not known here; ask for the payment's options first, with this client"
        case .unnamedPayment: PaymentID.unresolved
        case .dangerousCalls(let refusal): refusal.description
        case .cancelled(let mayHaveArrived): mayHaveArrived ? "cancelled; the request may have arrived" : "cancelled"
        case .afterOpenCopy(let error): "\(error.text); it was sent before, and that may have arrived"
        }
    }
}

/// An answer that is not a result.
package struct ErrorAnswer: Sendable, Hashable, RefusedAnswer {
    /// The service's texts that are more specific than its codes. No other text of the service is ever shown.
    package enum Detail: String, Sendable {
        case dataRequired = "IC data required but not found"
        case optionNotFound = "Validation error: Option not found"
        case resultMissing = "Next result not present"
    }

    /// The HTTP status.
    package let status: Int
    /// The service's code, if it has the form of a code.
    package let code: String?
    /// The meaning of its text, if known.
    package let detail: Detail?
    /// The wait, as the service wrote it.
    package let retryAfter: String?
    /// The advice on a repetition, for answers that may change later.
    package let retry: PaymentError.RetryAdvice
    /// True if the request, were it a mutation, was certainly not carried out.
    package let provesNothingWasDone: Bool

    init(_ response: HTTPResponse) {
        status = response.status
        retryAfter = response.headers["Retry-After"]
        retry = PaymentError.RetryAdvice(response)
        let body = try? JSONValue(parsing: response.body).decode(ErrorBody.self)
        let code = body?.code ?? ""
        let isPlain = code.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F }
        self.code = !code.isEmpty && code.utf8.count <= 64 && isPlain ? code : nil
        detail = body?.message.flatMap(Detail.init(rawValue:))
        provesNothingWasDone =
            response.provesNothingWasDone
            || (Self.endings.contains(code) && response.status == 409 && !response.mayFollowEarlierCopy)
    }

    /// The codes that only a late request gets. A copy of a request that was carried out would get another code.
    private static let endings: Set<String> = ["payment_expired", "quote_expired"]

    /// True if the service refused this copy of the request; false for faults on its side.
    package var isRejection: Bool { (400..<500).contains(status) && status != 408 }

    /// The code, for lookup in error tables.
    package var codes: [String] { code.map { [$0] } ?? [] }

    /// The meaning of a known text; nil if there is none.
    package var meaning: ErrorTable.Meaning? {
        guard let detail, isRejection else { return nil }
        return (.requestRefused, detail.text)
    }

    /// Status, meaning and code.
    package var text: String {
        "\(status): \(ErrorTable.walletConnectPay.meaning(of: self).text)" + (code.map { " (\($0))" } ?? "")
    }
}

extension ErrorTable {
    /// WalletConnect Pay's error codes, for a wallet's payment.
    package static let walletConnectPay = ErrorTable(
        byCode: [
            "payment_not_found": (.notFound, "the service does not know this payment"),
            "payment_expired": (.requestRefused, "the payment has expired; ask the merchant for a new link"),
            "quote_expired": (.requestRefused, "the price of the option has expired; ask for the options again"),
            "invalid_state": (.requestRefused, "the payment is not in a state that allows this"),
            "params_validation": (.requestRefused, "the service refused the request's data"),
            "invalid_params": (.requestRefused, "the service refused the request's data"),
            "sanctioned_user": (.payerRefused, "the service declines this payer"),
            "rate_limited": (.rateLimited, "the service asks for fewer requests; try again later"),
            "internal_error": (.serviceFailure, "the service has a fault; try again later"),
            "missing_auth_headers": (.unauthorized, "the service wants an API key or an app id"),
            "conflicting_auth_headers": (.unauthorized, "an API key and an app id were both sent"),
            "missing_app_id": (.unauthorized, "the app id is missing"),
            "missing_client_id": (.unauthorized, "the client id is missing"),
            "invalid_app_id": (.unauthorized, "the app id is not accepted"),
            "missing_api_key": (.unauthorized, "the API key is missing"),
            "invalid_api_key": (.unauthorized, "the API key is not accepted"),
            "unauthorized": (.unauthorized, "the service does not accept the credentials"),
            "forbidden": (.unauthorized, "the credentials do not allow this"),
            "not_sandbox_api_key": (.unauthorized, "the API key is not one for test payments"),
            "header_not_ascii": (
                .requestRefused, "a credential holds letters that are not ASCII; check the app id or API key"
            ),
            "invalid_api_version": (.unsupported, outdated),
            "unknown_api_version": (.unsupported, outdated),
            "api_version_downgrade": (.unsupported, outdated),
            "wallet_not_found": (.unauthorized, "the service does not know this wallet; check the app id or API key"),
        ],
        byStatus: [
            404: (.notFound, "the service does not know this payment (HTTP 404)"),
            409: (.requestRefused, "the payment or its price has expired (HTTP 409)"),
            410: (.requestRefused, "the payment or its price has expired (HTTP 410)"),
            422: (.requestRefused, "the service did not accept the signature or account (HTTP 422)"),
            451: (.payerRefused, "the service declines this payer (HTTP 451)"),
        ])

    private static let outdated = "the service does not take this version of its API any more; update this software"
}

extension ErrorAnswer.Detail {
    /// The human-readable text.
    var text: String {
        switch self {
        case .dataRequired: "the option asks for data about the payer; hand it in first, then ask for the actions"
        case .optionNotFound: "the payment has no such option; ask for the options again"
        case .resultMissing: "there are fewer results than actions; hand in one for each, in order"
        }
    }
}
