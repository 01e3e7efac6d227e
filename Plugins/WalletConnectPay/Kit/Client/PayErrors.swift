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
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any, and never
/// secrets or personal data. The vendor's bindings spell the cases with a capital letter, its guides as here.
public enum ConfirmPaymentError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The service does not know the payment.
    case paymentNotFound(String)
    /// The payment has expired.
    case paymentExpired(String)
    /// The service does not accept the option or the results for it.
    case invalidOption(String)
    /// The service does not accept a signature.
    case invalidSignature(String)
    /// The route of the payment is closed, or its price has expired. Request the options again.
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
        case .unknownOption, .unnamedPayment, .dangerousCalls, .invalidRequest: self = .invalidOption(error.text)
        case .unusableAnswer, .unsupported, .cancelled, .afterOpenCopy:
            self = .http("\(error.text); \(Advice.mutation)")
        }
    }

    /// Creates the error for a failure while waiting for the settlement, after the confirmation was accepted.
    init(polling error: GatewayError) { self = .http("\(error.text); \(Advice.mutation)") }

    var parts: (headline: String, detail: String) {
        switch self {
        case .paymentNotFound(let text): ("Payment not found", text)
        case .paymentExpired(let text): ("Payment expired", text)
        case .invalidOption(let text): ("Invalid option", text)
        case .invalidSignature(let text): ("Invalid signature", text)
        case .routeExpired(let text): ("Route expired", text)
        case .http(let text): ("HTTP error", text)
        }
    }
}

/// A failure of ``PayClient/getPaymentOptions(paymentLink:accounts:includePaymentInfo:)``: the cases of the vendor's
/// guides, so that a `switch` written after them is complete. A failure without its own case is ``http(_:)``, and the
/// text describes it.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any, and never
/// secrets or personal data. The vendor's bindings spell the cases with a capital letter, its guides as here.
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
        case .unknownOption, .invalidRequest: self = .invalidRequest(error.text)
        case .unusableAnswer, .unsupported, .unnamedPayment, .dangerousCalls, .cancelled, .afterOpenCopy:
            self = .http(error.text)
        }
    }

    var parts: (headline: String, detail: String) {
        switch self {
        case .paymentNotFound(let text): ("Payment not found", text)
        case .paymentExpired(let text): ("Payment expired", text)
        case .invalidRequest(let text): ("Invalid request", text)
        case .invalidAccount(let text): ("Invalid account", text)
        case .complianceFailed(let text): ("Compliance failed", text)
        case .http(let text): ("HTTP error", text)
        case .internalError(let text): ("Internal error", text)
        }
    }
}

/// A failure of ``PayClient/getRequiredPaymentActions(paymentId:optionId:)``: the cases of the vendor's guides, so that
/// a `switch` written after them is complete. A failure without its own case is ``http(_:)``, and the text describes
/// it.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any, and never
/// secrets or personal data. The vendor's bindings spell the cases with a capital letter, its guides as here.
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

    var parts: (headline: String, detail: String) {
        switch self {
        case .optionNotFound(let text): ("Option not found", text)
        case .paymentNotFound(let text): ("Payment not found", text)
        case .invalidAccount(let text): ("Invalid account", text)
        case .http(let text): ("HTTP error", text)
        }
    }
}

/// A failure of ``PayClient/getPaymentStatus(paymentId:)``.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any, and never
/// secrets or personal data. The vendor's bindings spell the cases with a capital letter, its guides as here.
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

    var parts: (headline: String, detail: String) {
        switch self {
        case .paymentNotFound(let text): ("Payment not found", text)
        case .noConnection(let text): ("No network connection", text)
        case .requestTimeout(let text): ("Request timed out", text)
        case .connectionFailed(let text): ("Connection failed", text)
        case .rateLimited(let text): ("Rate limited", text)
        case .http(let text): ("HTTP error", text)
        }
    }
}

/// A failure of ``PayClient/cancelPayment(paymentId:)``.
///
/// Every case carries a human-readable text, with the HTTP status and the service's code if there are any, and never
/// secrets or personal data. The vendor's bindings spell the cases with a capital letter, its guides as here.
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

    var parts: (headline: String, detail: String) {
        switch self {
        case .noConnection(let text): ("No network connection", text)
        case .requestTimeout(let text): ("Request timed out", text)
        case .connectionFailed(let text): ("Connection failed", text)
        case .rateLimited(let text): ("Rate limited", text)
        case .http(let text): ("HTTP error", text)
        case .api(let text): ("API error", text)
        case .timeout: ("Timeout", "")
        }
    }
}

/// A defect in the configuration of a client.
///
/// Never thrown directly: every call of an unusable client throws its own error with this one's text. (The vendor's
/// client ends the process instead.)
public enum ConfigError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// Neither an API key nor an app id is set.
    case missingAuth(String)
    /// Nothing was configured.
    case notConfigured(String)
    /// The address of the service is invalid.
    case invalidBaseUrl(String)

    static let noCredentials = ConfigError.missingAuth(
        "provide apiKey and/or appId: WalletConnectPay.configure(appId: \"…\")")
    static let noProjectID = ConfigError.missingAuth(
        "call Networking.configure(projectId: \"…\") before WalletKit.configure(…)")
    static let noCall = ConfigError.notConfigured("call WalletConnectPay.configure(appId: \"…\") first")
    static func noBaseURL(_ defect: LinkDefect) -> ConfigError {
        guard case .unencrypted = defect else {
            return .invalidBaseUrl("baseUrl is not a web address such as \(GatewayConfiguration.productionURL)")
        }
        return .invalidBaseUrl(defect.description)
    }

    /// One human-readable sentence, with the remedy.
    public var description: String {
        switch self {
        case .missingAuth(let text): "Missing authentication: \(text)"
        case .notConfigured(let text): "Not configured: \(text)"
        case .invalidBaseUrl(let text): "Invalid base URL: \(text)"
        }
    }

    /// One human-readable sentence, with the remedy.
    public var errorDescription: String? { description }
}

// MARK: - Common parts

/// The common requirements of the vendor's error enums: a headline, a text, and the case for all errors without their
/// own case.
protocol VendorError: Error {
    /// The vendor's own headline of the case, and the text that the case carries.
    var parts: (headline: String, detail: String) { get }

    static func http(_ text: String) -> Self
}

extension VendorError {
    /// The headline and the text.
    var sentence: String {
        let (headline, detail) = parts
        return detail.isEmpty ? headline : "\(headline): \(detail)"
    }

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
