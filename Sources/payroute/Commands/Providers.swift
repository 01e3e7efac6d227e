import PaymentCore
import PaymentRouting
import PaymentStandards
import SandboxSupport

/// `payroute providers`: the registered providers.
enum ProvidersCommand: Command {
    static let name = "providers"
    static let summary = "List the providers with their link patterns and capabilities."
    static let syntax = CommandSyntax(
        path: "payroute providers",
        overview: "List the providers with their link patterns and capabilities.",
        options: [
            .init(name: "json", help: "Print one JSON object per provider, one line each."), ExternalOption.syntax,
        ],
        examples: [.init("payroute providers --json", "one object a line")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let registry = try console.vendors.registry(with: try ExternalOption.load(arguments, console))
        for (service, descriptor) in zip(registry.services, registry.descriptors) {
            let patterns = descriptor.patterns.map(\.description)
            let isForPayers = service is any PaymentProvider
            let capabilities =
                (isForPayers ? ["quotes", "pays"] : []) + ProviderDescriptor.capabilities(of: service).map(\.rawValue)
            if arguments.has("json") {
                console.output.edit { buffer in
                    buffer.addJSONLine { line in
                        line.addMember("capabilities", capabilities)
                        line.addMember("hosts", descriptor.outboundHosts)
                        line.addMember("id", descriptor.id.rawValue)
                        line.addMember("name", descriptor.name)
                        line.addMember("patterns", patterns)
                    }
                }
            } else {
                show(descriptor, capabilities, console)
            }
        }
        if !arguments.has("json") { try showSettling(registry, console) }
        return .done
    }

    /// Shows a provider with one pattern a line.
    private static func show(_ descriptor: ProviderDescriptor, _ capabilities: [String], _ console: Console) {
        let style = console.style
        console.output.write("\(style(.strong, descriptor.id.rawValue))  \(descriptor.name)\n")
        for (index, pattern) in descriptor.patterns.enumerated() {
            let label = Table.Cell(index == 0 ? "claims" : "", .faint)
            console.output.write("  " + Table.line([label, Table.Cell(pattern.description)], [6, 0], style) + "\n")
        }
        for (index, piece) in console.pieces(capabilities.joined(separator: ", "), behind: 10).enumerated() {
            let label = Table.Cell(index == 0 ? "can" : "", .faint)
            console.output.write("  " + Table.line([label, Table.Cell(piece)], [6, 0], style) + "\n")
        }
        console.output.write("\n")
    }

    /// Names the providers that only a sandbox registers, since they pay with a wallet of the application.
    private static func showSettling(_ registry: ProviderRegistry, _ console: Console) throws {
        guard let sandbox = try? HTTPURL("http://127.0.0.1:1") else { return }
        let known = Set(registry.descriptors.map(\.id))
        for descriptor in try console.vendors.registry(sandbox: sandbox).descriptors
        where !known.contains(descriptor.id) {
            show(descriptor, ["quotes and pays with a wallet of the application; here with --sandbox"], console)
        }
    }
}

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
    /// Returns the providers, calling their real services or, if given, a sandbox.
    ///
    /// - Parameters:
    ///   - privately: The settings of the private channels for asking payees for invoices. If nil, payees are paid by
    ///     what they publish.
    ///   - allowedTokens: Tokens that wallets may pay although no table knows them.
    ///   - names: The DNS resolver of payees' names. If nil, no name is looked up.
    ///   - external: Other programs that are providers, in addition to the built-in ones.
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

    /// Returns true if a provider pays texts of payment standards. The standard then describes its texts.
    func paysStandards(_ provider: ProviderID) -> Bool { self[provider]?.paysStandards ?? false }
}
