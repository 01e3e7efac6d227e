import PaymentCore
import ServiceSupport

extension ErrorTable {
    /// Payrails' refusals of a merchant's calls, by the service's codes and the results of its operations (Protocol 6).
    static let payrailsMerchant = ErrorTable(
        service: "Payrails",
        byCode: [
            "invalid_client": (.unauthorized, "Payrails does not accept the client id or its secret (invalid_client)"),
            "request.unauthorized": (
                .unauthorized,
                "Payrails does not accept the access token, or the workspace is missing (request.unauthorized)"
            ),
            "request.forbidden": (
                .unauthorized, "the client lacks the role for this, or an address has an IP number (request.forbidden)"
            ),
            "request.not-found": (.notFound, "Payrails does not know this (request.not-found)"),
            "request.conflict": (.requestRefused, "something else is in progress there (request.conflict)"),
            "request.timeout": (.serviceFailure, "Payrails did not answer in time (request.timeout)"),
            "request.canceled": (.serviceFailure, "the request was broken off (request.canceled)"),
            "request.rate-limit": (
                .rateLimited, "Payrails asks for fewer requests (request.rate-limit); try again later"
            ),
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
            "service.unavailable": (
                .serviceFailure, "Payrails is not available (service.unavailable); try again later"
            ),
            // The results of operations.
            "OperationNotAllowed": (.requestRefused, "the payment's state does not allow it (OperationNotAllowed)"),
            "DuplicateOperation": (.requestRefused, "it was asked for before (DuplicateOperation)"),
            "LimitExceeded": (.requestRefused, "it exceeds a limit (LimitExceeded)"),
            "AuthenticationError": (.unauthorized, "the payment's provider refuses the merchant (AuthenticationError)"),
        ], unsendable: .requestRefused)
}

/// Runs `work` and maps its failure to a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(CallError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch {
        throw ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: isMutation, at: merchant)
    }
}
