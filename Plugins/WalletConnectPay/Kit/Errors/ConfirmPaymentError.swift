import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of ``PayClient/confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``: the cases of the
/// vendor's guides, so that a `switch` written after them is complete. A failure without its own case is ``http(_:)``,
/// and the text describes it.
///
/// After ``http(_:)`` the payment may have been made: if the text says so, call
/// ``PayClient/getPaymentStatus(paymentId:)`` before paying again. While actions that were handed out can pay, every
/// failure is ``http(_:)``.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum ConfirmPaymentError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// The payment has expired.
    case paymentExpired(String)
    /// The service does not accept the option or the results for it.
    case invalidOption(String)
    /// The service does not accept a signature.
    case invalidSignature(String)
    /// The route of the payment is closed, or its price has expired; request the options again.
    case routeExpired(String)
    /// Anything else: the network failed, the service declines the payer, has a fault or limits the rate, the client is
    /// not configured; or the payment was cancelled, or is in a state unknown to this version.
    case http(String)

    /// The case's meaning and its text.
    public var description: String { sentence }
    /// The case's meaning and its text.
    public var errorDescription: String? { sentence }
}

extension ConfirmPaymentError: VendorError {
    init(_ error: GatewayError) {
        switch error {
        case .refused(let refusal):
            let text = refusal.provesNothingWasDone ? refusal.text : "\(refusal.text); \(Advice.mutation)"
            self =
                switch (refusal.code, refusal.status) {
                case ("quote_expired", _): .routeExpired(text)
                case ("payment_not_found", _): .paymentNotFound(text)
                case ("payment_expired", _): .paymentExpired(text)
                // The guides have no cases for these here.
                case ("rate_limited", _), ("sanctioned_user", _), ("internal_error", _): .http(text)
                case (_, 400): .invalidOption(text)
                case (_, 404): .paymentNotFound(text)
                case (_, 409): .routeExpired(text)
                case (_, 410): .paymentExpired(text)
                case (_, 422): .invalidSignature(text)
                default: .http(text)
                }
        case .transport(let error):
            self = .http(error, advice: error.phase == .maybeSent ? Advice.mutation : Advice.query)
        case .unknownOption, .unnamedPayment, .dangerousCalls: self = .invalidOption(error.text)
        case .invalidRequest(let text): self = .invalidOption(text)
        case .unusableAnswer, .unsupported, .cancelled, .afterOpenCopy:
            self = .http("\(error.text); \(Advice.mutation)")
        }
    }

    /// Creates the error for a failure while waiting for the settlement, after the confirmation was accepted.
    init(polling error: GatewayError) { self = .http("\(error.text); \(Advice.mutation)") }

    var headline: String {
        switch self {
        case .paymentNotFound: "Payment not found"
        case .paymentExpired: "Payment expired"
        case .invalidOption: "Invalid option"
        case .invalidSignature: "Invalid signature"
        case .routeExpired: "Route expired"
        case .http: "HTTP error"
        }
    }

    var detail: String {
        switch self {
        case .paymentNotFound(let text), .paymentExpired(let text), .invalidOption(let text),
            .invalidSignature(let text), .routeExpired(let text), .http(let text):
            text
        }
    }
}
