import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of ``PayClient/cancelPayment(paymentId:)``.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any; never a
/// secret or personal datum. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum PayError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// No connection could be made, or it was lost.
    case noConnection(String)
    /// No answer came in time.
    case requestTimeout(String)
    /// The server refused the connection or could not prove its identity.
    case connectionFailed(String)
    /// The service limits the rate of requests.
    case rateLimited(String)
    /// Any other failure of the exchange.
    case http(String)
    /// The service refused.
    case api(String)
    /// The time limit has passed. Never thrown here; the vendor's enum has it.
    case timeout

    /// The case's meaning and its text.
    public var description: String { sentence }
    /// The case's meaning and its text.
    public var errorDescription: String? { sentence }
}

extension PayError: NetworkError {
    init(_ error: GatewayError) {
        switch error {
        case .refused(let refusal):
            self =
                switch (refusal.code, refusal.status) {
                case ("rate_limited", _), (_, 429): .rateLimited(refusal.text)
                default: refusal.isRejection ? .api(refusal.text) : .http(refusal.text)
                }
        case .transport(let error): self = .network(error, advice: Advice.query)
        case .unknownOption, .invalidRequest, .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls,
            .cancelled:
            self = .http(error.text)
        case .afterOpenCopy: self = .http("\(error.text); \(Advice.mutation)")
        }
    }

    var headline: String {
        switch self {
        case .noConnection: "No network connection"
        case .requestTimeout: "Request timed out"
        case .connectionFailed: "Connection failed"
        case .rateLimited: "Rate limited"
        case .http: "HTTP error"
        case .api: "API error"
        case .timeout: "Timeout"
        }
    }

    var detail: String {
        switch self {
        case .noConnection(let text), .requestTimeout(let text), .connectionFailed(let text), .rateLimited(let text),
            .http(let text), .api(let text):
            text
        case .timeout: ""
        }
    }
}
