import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of ``PayClient/getPaymentOptions(paymentLink:accounts:includePaymentInfo:)``: the cases of the vendor's
/// guides, so that a `switch` written after them is complete. A failure without its own case is ``http(_:)``, and the
/// text describes it.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum GetPaymentOptionsError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// The payment has expired.
    case paymentExpired(String)
    /// The request or the link is not acceptable, or the client is not configured.
    case invalidRequest(String)
    /// The service does not accept an account.
    case invalidAccount(String)
    /// The service declines this payer.
    case complianceFailed(String)
    /// No usable answer: the network failed, the service limits the rate or its answer cannot be understood; or the
    /// payment was cancelled, or is in a state unknown to this version.
    case http(String)
    /// The service reports an internal fault.
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
                case ("rate_limited", _): .http(refusal.text)
                case ("sanctioned_user", _): .complianceFailed(refusal.text)
                case ("internal_error", _): .internalError(refusal.text)
                case (_, 400): .invalidRequest(refusal.text)
                case (_, 404): .paymentNotFound(refusal.text)
                case (_, 410): .paymentExpired(refusal.text)
                case (_, 422): .invalidAccount(refusal.text)
                case (_, 451): .complianceFailed(refusal.text)
                default: .http(refusal.text)
                }
        case .transport(let error): self = .http(error, advice: Advice.query)
        case .unknownOption: self = .invalidRequest(error.text)
        case .invalidRequest(let text): self = .invalidRequest(text)
        case .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls, .cancelled, .afterOpenCopy:
            self = .http(error.text)
        }
    }

    var headline: String {
        switch self {
        case .paymentNotFound: "Payment not found"
        case .paymentExpired: "Payment expired"
        case .invalidRequest: "Invalid request"
        case .invalidAccount: "Invalid account"
        case .complianceFailed: "Compliance failed"
        case .http: "HTTP error"
        case .internalError: "Internal error"
        }
    }

    var detail: String {
        switch self {
        case .paymentNotFound(let text), .paymentExpired(let text), .invalidRequest(let text),
            .invalidAccount(let text), .complianceFailed(let text), .http(let text), .internalError(let text):
            text
        }
    }
}
