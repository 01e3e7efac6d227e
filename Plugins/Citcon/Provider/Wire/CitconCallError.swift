package import PaymentCore

/// The reason for which a call to the service has no result. The client and the provider map it to their own errors.
package enum CitconCallError: Error, Sendable, Hashable {
    /// The service answered and refused, or has a fault.
    case refused(CitconErrorResponse)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood; the text says where.
    case unusableAnswer(String)
    /// The call cannot be sent as it is.
    case invalidRequest(String)
}

extension CitconCallError: ServiceCallError {
    /// How the call ended.
    package var failedCall: FailedCall {
        switch self {
        case .refused(let refusal): .refused(refusal)
        case .transport(let error): .transport(error)
        case .unusableAnswer(let text): .unusableAnswer(text)
        // This request did not leave; what it was to ask about may have.
        case .invalidRequest(let text): .other(.rejectedLink, text, phase: .beforeSend, ifMutation: .maybeSent)
        }
    }
}

/// An answer that is not a result.
package struct CitconErrorResponse: Sendable, Hashable, RefusedAnswer {
    /// The HTTP status.
    package let status: Int
    /// The service's code, when it gave one that looks like a code.
    package let code: String?
    /// The code, as tables of errors look it up.
    package var codes: [String] { code.map { [$0] } ?? [] }
    /// The service's own text. Shown to the merchant's application only, as the vendor's SDK does: it may repeat what
    /// was sent.
    package let message: String?
    /// How long the service asks to wait before the next try.
    package let retry: PaymentError.RetryAdvice

    package init(_ response: HTTPResponse, _ envelope: Envelope?) {
        status = response.status
        retry = PaymentError.RetryAdvice(response)
        let fields = envelope.map { TransactionFields($0.data) }
        let code = fields?.code ?? ""
        let isPlain = code.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D }
        self.code = !code.isEmpty && code.utf8.count <= 24 && isPlain ? code : nil
        message = fields?.message
    }

    /// Whether the service looked at the request and did not carry it out; false for faults on its side, after which
    /// nobody knows.
    package var isRejection: Bool {
        (400..<500).contains(status) && status != 408
    }

    /// Whether every copy of the request must have got this answer, so that none of them can have been carried out.
    ///
    /// A network may deliver a request twice. A charge that one copy has confirmed refuses the next ("bad request",
    /// "duplicate request", "not found"), and only that answer may come back. What is judged before the charge is
    /// looked at, and would be judged the same a moment earlier, is proof: the credentials, the header, the form.
    package var provesNothingWasDone: Bool {
        guard isRejection else { return false }
        if let code { return code == "4010" || code == "4102" }
        return [401, 403, 405, 411, 413, 414, 415, 431].contains(status)
    }
}

extension CitconCallError {
    /// Whether the very request that this answers may have been carried out, were it a mutation.
    package var leavesFateOpen: Bool {
        switch self {
        case .refused(let refusal): !refusal.isRejection
        case .transport(let error): error.phase == .maybeSent
        case .unusableAnswer: true
        case .invalidRequest: false
        }
    }

    /// Whether this refuses one copy of a request of which another copy may have been carried out.
    package var mayFollowItsOwnEffect: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.isRejection && !refusal.provesNothingWasDone
    }

    /// Whether the service does not know what it was asked for.
    package var isNotFound: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.status == 404
    }

    /// The code that the vendor's client hands out.
    package var clientCode: String {
        switch self {
        case .refused(let refusal): refusal.code ?? VendorCode.failure
        case .unusableAnswer: VendorCode.cancelled
        case .transport, .invalidRequest: VendorCode.failure
        }
    }

    /// The message that the vendor's client hands out.
    package var clientMessage: String {
        switch self {
        case .refused(let refusal): refusal.message ?? VendorText.unknown
        case .unusableAnswer(let text): VendorText.undecodable + text
        case .transport(let error): "\(VendorText.unknown): \(error)"
        case .invalidRequest(let text): "\(VendorText.unknown): \(text)"
        }
    }
}
