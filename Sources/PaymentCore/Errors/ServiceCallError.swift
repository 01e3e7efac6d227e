/// The reason for which a call to a service has no result. Each vendor has its own type for it, and all say in one form
/// what an ``ErrorTable`` needs to know.
package protocol ServiceCallError: Error {
    /// How the call ended.
    var failedCall: FailedCall { get }
}

/// The end of a call that has no result, as every service's calls may end.
package enum FailedCall: Sendable {
    /// The service answered and refused, or has a fault.
    case refused(any RefusedAnswer)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood; the text says where.
    case unusableAnswer(String)
    /// The request cannot be sent as it is; the text says why.
    case unsendable(String)
    /// Anything else that the vendor's client finds out, with its text.
    ///
    /// - Parameters:
    ///   - phase: how far things got when the call could not move money.
    ///   - ifMutation: how far they got when it could; nil for the same.
    case other(PaymentError.Code, String, phase: PaymentError.Phase, ifMutation: PaymentError.Phase? = nil)
    /// What became of the last copy of a mutation, of which an earlier copy may have been carried out.
    indirect case afterOpenCopy(FailedCall)
}

/// An answer that is not a result, as an ``ErrorTable`` reads it.
package protocol RefusedAnswer: Sendable {
    /// The HTTP status.
    var status: Int { get }
    /// The service's own codes, the most telling one first: that one is shown.
    var codes: [String] { get }
    /// Whether a mutation that got this answer was surely not carried out.
    var provesNothingWasDone: Bool { get }
    /// When to ask again, for answers that may be others later.
    var retry: PaymentError.RetryAdvice { get }
    /// What the answer means whatever its codes say; nil where the codes and the status decide.
    var meaning: ErrorTable.Meaning? { get }
}

extension RefusedAnswer {
    /// Nil: the codes and the status decide.
    package var meaning: ErrorTable.Meaning? { nil }
}
