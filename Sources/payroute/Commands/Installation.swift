import CitconMerchant
import CitconProvider
import PaykitProvider
import PaymentCore
import PaymentReview
import PaymentRouting
import PaymentSandbox
import PaymentStandards
import PaymentTransport
import PayrailsMerchant
import PayrailsProvider
import WalletConnectPayMerchant
import WalletConnectPayProvider

/// What this program has on board: the one place to add a provider or a standard.
enum Installation {
    /// Reads the payment standards.
    static let standards = StandardsReader()
    /// Readers of payment standards for links that no provider claims.
    static let readers: [any InstructionReader] = [standards]

    /// The providers, calling their real services or, where given, a sandbox.
    ///
    /// - Parameter external: other programs that are providers, beside those on board.
    static func registry(sandbox: HTTPURL? = nil, with external: [ExternalProvider] = []) throws -> ProviderRegistry {
        // The sandbox takes any key; without one nothing is ever sent.
        let walletConnectPay = try GatewayConfiguration(
            credentials: .apiKey(Redacted("sandbox")), baseURL: sandbox?.text ?? GatewayConfiguration.productionURL)
        let citcon = CitconConfiguration(
            endpoint: try CitconEndpoint(.UAT, baseURL: sandbox.map { $0.text + "/v1/" }), application: .demonstration)
        // Transactions of Tron cannot be read yet; the sandbox's are signed all the same, to show the flow.
        let reviewer = SigningReviewer(unreviewedMethods: sandbox == nil ? [] : ["tron_signTransaction"])
        let pubky = try sandbox.map { url throws(LinkDefect) in try PubkyNetwork.sandbox(url) } ?? .standard()
        var providers: [any PaymentService] = [
            WalletConnectPayProvider(configuration: walletConnectPay, reviewer: reviewer),
            CitconProvider(configuration: citcon),
            PayrailsProvider(additionalHosts: sandbox.map { [$0.authority] } ?? []),
            PaykitProvider(network: pubky, reader: standards, datagrams: UDPTransport()),
        ]
        // Outside of a sandbox nobody here has a settler, and such texts are for whoever has.
        if sandbox != nil { providers.append(BitcoinPaymentsProvider(reader: standards)) }
        return try ProviderRegistry(providers + external)
    }

    /// The merchants' services of a sandbox, with the keys that every sandbox has. WalletConnect Pay has two worlds.
    static func merchants(_ sandbox: HTTPURL) throws -> [any PaymentService] {
        let payrails = PayrailsSandbox.Configuration()
        let worlds: [(ProviderID, Redacted<String>)] = [
            (WalletConnectPayMerchant.id, WalletConnectPaySandbox.liveKey),
            (walletConnectPayTests, WalletConnectPaySandbox.testKey),
        ]
        return try worlds.map { id, key in
            try WalletConnectPayMerchant(
                id: id, merchantID: WalletConnectPaySandbox.merchantID, key: try WalletConnectPayMerchant.Key(key),
                baseURL: sandbox.text)
        } + [
            CitconMerchant(
                endpoint: try CitconEndpoint(.UAT, baseURL: sandbox.text + "/v1/"), privateKey: CitconSandbox.privateKey
            ),
            PayrailsMerchant(
                endpoint: try PayrailsEndpoint(baseURL: sandbox.text),
                credentials: PayrailsCredentials(clientID: payrails.clientID, secret: payrails.clientSecret),
                captureMode: .instant),
        ]
    }

    /// WalletConnect Pay's merchant in the world of tests.
    static let walletConnectPayTests: ProviderID = "walletconnect-pay-merchant-test"

    /// Whether a provider pays texts of payment standards, so that these say what a text of it holds.
    static func paysStandards(_ provider: ProviderID) -> Bool {
        provider == PaykitProvider.id || provider == BitcoinPaymentsProvider.id
    }

    /// Where `text` goes, standards included. Nothing is sent for it.
    static func route(_ text: String, _ registry: ProviderRegistry) -> RouteDecision {
        registry.route(text, readers: readers)
    }
}

extension CitconConfiguration.Application {
    /// The application that the vendor's guide shows, which the sandbox's wallets come back to.
    fileprivate static let demonstration = Self(
        scheme: "com.citcon.citconpay", universalLink: "https://dev.citconpay.com/apps/",
        places: CitconConfiguration.ReturnPlaces(
            weChatAppIDs: ["wxeb0650d489d69e14"], bundleIDs: ["com.citcon.citconpay"],
            pages: ["com.citcon.citconpay://"]))
}
