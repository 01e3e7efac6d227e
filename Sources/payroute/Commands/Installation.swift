import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStandards
import SandboxSupport

/// The contents of this program: every vendor's providers, and the payment standards.
enum Installation {
    /// Reads the payment standards.
    static let standards = StandardsReader()
    /// Readers of payment standards for links that no provider claims.
    static let readers: [any InstructionReader] = [standards]

    /// Returns the providers, calling their real services or, where given, a sandbox.
    ///
    /// - Parameters:
    ///   - privately: The settings of private channels over which payees are asked for invoices; nil pays what they
    ///     publish.
    ///   - allowedTokens: Tokens that wallets may pay although no table knows them.
    ///   - external: Other programs that are providers, beside the built-in ones.
    static func registry(
        sandbox: HTTPURL? = nil, privately: PrivateSettings? = nil, allowing allowedTokens: [AssetID] = [],
        with external: [ExternalProvider] = []
    ) throws -> ProviderRegistry {
        let settings = VendorSettings(
            sandbox: sandbox, reader: standards, privately: privately, allowedTokens: allowedTokens)
        return try ProviderRegistry(SandboxVendors.providers(settings) + external)
    }

    /// Returns true if a provider pays texts of payment standards; the standard then describes its texts.
    static func paysStandards(_ provider: ProviderID) -> Bool { SandboxVendors[provider]?.paysStandards ?? false }

    /// Returns the route of `text`, standards included. Sends nothing.
    static func route(_ text: String, _ registry: ProviderRegistry) -> RouteDecision {
        registry.route(text, readers: readers)
    }
}
