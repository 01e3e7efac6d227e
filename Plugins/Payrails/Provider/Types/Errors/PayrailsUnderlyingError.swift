public import PaymentCore

/// The cause of ``PayrailsError/unknown(error:)`` and ``PayrailsError/longPollingFailed(underlyingError:)``.
public enum PayrailsUnderlyingError: Error, Sendable, Hashable {
    /// The service answered with an error status.
    case service(PayrailsServiceError)
    /// The service sent no complete answer.
    case transport(TransportError)
    /// The service's answer cannot be read; the text names the part.
    case unusableAnswer(String)
    /// The init data cannot be used; the text names the part.
    case unusableInitData(String)
    /// An address is outside the hosts that may receive the token or be opened; the error has only its origin.
    case untrustedAddress(origin: String)
    /// An address would send the token over plain http to another machine; the error has only its origin.
    case insecureAddress(origin: String)
    /// An id, given by the name of its field, cannot become part of a request.
    case unusableID(field: String)
    /// The payer came back from PayPal with another order than the service named; the item names the part of the URL
    /// that differs.
    case foreignReturn(item: String)
    /// Another payment of the session is in progress.
    case paymentInProgress
    /// The payment needs a page, and there is no presenter to show it.
    case noPresenter
    /// The presenter failed.
    case presenterFailed(String)
}

/// An error status of the service.
public struct PayrailsServiceError: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The service's code, such as `workflow.action.not-allowed`, if it sent one of that form.
    public let code: String?
    /// The result of the operation, such as `GenericRejection`, if the service sent one of that form.
    public let result: String?
    /// The service's advice on when to retry.
    package let retry: PaymentError.RetryAdvice

    /// Creates a value.
    public init(status: Int, code: String? = nil, result: String? = nil) {
        self.init(status: status, code: code, result: result, retry: .later)
    }

    package init(status: Int, code: String?, result: String?, retry: PaymentError.RetryAdvice) {
        self.status = status
        self.code = code
        self.result = result
        self.retry = retry
    }
}

extension PayrailsServiceError {
    /// True if the rejection may be that of a repetition: networks deliver requests twice, and if the first copy began
    /// a payment, the service rejects the second. A defect in a request's form, or in its token, would have been
    /// reported for the first copy as well.
    package var mayFollowAnEffect: Bool {
        switch status {
        case 409, 425, 429: true
        case 400, 422: code.map { !$0.hasPrefix("request.") || $0 == "request.conflict" } ?? true
        default: false
        }
    }
}

extension PayrailsUnderlyingError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .service(let fault):
            "the service answered \(fault.status)"
                + ([fault.code, fault.result].compactMap(\.self).joined(separator: ", ").nonEmpty.map { " (\($0))" }
                    ?? "")
        case .transport(let error): error.description
        case .unusableAnswer(let text): "the service's answer cannot be understood: \(text)"
        case .unusableInitData(let text): "the init data cannot be used: \(text)"
        case .untrustedAddress(let origin): "\(origin) is not an address of Payrails; nothing was sent or opened there"
        case .insecureAddress(let origin):
            "\(origin) is plain http and not on this machine, where others on the network could read the session's token; "
                + "nothing was sent or opened there"
        case .unusableID(let field): "'\(field)' has characters that cannot be part of a request; nothing was sent"
        case .foreignReturn(let item):
            "the payer came back with another order at PayPal than the service named: '\(item)' differs; nothing was "
                + "confirmed, and it may be paid all the same: ask before paying again"
        case .paymentInProgress: "another payment of this session is in progress; wait for its result"
        case .noPresenter: "the payer has to see a page; pass a presenter that can show one"
        case .presenterFailed(let type): "the presenter failed to show the page (\(type))"
        }
    }

    /// True if a mutation that failed with this error may have been carried out.
    package var leavesFateOpen: Bool {
        switch self {
        case .service(let fault):
            !(400..<500).contains(fault.status) || fault.status == 408 || fault.mayFollowAnEffect
        case .transport(let error): error.phase == .maybeSent
        case .unusableAnswer, .noPresenter, .presenterFailed, .foreignReturn: true
        case .unusableInitData, .untrustedAddress, .insecureAddress, .unusableID, .paymentInProgress: false
        }
    }
}

extension String {
    /// The text, or nil if it is empty.
    package var nonEmpty: String? { isEmpty ? nil : self }
}
