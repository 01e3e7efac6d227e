import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute route`: the route of each link, with its reason.
enum RouteCommand: Command {
    static let name = "route"
    static let summary = "Say where each link goes and why."
    static let syntax = CommandSyntax(
        path: "payroute route",
        overview: "Say where each link goes and why. Nothing is sent anywhere.",
        discussion:
            "Exits with 0 if every link goes to one provider or is of a known payment standard, otherwise with 1.",
        arguments: [LinkArgument.uri],
        options: [LinkArgument.json, LinkArgument.reveal, ExternalOption.syntax],
        examples: [
            .init("payroute route 'https://pay.walletconnect.com/?pid=pay_123'", "where it goes, and why"),
            .init("payroute route --json - < links.txt", "one object a line, for scripts"),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let registry = try console.vendors.registry(with: try ExternalOption.load(arguments, console))
        let context = ReadingContext(
            console.vendors, registry, at: console.clock.now, reveals: arguments.has(LinkArgument.reveal.name))
        let inputs = LinkInputs(arguments: arguments.positionals, console: console)
        let totals =
            arguments.has("json")
            ? try inputs.forEach { input in
                let inspected = InspectedText(input, in: context)
                console.output.edit { inspected.report.write(to: &$0, reading: inspected.reading) }
                return inspected.report.decision
            } : try table(inputs, context, console)
        return totals.isSettled ? .done : .failed
    }

    private static func table(
        _ inputs: LinkInputs, _ context: ReadingContext, _ console: Console
    ) throws -> Totals {
        var table = Table(RouteReport.titles)
        guard inputs.readsStandardInput else {
            let totals = try inputs.forEach { input in
                let inspected = InspectedText(input, in: context)
                table.add(inspected.report.cells(inspected.reading))
                return inspected.report.decision
            }
            console.show(table)
            return totals
        }
        let layout = console.layout(RouteReport.titles, RouteReport.streamWidths)
        for line in layout.headerLines { console.output.write(line + "\n") }
        return try inputs.forEach { input in
            let inspected = InspectedText(input, in: context)
            for line in layout.lines(inspected.report.cells(inspected.reading)) { console.output.write(line + "\n") }
            return inspected.report.decision
        }
    }
}

/// The common arguments of `route` and `inspect`.
enum LinkArgument {
    static let uri = CommandSyntax.Argument(
        name: "uri",
        help:
            "A payment link, URI or QR text. - reads lines from standard input; a line that begins with \" is a JSON string.",
        isRepeating: true)
    /// The same for a command that can also read pictures.
    static let optionalURI = CommandSyntax.Argument(name: uri.name, help: uri.help, isRepeating: true, isOptional: true)
    static let json = CommandSyntax.Option(name: "json", help: "Print one JSON object per input, one line each.")
    static let reveal = CommandSyntax.Option(
        name: "reveal", help: "Show links that hold a secret whole. (default: scheme and payment only)")
}

extension RouteReport {
    /// Describes the router's answer, with what a wallet would pay, and what is no payment.
    init(_ text: String, _ answer: RouteDecision, in context: ReadingContext) {
        self.init(text, answer, of: context.vendors, reveals: context.reveals)
        if let provider = context.settlingProvider(of: text, answer), case .recognized(let instruction) = answer {
            reason = "\(instruction.name.phrase); provider '\(provider)' pays it with a wallet"
        } else if case .unroutable(let link, nil) = answer, let other = OtherKinds.kind(of: link) {
            reason = "\(other.title): no payment"
        }
    }
}
