public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of a session or payment, in the cases of the vendor's SDK, with ``paymentPending``. Texts never hold
/// tokens, card data or personal data.
public enum PayrailsError: Error, Sendable {
    /// The token is refused or has expired (HTTP 401 or 403). A new session is needed. If this happens after the
    /// service accepted the payment, the error is wrapped in ``longPollingFailed(underlyingError:)``.
    case authenticationError
    /// No session exists. Never thrown; for source compatibility.
    case sdkNotInitialized
    /// A value is missing from the configuration or an answer; the text names it.
    case missingData(String?)
    /// The init data is not base64 of a JSON object.
    case invalidDataFormat
    /// The entered card data is not acceptable.
    case invalidCardData
    /// Another failure; a ``PayrailsUnderlyingError`` if the cause is known.
    case unknown(error: (any Error)?)
    /// The payment offers no option of this type.
    case unsupportedPayment(type: Payrails.PaymentType)
    /// The option lacks a value that the type needs.
    case incorrectPaymentSetup(type: Payrails.PaymentType)
    /// The begin of the payment did not show at the service. The payment may have been made nevertheless.
    case pollingFailed(String)
    /// The service's status of the payment cannot be read. The payment may have been made nevertheless.
    case failedToDerivePaymentStatus(String)
    /// The service reported no final status in time. The payment may have been made nevertheless.
    case finalStatusNotFoundAfterLongPoll(String)
    /// Waiting for the final status failed. The payment may have been made nevertheless.
    case longPollingFailed(underlyingError: (any Error)?)
    /// The payment continues without the payer; ask later. Not among the vendor's cases: see ``OnPayResult/isPending``.
    case paymentPending
}

extension PayrailsError: LocalizedError, CustomStringConvertible {
    /// One sentence for people.
    public var errorDescription: String? { description }

    /// One sentence for people.
    public var description: String {
        switch self {
        case .authenticationError:
            "Not authorised: the session's token was refused or has expired; start a new session."
        case .sdkNotInitialized: "No session: call Payrails.createSession(with:) first."
        case .missingData(let what): "Something needed is missing: \(what ?? "an unknown field")"
        case .invalidDataFormat: "The init data cannot be read: it has to be base64 of a JSON object."
        case .invalidCardData: "The card data is not valid."
        // Its description already states, for the payer, that the payment failed.
        case .unknown(let failure as StoredInstrumentError): failure.description
        case .unknown(let error): error.map { "The payment failed: \(Self.text(of: $0))" } ?? "The payment failed."
        case .unsupportedPayment(let type): "This payment cannot be made with \(type.rawValue)."
        case .incorrectPaymentSetup(let type): "The setup for \(type.rawValue) is incomplete."
        case .pollingFailed(let why): "The payment was not seen to begin: \(why)"
        case .failedToDerivePaymentStatus(let why): "The payment's status cannot be read: \(why)"
        case .finalStatusNotFoundAfterLongPoll(let why): "The payment has no final status yet: \(why)"
        case .longPollingFailed(let error):
            "Waiting for the payment failed" + (error.map { ": \(Self.text(of: $0))" } ?? ".")
        case .paymentPending: "The payment is in progress; its outcome is not known yet."
        }
    }

    /// Returns the text of an error. Only this library's errors guarantee to hold no secrets; of others the text is the
    /// type.
    private static func text(of error: any Error) -> String {
        switch error {
        case let error as PayrailsUnderlyingError: error.description
        case let error as PayrailsError: error.description
        case let error as PaymentError: error.message
        default: "\(type(of: error))"
        }
    }

    /// True if the payment may have been made in spite of this error.
    package var leavesFateOpen: Bool {
        switch self {
        case .pollingFailed, .failedToDerivePaymentStatus, .finalStatusNotFoundAfterLongPoll, .longPollingFailed,
            .paymentPending:
            true
        case .unknown(let error as PayrailsUnderlyingError): error.leavesFateOpen
        case .unknown(let error as PaymentError): error.phase == .maybeSent
        case .unknown(let error as StoredInstrumentError): error.mayHaveBeenPaid
        case .unknown: true
        case .authenticationError, .sdkNotInitialized, .missingData, .invalidDataFormat, .invalidCardData,
            .unsupportedPayment, .incorrectPaymentSetup:
            false
        }
    }
}

extension PayrailsError {
    var isAuthentication: Bool { if case .authenticationError = self { true } else { false } }
}

// MARK: - Causes

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

// MARK: - The router's errors

extension PaymentError {
    /// Creates the router's error whose cause is `error`.
    ///
    /// - Parameter isMutation: true if the call could have moved money.
    init(_ error: PayrailsError, isMutation: Bool, at provider: ProviderID = PayrailsProvider.id) {
        let open: Phase = isMutation ? .maybeSent : .beforeSend
        func make(_ code: Code, _ phase: Phase, retry: RetryAdvice = .never, vendorCode: String? = nil) -> PaymentError
        {
            PaymentError(
                code, error.description, provider: provider, phase: phase, retry: retry, vendorCode: vendorCode)
        }
        switch error {
        case .authenticationError: self = make(.unauthorized, .answered)
        case .unsupportedPayment, .incorrectPaymentSetup: self = make(.unusableOption, .beforeSend)
        case .invalidCardData: self = make(.payer, .beforeSend)
        case .pollingFailed, .failedToDerivePaymentStatus, .finalStatusNotFoundAfterLongPoll, .longPollingFailed,
            .paymentPending:
            self = make(.network, open, retry: .later)
        case .sdkNotInitialized, .missingData, .invalidDataFormat: self = make(.invalidResponse, .beforeSend)
        case .unknown(let cause as PayrailsUnderlyingError):
            self = Self.fault(cause, open, isMutation: isMutation, at: provider, make)
        case .unknown: self = make(.providerFault, .beforeSend)
        }
        cause = error
    }

    private static func fault(
        _ fault: PayrailsUnderlyingError, _ open: Phase, isMutation: Bool, at provider: ProviderID,
        _ make: (Code, Phase, RetryAdvice, String?) -> PaymentError
    ) -> PaymentError {
        switch fault {
        case .transport(let error): PaymentError(error, provider: provider, isMutation: isMutation)
        case .service(let answer) where answer.status == 429:
            make(.rateLimited, isMutation ? .maybeSent : .answered, answer.retry, answer.code)
        case .service(let answer) where answer.status == 404: make(.notFound, .answered, .never, answer.code)
        case .service(let answer) where answer.mayFollowAnEffect:
            make(.requestRefused, isMutation ? .maybeSent : .answered, isMutation ? .later : .never, answer.code)
        case .service(let answer) where fault.leavesFateOpen: make(.serviceFailure, open, answer.retry, answer.code)
        case .service(let answer): make(.requestRefused, .answered, .never, answer.code)
        case .unusableAnswer: make(.invalidResponse, open, .later, nil)
        case .unusableInitData, .untrustedAddress, .insecureAddress, .unusableID:
            make(.integrity, .beforeSend, .never, nil)
        case .foreignReturn: make(.foreignReturn, .maybeSent, .later, nil)
        case .noPresenter, .presenterFailed: make(.payer, open, .later, nil)
        case .paymentInProgress: make(.inUse, .beforeSend, .later, nil)
        }
    }
}

extension String {
    /// The text, or nil if it is empty.
    package var nonEmpty: String? { isEmpty ? nil : self }
}
