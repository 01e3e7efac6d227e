public import PaymentCore

/// The address, the credentials and the time limits of WalletConnect Pay's wallet-facing API.
public struct GatewayConfiguration: Sendable {
    /// The credentials of the caller. One of the two is sent, never both.
    @nonexhaustive
    public enum Credentials: Sendable {
        /// An app id (the WalletConnect project id) and a client id, random per installation or process.
        case app(id: Redacted<String>, clientID: String)
        /// An API key.
        case apiKey(Redacted<String>)
    }

    /// The API of the production environment.
    public static let productionURL = "https://api.pay.walletconnect.com"

    /// The credentials of the caller.
    public let credentials: Credentials
    /// The API's address.
    public let baseURL: HTTPURL
    /// The time allowed for one request, retries included.
    public let requestTimeout: Duration
    /// The time limit for the settlement of a confirmed payment, before it is reported as pending.
    public let settlementTimeout: Duration

    /// Creates a configuration.
    ///
    /// - Throws: ``LinkDefect`` when `baseURL` is not a web address, or neither `https` nor on this machine
    ///   (``LinkDefect/unencrypted(origin:)``): the key and the payments would travel unencrypted.
    public init(
        credentials: Credentials, baseURL: String = Self.productionURL, requestTimeout: Duration = .seconds(30),
        settlementTimeout: Duration = .seconds(60)
    ) throws(LinkDefect) {
        self.credentials = credentials
        self.baseURL = try HTTPURL(service: baseURL)
        self.requestTimeout = requestTimeout
        self.settlementTimeout = settlementTimeout
    }

    /// Creates a configuration with an app id and a fresh client id.
    ///
    /// - Throws: ``LinkDefect``, as above.
    public init(appID: String, baseURL: String = Self.productionURL) throws(LinkDefect) {
        try self.init(
            credentials: .app(id: Redacted(appID), clientID: SystemRandomSource().uuid()), baseURL: baseURL)
    }
}
