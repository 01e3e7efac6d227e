import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why ``PayClient/getPaymentOptions(paymentLink:accounts:includePaymentInfo:)`` failed.
///
/// Every case carries a text for people, with the HTTP status and the service's code where there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum GetPaymentOptionsError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The payment's time is over.
    case paymentExpired(String)
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// The request or the link is not acceptable, or the client is not configured.
    case invalidRequest(String)
    /// The payment has no such option.
    case optionNotFound(String)
    /// The payment cannot be paid yet. The service has not been seen to say this.
    case paymentNotReady(String)
    /// An account is not one the service takes.
    case invalidAccount(String)
    /// The service declines this payer.
    case complianceFailed(String)
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
    /// The service reports a fault of its own, or the client is not configured.
    case internalError(String)

    /// The case's meaning and its text.
    public var description: String { sentence }
    /// The case's meaning and its text.
    public var errorDescription: String? { sentence }
}

extension GetPaymentOptionsError: VendorError {
    init(_ error: GatewayError) {
        switch error {
        case .refused(let refusal):
            self =
                switch (refusal.code, refusal.status) {
                case ("payment_not_found", _): .paymentNotFound(refusal.text)
                case ("payment_expired", _): .paymentExpired(refusal.text)
                case ("rate_limited", _): .rateLimited(refusal.text)
                case ("sanctioned_user", _): .complianceFailed(refusal.text)
                case ("internal_error", _): .internalError(refusal.text)
                case (_, 400): .invalidRequest(refusal.text)
                case (_, 404): .paymentNotFound(refusal.text)
                case (_, 410): .paymentExpired(refusal.text)
                case (_, 422): .invalidAccount(refusal.text)
                case (_, 429): .rateLimited(refusal.text)
                case (_, 451): .complianceFailed(refusal.text)
                default: .http(refusal.text)
                }
        case .transport(let error): self = .network(error, advice: Advice.query)
        case .unknownOption: self = .invalidRequest(error.text)
        case .invalidRequest(let text): self = .invalidRequest(text)
        case .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls, .cancelled, .afterOpenCopy:
            self = .http(error.text)
        }
    }

    var headline: String {
        switch self {
        case .paymentExpired: "Payment expired"
        case .paymentNotFound: "Payment not found"
        case .invalidRequest: "Invalid request"
        case .optionNotFound: "Option not found"
        case .paymentNotReady: "Payment not ready"
        case .invalidAccount: "Invalid account"
        case .complianceFailed: "Compliance failed"
        case .noConnection: "No network connection"
        case .requestTimeout: "Request timed out"
        case .connectionFailed: "Connection failed"
        case .rateLimited: "Rate limited"
        case .http: "HTTP error"
        case .internalError: "Internal error"
        }
    }

    var detail: String {
        switch self {
        case .paymentExpired(let text), .paymentNotFound(let text), .invalidRequest(let text),
            .optionNotFound(let text), .paymentNotReady(let text), .invalidAccount(let text),
            .complianceFailed(let text), .noConnection(let text), .requestTimeout(let text),
            .connectionFailed(let text), .rateLimited(let text), .http(let text), .internalError(let text):
            text
        }
    }
}
