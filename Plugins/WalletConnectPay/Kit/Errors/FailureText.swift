import PaymentCore

/// The common requirements of the vendor's error enums: a headline, a text, and the case for all errors without their
/// own case.
protocol VendorError: Error {
    /// The vendor's own headline of the case.
    var headline: String { get }
    /// The text that the case carries.
    var detail: String { get }

    static func http(_ text: String) -> Self
}

extension VendorError {
    /// The headline and the text.
    var sentence: String { detail.isEmpty ? headline : "\(headline): \(detail)" }

    /// Returns the error for an exchange without a complete answer.
    ///
    /// - Parameter advice: the remedy, human-readable.
    static func http(_ error: TransportError, advice: String) -> Self { http("\(error.description); \(advice)") }
}

/// A vendor's enum that the guides do not list, with the cases of the vendor's bindings for a failing network.
protocol NetworkError: VendorError {
    static func noConnection(_ text: String) -> Self
    static func requestTimeout(_ text: String) -> Self
    static func connectionFailed(_ text: String) -> Self
}

extension NetworkError {
    /// Returns the case for an exchange without a complete answer.
    ///
    /// - Parameter advice: the remedy, human-readable.
    static func network(_ error: TransportError, advice: String) -> Self {
        let text = "\(error.description); \(advice)"
        switch error.reason {
        case .hostNotFound, .connectionLost: return noConnection(text)
        case .connectFailed(let detail):
            return detail.lowercased().contains("refused") ? connectionFailed(text) : noConnection(text)
        case .tls: return connectionFailed(text)
        case .timedOut: return requestTimeout(text)
        case .responseTooLarge, .malformedResponse, .cancelled, .hostNotDeclared, .invalidRequest: return http(text)
        }
    }
}

/// The remedies after a failure, human-readable.
enum Advice {
    static let query = "check the internet connection and try again"
    static let mutation = "ask getPaymentStatus what has become of the payment before paying again"
}
