import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute inspect`: everything that can be read from a link.
enum InspectCommand: Command {
    static let name = "inspect"
    static let summary = "Show everything that can be read from a link."
    static let syntax = CommandSyntax(
        path: "payroute inspect",
        overview:
            "Show everything that can be read from a link; on a terminal also its QR code. Nothing is sent anywhere.",
        discussion:
            "Ends with 0 when something can be done with every text: a provider takes it, or it is sound by a known "
            + "payment standard. Otherwise with 1.",
        arguments: [LinkArgument.optionalURI],
        options: [
            .init(name: "image", value: "file", help: "Read the QR codes in a picture: PNG or JPEG."),
            LinkArgument.json,
            LinkArgument.reveal, ExternalOption.syntax,
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let codes = try arguments.value("image").map(CodeReader.texts) ?? []
        guard !codes.isEmpty || !arguments.positionals.isEmpty else {
            throw UsageError("Missing expected argument '<uri> ...', or '--image <file>'", syntax)
        }
        let registry = try console.vendors.registry(with: try ExternalOption.load(arguments, console))
        let inputs = LinkInputs(arguments: arguments.positionals, codes: codes, console: console)
        let isJSON = arguments.has("json")
        let reveals = arguments.has(LinkArgument.reveal.name)
        let totals = try inputs.forEach { input in
            let (report, inspection) = inspect(input, registry, of: console.vendors, reveals: reveals)
            if isJSON {
                console.output.edit { report.write(to: &$0, with: inspection) }
            } else {
                show(input, report, inspection, on: console)
            }
            return report.decision
        }
        return totals.number(of: .rejected) + totals.number(of: .unroutable) == 0 ? .done : .failed
    }

    static func inspect(
        _ input: LinkInput, _ registry: ProviderRegistry, of vendors: SandboxVendors, reveals: Bool = false
    ) -> (RouteReport, Inspection) {
        switch input {
        case .text(let text):
            let answer = Installation.route(text, registry)
            return (
                RouteReport(text, answer, of: vendors, reveals: reveals),
                Inspection(answer, of: vendors, reveals: reveals)
            )
        case .unreadable(let shown, let reason):
            return (RouteReport(unreadable: shown, reason: reason), Inspection(unreadable: reason))
        }
    }

    private static func show(
        _ input: LinkInput, _ report: RouteReport, _ inspection: Inspection, on console: Console
    ) {
        let style = console.style
        let tone = report.isVerified == false ? Style.Tone.doubtful : report.decision.tone
        var rows: [(String, Table.Cell)] = [("decision", Table.Cell(report.decision.rawValue, tone))]
        if let provider = report.provider { rows.append(("provider", Table.Cell(provider))) }
        if !report.candidates.isEmpty {
            rows.append(("candidates", Table.Cell(report.candidates.joined(separator: ", "))))
        }
        if let standard = report.standard { rows.append(("standard", Table.Cell(standard))) }
        if let role = report.role { rows.append(("role", Table.Cell(role))) }
        rows.append(("why", Table.Cell(Printable.text(report.reason))))
        if report.decision == .unroutable, let error = inspection.error {
            rows.append(("error", Table.Cell(Printable.text(error, limit: .max))))
        }
        // With its unit, as people write it.
        let amount = inspection.details?.amount.map(AmountText.words)
        for field in inspection.fields.sorted(by: { $0.key < $1.key }) where amount == nil || field.key != "unit" {
            let words = field.key == "amount" ? amount : nil
            let text = words ?? field.value.string ?? field.value.text
            rows.append((Printable.text(field.key), Table.Cell(Printable.text(text, limit: .max))))
        }
        let width = rows.reduce(0) { max($0, $1.0.count) }
        console.output.write(style(.strong, Printable.text(report.input, limit: .max)) + "\n")
        for (label, cell) in rows {
            console.output.write("  " + Table.line([Table.Cell(label, .faint), cell], [width, 0], style) + "\n")
        }
        if console.drawsCodes, report.decision != .rejected, case .text(let text) = input {
            if inspection.hidesSecret {
                console.output.write("  (the QR code would show the secret in the text; --reveal draws it)\n")
            } else {
                QRCode.show(text, console)
            }
        }
        console.output.write("\n")
    }
}
