import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of ``PayClient/getRequiredPaymentActions(paymentId:optionId:)``: the cases of the vendor's guides, so that
/// a `switch` written after them is complete. A failure without its own case is ``http(_:)``, and the text describes
/// it.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum GetPaymentRequestError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The payment has no such option.
    case optionNotFound(String)
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// The service does not accept an account. It has not been observed to answer so here.
    case invalidAccount(String)
    /// Anything else: the network failed, the service refuses (it wants data about the payer first, the price has
    /// expired, …), has a fault or limits the rate, its actions would do something else than pay the option, or the
    /// client is not configured.
    case http(String)

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
                switch refusal.code {
                case "params_validation" where refusal.detail == .optionNotFound: .optionNotFound(refusal.text)
                case "payment_not_found": .paymentNotFound(refusal.text)
                default: .http(refusal.text)
                }
        case .transport(let error): self = .http(error, advice: Advice.query)
        case .unknownOption: self = .optionNotFound(error.text)
        case .invalidRequest, .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls, .cancelled,
            .afterOpenCopy:
            self = .http(error.text)
        }
    }

    var headline: String {
        switch self {
        case .optionNotFound: "Option not found"
        case .paymentNotFound: "Payment not found"
        case .invalidAccount: "Invalid account"
        case .http: "HTTP error"
        }
    }

    var detail: String {
        switch self {
        case .optionNotFound(let text), .paymentNotFound(let text), .invalidAccount(let text), .http(let text): text
        }
    }
}
