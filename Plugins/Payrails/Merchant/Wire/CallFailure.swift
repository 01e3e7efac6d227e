import PaymentCore
import PayrailsProvider

/// Why a call has no usable answer.
enum CallFailure: Error, Sendable {
    /// The service answered with an error status.
    case refused(Refusal)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood; the text says what is wrong with it.
    case unusableAnswer(String)
    /// The answer is about something else than was asked for.
    case foreignAnswer(String)
    /// Nothing was sent; the text says why.
    case unsendable(String)
}

/// An error status of the service, in its own envelope, in the one of its token service, or in neither (Protocol 6).
struct Refusal: Sendable, Hashable {
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

    /// Whether the service says that the state of the payment forbids it. Under a key, a copy of the request would be
    /// answered like the first, so that this is not said to the second of two.
    var isOfState: Bool {
        code == "workflow.action.not-allowed" || result == "OperationNotAllowed" || result == "DuplicateOperation"
    }
}
