import CitconMerchant
import CitconProvider
import PaykitProvider
import PaymentCore
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
    /// - Parameters:
    ///   - privately: with what people of Paykit are asked for invoices of their own; nil pays what they publish.
    ///   - external: other programs that are providers, beside those on board.
    static func registry(
        sandbox: HTTPURL? = nil, privately: PaykitPrivatePayments? = nil, with external: [ExternalProvider] = []
    ) throws -> ProviderRegistry {
        if let sandbox {
            return try ProviderRegistry(
                SandboxConnection.providers(at: sandbox, reader: standards, privately: privately) + external)
        }
        // Without a sandbox nothing is ever sent, so that no key is needed. Nobody here has a settler, and bare texts of
        // Bitcoin are for whoever has.
        let citcon = CitconConfiguration(endpoint: try CitconEndpoint(.UAT), application: .demonstration)
        let providers: [any PaymentService] = [
            WalletConnectPayProvider(configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("none")))),
            CitconProvider(configuration: citcon),
            PayrailsProvider(),
            PaykitProvider(network: try .standard(), reader: standards, datagrams: UDPTransport()),
        ]
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
