package import PaymentCore

/// The meanings of one service's refusals, by code, or by HTTP status if no code has a meaning. It maps every failed
/// call to a ``PaymentError``.
///
/// The service's own texts are not repeated, because they may hold what was sent.
package struct ErrorTable: Sendable {
    /// A kind of error and its text for people.
    package typealias Meaning = (code: PaymentError.Code, text: String)

    private let service: String
    private let byCode: [String: Meaning]
    private let byStatus: [Int: Meaning]
    private let ofSuccess: Meaning?
    private let unsendable: PaymentError.Code

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - service: the service's name in the texts of statuses that have no text here.
    ///   - byCode: the meanings of the service's own codes.
    ///   - byStatus: the meanings of statuses that differ from the general ones.
    ///   - ofSuccess: the meaning of a refusal that comes with a status of success.
    ///   - unsendable: the code of a request that cannot be sent as it is.
    package init(
        service: String = "the service", byCode: [String: Meaning] = [:], byStatus: [Int: Meaning] = [:],
        ofSuccess: Meaning? = nil, unsendable: PaymentError.Code = .rejectedLink
    ) {
        self.service = service
        self.byCode = byCode
        self.byStatus = byStatus
        self.ofSuccess = ofSuccess
        self.unsendable = unsendable
    }

    /// Returns this table with meanings that come before its own.
    package func adding(
        byCode: [String: Meaning], byStatus: [Int: Meaning], unsendable: PaymentError.Code
    ) -> ErrorTable {
        ErrorTable(
            service: service, byCode: self.byCode.merging(byCode) { $1 },
            byStatus: self.byStatus.merging(byStatus) { $1 }, ofSuccess: ofSuccess, unsendable: unsendable)
    }

    // MARK: Refusals

    /// Returns the code of a refusal's error, and its text for people.
    package func meaning(of refusal: any RefusedAnswer) -> Meaning {
        refusal.meaning ?? refusal.codes.lazy.compactMap { byCode[$0] }.first ?? byStatus[refusal.status]
            ?? meaning(of: refusal.status)
    }

    private func meaning(of status: Int) -> Meaning {
        if 200..<300 ~= status, let ofSuccess { return ofSuccess }
        return PaymentError.meaning(of: status, by: service)
    }

    // MARK: Errors

    /// Returns the core's error for a failed call whose cause is `error`.
    ///
    /// - Parameters:
    ///   - error: the vendor's error.
    ///   - isMutation: true if the request could move money or change something. Its fate is then open, unless the
    ///     error proves that nothing was done.
    ///   - provider: the provider whose error it is.
    package func paymentError(
        from error: some ServiceCallError, isMutation: Bool, at provider: ProviderID
    ) -> PaymentError {
        var made = paymentError(for: error.failedCall, isMutation: isMutation, at: provider)
        made.cause = error
        return made
    }

    private func paymentError(for call: FailedCall, isMutation: Bool, at provider: ProviderID) -> PaymentError {
        let open: PaymentError.Phase = isMutation ? .maybeSent : .answered
        switch call {
        case .refused(let refusal):
            let (code, text) = meaning(of: refusal)
            return PaymentError(
                code, text, provider: provider, phase: refusal.provesNothingWasDone ? .answered : open,
                retry: code == .rateLimited || code == .serviceFailure ? refusal.retry : .never,
                vendorCode: refusal.codes.first)
        case .transport(let error): return PaymentError(error, provider: provider, isMutation: isMutation)
        case .unusableAnswer(let text):
            return PaymentError(.invalidResponse, text, provider: provider, phase: open, retry: .later)
        case .unsendable(let text): return PaymentError(unsendable, text, provider: provider)
        case .other(let code, let text, let phase, let ifMutation):
            return PaymentError(code, text, provider: provider, phase: isMutation ? ifMutation ?? phase : phase)
        case .afterOpenCopy(let last):
            let last = paymentError(for: last, isMutation: isMutation, at: provider)
            return last.with(
                message: "\(last.message); it was sent before, and that may have arrived", phase: .maybeSent)
        }
    }
}

/// Why a call to a service has no result. Each vendor has its own type for it. All of them provide what an
/// ``ErrorTable`` needs in one form.
package protocol ServiceCallError: Error {
    /// The end of the call.
    var failedCall: FailedCall { get }
}

/// The end of a call that has no result. Every service's calls share these cases.
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
    /// The end of the last copy of a mutation. An earlier copy may have been carried out.
    indirect case afterOpenCopy(FailedCall)
}

/// An answer that is not a result, as an ``ErrorTable`` reads it.
package protocol RefusedAnswer: Sendable {
    /// The HTTP status.
    var status: Int { get }
    /// The service's own codes, the most specific one first. That one is shown.
    var codes: [String] { get }
    /// True if a mutation that got this answer was certainly not carried out.
    var provesNothingWasDone: Bool { get }
    /// The advice when to ask again, for answers that may change later.
    var retry: PaymentError.RetryAdvice { get }
    /// The meaning of the answer whatever its codes say; nil if the codes and the status decide.
    var meaning: ErrorTable.Meaning? { get }
}

extension RefusedAnswer {
    /// Nil, so the codes and the status decide.
    package var meaning: ErrorTable.Meaning? { nil }
}
