import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why ``PayClient/confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)`` failed.
///
/// After ``noConnection(_:)``, ``requestTimeout(_:)``, ``http(_:)`` and ``pollingTimeout(_:)`` the payment may have been
/// made all the same: ask ``PayClient/getPaymentStatus(paymentId:)`` before paying again.
///
/// Every case carries a text for people, with the HTTP status and the service's code where there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum ConfirmPaymentError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// The payment's time is over.
    case paymentExpired(String)
    /// The service does not accept the option or the results for it.
    case invalidOption(String)
    /// The service does not accept a signature.
    case invalidSignature(String)
    /// The way in which the payment would be made is no longer open.
    case routeExpired(String)
    /// The option's price is no longer good; ask for the options again.
    case quoteExpired(String)
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
    /// The wallet cannot carry out a method. Never thrown here; for wallets.
    case unsupportedMethod(String)
    /// The payment is confirmed but was not settled in time. Ask for its status later; do not pay again.
    case pollingTimeout(String)

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
                case ("quote_expired", _): .quoteExpired(text)
                case ("payment_not_found", _): .paymentNotFound(text)
                case ("payment_expired", _): .paymentExpired(text)
                case ("rate_limited", _): .rateLimited(text)
                // The vendor has no case for a payer who is declined here.
                case ("sanctioned_user", _): .http(text)
                case ("internal_error", _): .internalError(text)
                case (_, 400): .invalidOption(text)
                case (_, 404): .paymentNotFound(text)
                case (_, 409): .routeExpired(text)
                case (_, 410): .paymentExpired(text)
                case (_, 422): .invalidSignature(text)
                case (_, 429): .rateLimited(text)
                default: .http(text)
                }
        case .transport(let error):
            self = .network(error, advice: error.phase == .maybeSent ? Advice.mutation : Advice.query)
        case .unknownOption, .unnamedPayment, .dangerousCalls: self = .invalidOption(error.text)
        case .invalidRequest(let text): self = .invalidOption(text)
        case .unusableAnswer, .unsupported, .cancelled, .afterOpenCopy:
            self = .http("\(error.text); \(Advice.mutation)")
        }
    }

    /// The case for a failure after the confirmation was accepted, while waiting for the settlement.
    init(polling error: GatewayError) {
        if case .transport(let error) = error {
            self = .network(error, advice: Advice.mutation)
        } else {
            self = .http("\(error.text); \(Advice.mutation)")
        }
    }

    var headline: String {
        switch self {
        case .paymentNotFound: "Payment not found"
        case .paymentExpired: "Payment expired"
        case .invalidOption: "Invalid option"
        case .invalidSignature: "Invalid signature"
        case .routeExpired: "Route expired"
        case .quoteExpired: "Quote expired"
        case .noConnection: "No network connection"
        case .requestTimeout: "Request timed out"
        case .connectionFailed: "Connection failed"
        case .rateLimited: "Rate limited"
        case .http: "HTTP error"
        case .internalError: "Internal error"
        case .unsupportedMethod: "Unsupported RPC method"
        case .pollingTimeout: "Polling timeout"
        }
    }

    var detail: String {
        switch self {
        case .paymentNotFound(let text), .paymentExpired(let text), .invalidOption(let text),
            .invalidSignature(let text), .routeExpired(let text), .quoteExpired(let text), .noConnection(let text),
            .requestTimeout(let text), .connectionFailed(let text), .rateLimited(let text), .http(let text),
            .internalError(let text), .unsupportedMethod(let text), .pollingTimeout(let text):
            text
        }
    }
}
