import PaymentCore
import PaymentRouting
import PaymentStandards
import SandboxSupport

/// The payment standards that this program reads.
enum Installation {
    /// Reads the payment standards.
    static let standards = StandardsReader()
    /// Readers of payment standards for links that no provider claims.
    static let readers: [any InstructionReader] = [standards]

    /// Returns the route of `text`, standards included. Sends nothing.
    static func route(_ text: String, _ registry: ProviderRegistry) -> RouteDecision {
        registry.route(text, readers: readers)
    }
}

extension SandboxVendors {
    /// Returns the providers, calling their real services or, where given, a sandbox.
    ///
    /// - Parameters:
    ///   - privately: The settings of private channels over which payees are asked for invoices; nil pays what they
    ///     publish.
    ///   - allowedTokens: Tokens that wallets may pay although no table knows them.
    ///   - names: The DNS resolver of payees' names; nil looks none up.
    ///   - external: Other programs that are providers, beside the built-in ones.
    ///   - hasWallet: True if the payer has a wallet that pays by itself.
    func registry(
        sandbox: HTTPURL? = nil, privately: PrivateSettings? = nil, allowing allowedTokens: [AssetID] = [],
        names: HTTPURL? = nil, with external: [ExternalProvider] = [], hasWallet: Bool = false
    ) throws -> ProviderRegistry {
        try registry(
            VendorSettings(
                sandbox: sandbox, reader: Installation.standards, privately: privately, allowedTokens: allowedTokens,
                hasWallet: hasWallet, names: names),
            with: external)
    }

    /// Returns the providers with these settings, and external ones.
    func registry(_ settings: VendorSettings, with external: [ExternalProvider]) throws -> ProviderRegistry {
        try ProviderRegistry(providers(settings) + external)
    }

    /// Returns true if a provider pays texts of payment standards; the standard then describes its texts.
    func paysStandards(_ provider: ProviderID) -> Bool { self[provider]?.paysStandards ?? false }
}
