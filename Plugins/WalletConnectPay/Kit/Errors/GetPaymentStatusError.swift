import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of ``PayClient/getPaymentStatus(paymentId:)``.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum GetPaymentStatusError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// No connection could be made, or it was lost.
    case noConnection(String)
    /// No answer came in time.
    case requestTimeout(String)
    /// The server refused the connection or could not prove its identity.
    case connectionFailed(String)
    /// The service limits the rate of requests.
    case rateLimited(String)
    /// Any other failure of the exchange; or the payment was cancelled, or is in a state unknown to this version.
    case http(String)

    /// The case's meaning and its text.
    public var description: String { sentence }
    /// The case's meaning and its text.
    public var errorDescription: String? { sentence }
}

extension GetPaymentStatusError: NetworkError {
    init(_ error: GatewayError) {
        switch error {
        case .refused(let refusal):
            self =
                switch (refusal.code, refusal.status) {
                case ("payment_not_found", _), (_, 404): .paymentNotFound(refusal.text)
                case ("rate_limited", _), (_, 429): .rateLimited(refusal.text)
                default: .http(refusal.text)
                }
        case .transport(let error): self = .network(error, advice: Advice.query)
        case .unknownOption, .invalidRequest, .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls,
            .cancelled, .afterOpenCopy:
            self = .http(error.text)
        }
    }

    var headline: String {
        switch self {
        case .paymentNotFound: "Payment not found"
        case .noConnection: "No network connection"
        case .requestTimeout: "Request timed out"
        case .connectionFailed: "Connection failed"
        case .rateLimited: "Rate limited"
        case .http: "HTTP error"
        }
    }

    var detail: String {
        switch self {
        case .paymentNotFound(let text), .noConnection(let text), .requestTimeout(let text),
            .connectionFailed(let text), .rateLimited(let text), .http(let text):
            text
        }
    }
}
