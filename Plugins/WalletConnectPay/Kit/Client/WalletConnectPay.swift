public import PaymentCore
import PaymentTransport
import Synchronization
public import WalletConnectPayProvider

/// The vendor's entry point for wallets that do not use WalletKit.
///
/// ```swift
/// import WalletConnectPayKit
///
/// WalletConnectPay.configure(appId: "…", logging: true)
/// let response = try await WalletConnectPay.instance.getPaymentOptions(paymentLink: link, accounts: accounts)
/// ```
///
/// This is the vendor's design, a client for the whole process; servers and tests create their own ``PayClient``.
/// Unlike the vendor's: nothing here ends the process, and a later call of `configure` takes effect.
public enum WalletConnectPay {
    /// Sets up ``instance``, replacing an earlier one; payments in flight keep theirs.
    ///
    /// - Parameters:
    ///   - apiKey: a WalletConnect Pay API key.
    ///   - appId: a WalletConnect project id, recommended for wallets. It takes precedence over an API key.
    ///   - baseUrl: the service's address.
    ///   - logging: true to log to standard error; never links, keys, signatures or personal data.
    public static func configure(
        apiKey: String? = nil, appId: String? = nil, baseUrl: String = GatewayConfiguration.productionURL,
        logging: Bool = false
    ) {
        configure(
            apiKey: apiKey, appId: appId, baseUrl: baseUrl, logging: logging, transport: StandardTransport())
    }

    /// Sets up ``instance`` as ``configure(apiKey:appId:baseUrl:logging:)`` does, with another transport, which is not
    /// among the vendor's parameters.
    public static func configure(
        apiKey: String? = nil, appId: String? = nil, baseUrl: String = GatewayConfiguration.productionURL,
        logging: Bool = false, transport: any HTTPTransport
    ) {
        let client = makeClient(
            apiKey: apiKey, appId: appId, baseUrl: baseUrl, log: logging ? .standardError : .silent,
            transport: transport, withoutCredentials: .noCredentials)
        VendorState.shared.withLock { $0.payClient = client }
    }

    /// The client that ``configure(apiKey:appId:baseUrl:logging:)`` set up. Before that call, or if its
    /// parameters do not suffice, a client whose calls throw an error that names the missing part.
    public static var instance: PayClient {
        VendorState.shared.withLock { $0.payClient } ?? PayClient(unusable: .noCall)
    }

    /// Returns true if `string` may be a payment link, by the vendor's quick test. Needs no configuration. It accepts
    /// look-alikes: see ``PaymentLinkDetector``.
    public static func isPaymentLink(_ string: String) -> Bool { PaymentLinkDetector.isPaymentLink(string) }

    static func makeClient(
        apiKey: String?, appId: String?, baseUrl: String, log: PayLog, transport: any HTTPTransport,
        withoutCredentials problem: ConfigError
    ) -> PayClient {
        let credentials: GatewayConfiguration.Credentials
        if let appId, !appId.isEmpty {
            credentials = .app(id: Redacted(appId), clientID: SystemRandomSource().uuid())
        } else if let apiKey, !apiKey.isEmpty {
            credentials = .apiKey(Redacted(apiKey))
        } else {
            return PayClient(unusable: problem, log: log)
        }
        let configuration: GatewayConfiguration
        do { configuration = try GatewayConfiguration(credentials: credentials, baseURL: baseUrl) } catch {
            return PayClient(unusable: .noBaseURL(error), log: log)
        }
        return PayClient(configuration: configuration, transport: transport, log: log)
    }
}
