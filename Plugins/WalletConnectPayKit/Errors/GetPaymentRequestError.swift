import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why ``PayClient/getRequiredPaymentActions(paymentId:optionId:)`` failed.
///
/// Every case carries a text for people, with the HTTP status and the service's code where there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum GetPaymentRequestError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The payment has no such option.
    case optionNotFound(String)
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// An account is not one the service takes.
    case invalidAccount(String)
    /// No connection could be made, or it was lost.
    case noConnection(String)
    /// There was no answer in time.
    case requestTimeout(String)
    /// The server refused the connection or could not prove who it is.
    case connectionFailed(String)
    /// The service asks for fewer requests.
    case rateLimited(String)
    /// Any other failure of the exchange.
    case http(String)
    /// The actions could not be had; the text says why.
    case fetchError(String)
    /// The service reports a fault of its own, or the client is not configured.
    case internalError(String)

    /// The case's meaning and its text.
    public var description: String { sentence }
    /// The case's meaning and its text.
    public var errorDescription: String? { sentence }
}

extension GetPaymentRequestError: VendorError {
    init(_ error: GatewayError) {
        switch error {
        case .refused(let refusal):
            self =
                switch (refusal.code, refusal.status) {
                case ("params_validation", _) where refusal.detail == .optionNotFound: .optionNotFound(refusal.text)
                case ("payment_not_found", _): .paymentNotFound(refusal.text)
                case ("rate_limited", _), (_, 429): .rateLimited(refusal.text)
                case ("internal_error", _): .internalError(refusal.text)
                default: .fetchError(refusal.text)
                }
        case .transport(let error): self = .network(error, advice: Advice.query)
        case .unknownOption: self = .optionNotFound(error.text)
        case .invalidRequest, .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls:
            self = .fetchError(error.text)
        case .cancelled, .afterOpenCopy: self = .http(error.text)
        }
    }

    var headline: String {
        switch self {
        case .optionNotFound: "Option not found"
        case .paymentNotFound: "Payment not found"
        case .invalidAccount: "Invalid account"
        case .noConnection: "No network connection"
        case .requestTimeout: "Request timed out"
        case .connectionFailed: "Connection failed"
        case .rateLimited: "Rate limited"
        case .http: "HTTP error"
        case .fetchError: "Fetch error"
        case .internalError: "Internal error"
        }
    }

    var detail: String {
        switch self {
        case .optionNotFound(let text), .paymentNotFound(let text), .invalidAccount(let text), .noConnection(let text),
            .requestTimeout(let text), .connectionFailed(let text), .rateLimited(let text), .http(let text),
            .fetchError(let text), .internalError(let text):
            text
        }
    }
}
