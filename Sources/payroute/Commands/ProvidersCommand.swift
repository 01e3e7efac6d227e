import PaymentCore
import PaymentRouting

/// `payroute providers`: the registered providers.
enum ProvidersCommand: Command {
    static let name = "providers"
    static let summary = "List the providers with their link patterns and capabilities."
    static let syntax = CommandSyntax(
        path: "payroute providers",
        overview: "List the providers with their link patterns and capabilities.",
        options: [
            .init(name: "json", help: "Print one JSON object per provider, one line each."), ExternalOption.syntax,
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let registry = try console.vendors.registry(with: try ExternalOption.load(arguments, console))
        var table = Table(["ID", "NAME", "CLAIMS", "CAPABILITIES"])
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
                table.add([
                    Table.Cell(descriptor.id.rawValue, .strong), Table.Cell(descriptor.name),
                    Table.Cell(patterns.joined(separator: " ")), Table.Cell(capabilities.joined(separator: " ")),
                ])
            }
        }
        if !arguments.has("json") {
            console.show(table)
        }
        return .done
    }
}
