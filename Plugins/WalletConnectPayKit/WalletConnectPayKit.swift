import PaymentTransport
// One import gives followers of the vendor's guides everything those guides use.
@_exported public import WalletConnectPayProvider

extension WalletConnectPay {
    /// Sets up ``WalletConnectPay/instance`` exactly as the vendor's guide does, over `StandardTransport`.
    ///
    /// - Parameters:
    ///   - apiKey: a WalletConnect Pay API key.
    ///   - appId: a WalletConnect project id, recommended for wallets. Where both are given, this one is used.
    ///   - baseUrl: the service's address.
    ///   - logging: whether to write what happens to standard error; never links, keys, signatures or personal data.
    public static func configure(
        apiKey: String? = nil, appId: String? = nil, baseUrl: String = GatewayConfiguration.productionURL,
        logging: Bool = false
    ) {
        configure(apiKey: apiKey, appId: appId, baseUrl: baseUrl, logging: logging, transport: StandardTransport())
    }
}

extension WalletKit {
    /// Sets up ``WalletKit/instance`` exactly as the vendor's guide does, over `StandardTransport`. The app id is
    /// `Networking.projectId`.
    ///
    /// - Parameters:
    ///   - payLogging: whether to write what happens to standard error.
    ///   - baseUrl: the service's address; not among the guide's parameters.
    public static func configure(
        metadata: AppMetadata, crypto: any CryptoProvider, payLogging: Bool = false,
        baseUrl: String = GatewayConfiguration.productionURL
    ) {
        configure(
            metadata: metadata, crypto: crypto, payLogging: payLogging, transport: StandardTransport(), baseUrl: baseUrl
        )
    }
}
