import PaymentCore

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
        // Its description says that the payment failed, in words for the payer.
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
