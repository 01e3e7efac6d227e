import PaymentCore
import PayrailsProvider

/// The reason for which a call has no usable answer.
enum CallError: Error, Sendable {
    /// The service answered with an error status.
    case refused(ErrorAnswer)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood; the text says what is wrong with it.
    case unusableAnswer(String)
    /// The answer is about something else than was asked for.
    case foreignAnswer(String)
    /// Nothing was sent; the text says why.
    case unsendable(String)
}

extension CallError: ServiceCallError {
    /// How the call ended.
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

/// An error status of the service, in its own envelope, in the one of its token service, or in neither (Protocol 6).
struct ErrorAnswer: Sendable, Hashable, RefusedAnswer {
    let status: Int
    /// The service's code, such as `workflow.action.not-allowed`, or the token service's, such as `invalid_client`.
    let code: String?
    /// The result of the operation, such as `OperationNotAllowed`.
    let result: String?
    /// Whether the answer is no JSON at all: it comes from something before the service.
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

    /// The code, and after it the operation's result.
    var codes: [String] { [code, result].compactMap(\.self) }

    /// What it means that something before the service refuses.
    var meaning: ErrorTable.Meaning? {
        guard isPage, status == 403 else { return nil }
        return (
            .unauthorized,
            "something before Payrails refused the request (HTTP 403, no JSON); the client certificate may be missing"
        )
    }

    /// Whether the service says that the state of the payment forbids it. Under a key, a copy of the request would be
    /// answered like the first, so that this is not said to the second of two.
    var isOfState: Bool {
        code == "workflow.action.not-allowed" || result == "OperationNotAllowed" || result == "DuplicateOperation"
    }
}
