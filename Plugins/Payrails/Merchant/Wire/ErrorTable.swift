import PaymentCore
import PayrailsProvider
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

/// A failure of a call to get a usable answer.
enum CallError: Error, Sendable {
    /// The service answered with an error status.
    case refused(ErrorAnswer)
    /// The service sent no complete answer.
    case transport(TransportError)
    /// The answer cannot be read; the text names the defect.
    case unusableAnswer(String)
    /// The answer is about something other than the request.
    case foreignAnswer(String)
    /// Nothing was sent; the text gives the reason.
    case unsendable(String)
}

extension CallError: ServiceCallError {
    /// The failure in the form of the merchants' error tables.
    var failedCall: FailedCall {
        switch self {
        case .refused(let refusal): .refused(refusal)
        case .transport(let error): .transport(error)
        case .unusableAnswer(let text): .unusableAnswer("Payrails' answer cannot be understood: \(text)")
        case .foreignAnswer(let text):
            .other(
                .integrity, "Payrails answered something else than was asked: \(text)", phase: .answered,
                ifMutation: .maybeSent)
        case .unsendable(let text): .unsendable("nothing was sent: \(text)")
        }
    }
}

/// An error status of the service, in its own envelope, in that of its token service, or in neither (Protocol 6).
struct ErrorAnswer: Sendable, Hashable, RefusedAnswer {
    let status: Int
    /// The service's code, such as `workflow.action.not-allowed`, or the token service's, such as `invalid_client`.
    let code: String?
    /// The result of the operation, such as `OperationNotAllowed`.
    let result: String?
    /// True if the answer is not JSON: it comes from a server before the service.
    let isPage: Bool
    let provesNothingWasDone: Bool
    let retry: PaymentError.RetryAdvice

    init(_ response: HTTPResponse) {
        status = response.status
        provesNothingWasDone = response.provesNothingWasDone
        retry = PaymentError.RetryAdvice(response)
        let body = try? JSONValue(parsing: response.body)
        isPage = body?.object == nil && !response.body.isEmpty
        let error = body?["errors"]?[0]
        code = WireText.code(error?["code"]?.string ?? error?["title"]?.string ?? body?["error"]?.string)
        result = WireText.code((error?["reason"] ?? error?["meta"])?["result"]?.string)
    }

    /// The code, followed by the operation's result.
    var codes: [String] { [code, result].compactMap(\.self) }

    /// The meaning of a rejection by a server before the service; nil for other answers.
    var meaning: ErrorTable.Meaning? {
        guard isPage, status == 403 else { return nil }
        return (
            .unauthorized,
            "something before Payrails refused the request (HTTP 403, no JSON); the client certificate may be missing"
        )
    }

    /// True if the service reports that the state of the payment forbids the request. Under a key, a copy of the
    /// request would receive the first answer, so the second of two does not receive this error.
    var isOfState: Bool {
        code == "workflow.action.not-allowed" || result == "OperationNotAllowed" || result == "DuplicateOperation"
    }
}
