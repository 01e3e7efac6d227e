import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
