import PaymentCore

/// What the service's refusals mean, by code first and by HTTP status where the code says nothing (Protocol 6). The
/// service's own texts are not repeated: they may hold what was sent.
enum ErrorTable {
    /// The core's error for a failed call.
    ///
    /// - Parameter isMutation: whether the request could move money. Then only what proves that nothing was done does not
    ///   leave that open.
    static func error(_ failure: CallFailure, isMutation: Bool, at merchant: ProviderID) -> PaymentError {
        let open: PaymentError.Phase = isMutation ? .maybeSent : .answered
        switch failure {
        case .refused(let refusal):
            let (code, text) = meaning(of: refusal)
            return PaymentError(
                code, text, provider: merchant, phase: refusal.provesNothingWasDone ? .answered : open,
                retry: code == .rateLimited || code == .serviceFailure ? refusal.retry : .never,
                vendorCode: refusal.code ?? refusal.result)
        case .transport(let error): return PaymentError(error, provider: merchant, isMutation: isMutation)
        case .unusableAnswer(let text):
            return PaymentError(
                .invalidResponse, "Payrails' answer cannot be understood: \(text)", provider: merchant, phase: open,
                retry: .later)
        case .foreignAnswer(let text):
            return PaymentError(
                .integrity, "Payrails answered something else than was asked: \(text)", provider: merchant, phase: open)
        case .unsendable(let text):
            return PaymentError(.requestRefused, "nothing was sent: \(text)", provider: merchant)
        }
    }

    /// The kind of error and its text for people.
    static func meaning(of refusal: Refusal) -> (code: PaymentError.Code, text: String) {
        if refusal.isPage, refusal.status == 403 {
            return (
                .unauthorized,
                "something before Payrails refused the request (HTTP 403, no JSON); the client certificate may be missing"
            )
        }
        let known = refusal.code.flatMap { byCode[$0] } ?? refusal.result.flatMap { byResult[$0] }
        return known ?? byStatus(refusal.status)
    }

    static let byCode: [String: (code: PaymentError.Code, text: String)] = [
        "invalid_client": (.unauthorized, "Payrails does not accept the client id or its secret (invalid_client)"),
        "request.unauthorized": (
            .unauthorized,
            "Payrails does not accept the access token, or the workspace is missing (request.unauthorized)"
        ),
        "request.forbidden": (
            .unauthorized, "the client lacks the role for this, or an address has an IP number (request.forbidden)"
        ),
        "request.not-found": (.notFound, "Payrails does not know this (request.not-found)"),
        "request.conflict": (.requestRefused, "something else is under way there (request.conflict)"),
        "request.timeout": (.serviceFailure, "Payrails did not answer in time (request.timeout)"),
        "request.canceled": (.serviceFailure, "the request was broken off (request.canceled)"),
        "request.rate-limit": (.rateLimited, "Payrails asks for fewer requests (request.rate-limit); try again later"),
        "request.malformed": (.requestRefused, "Payrails cannot read the request (request.malformed)"),
        "request.entity-too-large": (.requestRefused, "the request is too large (request.entity-too-large)"),
        "request.header.missing": (.requestRefused, "a header field is missing (request.header.missing)"),
        "request.header.invalid": (.requestRefused, "a header field is not accepted (request.header.invalid)"),
        "request.param.missing": (.requestRefused, "a member is missing (request.param.missing)"),
        "request.param.invalid": (.requestRefused, "a member is not accepted (request.param.invalid)"),
        "request.method-not-allowed": (.requestRefused, "the call does not exist (request.method-not-allowed)"),
        "workflow.action.not-allowed": (
            .requestRefused, "the payment's state does not allow it (workflow.action.not-allowed)"
        ),
        "workflow.action.failed": (.requestRefused, "the action failed (workflow.action.failed)"),
        "workflow.rule.failed": (.requestRefused, "a rule of the workflow refuses it (workflow.rule.failed)"),
        "internal": (.serviceFailure, "Payrails has a fault (internal)"),
        "service.unavailable": (.serviceFailure, "Payrails is not available (service.unavailable); try again later"),
    ]

    static let byResult: [String: (code: PaymentError.Code, text: String)] = [
        "OperationNotAllowed": (.requestRefused, "the payment's state does not allow it (OperationNotAllowed)"),
        "DuplicateOperation": (.requestRefused, "it was asked for before (DuplicateOperation)"),
        "LimitExceeded": (.requestRefused, "it exceeds a limit (LimitExceeded)"),
        "AuthenticationError": (.unauthorized, "the payment's provider refuses the merchant (AuthenticationError)"),
    ]

    private static func byStatus(_ status: Int) -> (code: PaymentError.Code, text: String) {
        switch status {
        case 401, 403: (.unauthorized, "Payrails does not accept the credentials (HTTP \(status))")
        case 404: (.notFound, "Payrails does not know this (HTTP 404)")
        case 429: (.rateLimited, "Payrails asks for fewer requests (HTTP 429); try again later")
        case 400..<500: (.requestRefused, "Payrails refused the request (HTTP \(status))")
        case 500..<600: (.serviceFailure, "Payrails has a fault (HTTP \(status)); try again later")
        case 300..<400: (.invalidResponse, "Payrails redirects to another address, which is never followed")
        default: (.invalidResponse, "Payrails answered with HTTP \(status)")
        }
    }
}

/// Runs `work` and turns its failure into a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(CallFailure) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch {
        throw ErrorTable.error(error, isMutation: isMutation, at: merchant)
    }
}
