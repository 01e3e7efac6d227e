import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStandards
import SandboxSupport

/// What this program has on board: every vendor's providers, and the payment standards.
enum Installation {
    /// Reads the payment standards.
    static let standards = StandardsReader()
    /// Readers of payment standards for links that no provider claims.
    static let readers: [any InstructionReader] = [standards]

    /// Returns the providers, calling their real services or, where given, a sandbox.
    ///
    /// - Parameters:
    ///   - privately: how payees are asked for invoices over a private channel; nil pays what they publish.
    ///   - external: other programs that are providers, beside those on board.
    static func registry(
        sandbox: HTTPURL? = nil, privately: PrivateSettings? = nil, with external: [ExternalProvider] = []
    ) throws -> ProviderRegistry {
        let settings = VendorSettings(sandbox: sandbox, reader: standards, privately: privately)
        return try ProviderRegistry(SandboxVendors.providers(settings) + external)
    }

    /// Whether a provider pays texts of payment standards, so that these say what a text of it holds.
    static func paysStandards(_ provider: ProviderID) -> Bool { SandboxVendors[provider]?.paysStandards ?? false }

    /// Where `text` goes, standards included. Nothing is sent for it.
    static func route(_ text: String, _ registry: ProviderRegistry) -> RouteDecision {
        registry.route(text, readers: readers)
    }
}
