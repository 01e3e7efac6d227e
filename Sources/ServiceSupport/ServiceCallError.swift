package import PaymentCore

/// The reason for which a call to a service has no result. Each vendor has its own type for it, and all provide in one
/// form what an ``ErrorTable`` needs.
package protocol ServiceCallError: Error {
    /// The end of the call.
    var failedCall: FailedCall { get }
}

/// The end of a call that has no result; every service's calls share these cases.
package enum FailedCall: Sendable {
    /// The service answered and refused, or has a fault.
    case refused(any RefusedAnswer)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood; the text names the place.
    case unusableAnswer(String)
    /// The request cannot be sent as it is; the text gives the reason.
    case unsendable(String)
    /// Any other failure that the vendor's client finds, with its text.
    ///
    /// - Parameters:
    ///   - phase: the progress of the call when it could not move money.
    ///   - ifMutation: its progress when it could; nil for the same.
    case other(PaymentError.Code, String, phase: PaymentError.Phase, ifMutation: PaymentError.Phase? = nil)
    /// The end of the last copy of a mutation, of which an earlier copy may have been carried out.
    indirect case afterOpenCopy(FailedCall)
}

/// An answer that is not a result, as an ``ErrorTable`` reads it.
package protocol RefusedAnswer: Sendable {
    /// The HTTP status.
    var status: Int { get }
    /// The service's own codes, the most specific one first: that one is shown.
    var codes: [String] { get }
    /// True if a mutation that got this answer was surely not carried out.
    var provesNothingWasDone: Bool { get }
    /// The advice when to ask again, for answers that may be others later.
    var retry: PaymentError.RetryAdvice { get }
    /// The meaning of the answer whatever its codes say; nil where the codes and the status decide.
    var meaning: ErrorTable.Meaning? { get }
}

extension RefusedAnswer {
    /// Nil: the codes and the status decide.
    package var meaning: ErrorTable.Meaning? { nil }
}
