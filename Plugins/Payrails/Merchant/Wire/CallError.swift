import PaymentCore
import PayrailsProvider
import ServiceSupport

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
