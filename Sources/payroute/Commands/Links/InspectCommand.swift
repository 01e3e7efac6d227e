import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute inspect`: everything that can be read from a link.
enum InspectCommand: Command {
    static let name = "inspect"
    static let summary = "Say what a payment text is: who gets how much until when."
    static let syntax = CommandSyntax(
        path: "payroute inspect",
        overview:
            "Say what a payment text is: who gets how much until when, then its fields; on a terminal also its QR code. Nothing is sent anywhere.",
        discussion:
            "Exits with 0 if something can be done with every text: a registered provider claims it, or it is valid by a "
            + "known payment standard. Otherwise with 1.",
        arguments: [LinkArgument.optionalURI],
        options: [
            .init(name: "image", value: "file", help: "Read the QR codes in a picture: PNG or JPEG."),
            LinkArgument.json,
            LinkArgument.reveal, ExternalOption.syntax,
            .init(name: "schema", help: "Print the JSON schema of the lines of --json, and nothing else."),
        ],
        examples: [
            .init("payroute inspect 'upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR'", "who gets how much"),
            .init("payroute inspect --image code.png", "the same for the codes in a picture"),
            .init("payroute inspect --json - < texts.txt", "one object a line, for scripts"),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        guard !arguments.has("schema") else {
            console.output.write(InspectSchema.text)
            return .done
        }
        let codes = try arguments.value("image").map(CodeReader.texts) ?? []
        guard !codes.isEmpty || !arguments.positionals.isEmpty else {
            throw UsageError("Missing expected argument '<uri> ...', or '--image <file>'", syntax)
        }
        let registry = try console.vendors.registry(with: try ExternalOption.load(arguments, console))
        let inputs = LinkInputs(arguments: arguments.positionals, codes: codes, console: console)
        let context = ReadingContext(
            console.vendors, registry, at: console.clock.now, reveals: arguments.has(LinkArgument.reveal.name))
        let isJSON = arguments.has("json")
        let totals = try inputs.forEach { input in
            let inspected = InspectedText(input, in: context)
            if isJSON {
                console.output.edit {
                    inspected.report.write(to: &$0, with: inspected.inspection, reading: inspected.reading)
                }
            } else {
                show(input, inspected, on: console)
            }
            return inspected.report.decision
        }
        return totals.number(of: .rejected) + totals.number(of: .unroutable) == 0 ? .done : .failed
    }

    private static func show(_ input: LinkInput, _ inspected: InspectedText, on console: Console) {
        let (report, inspection, reading) = (inspected.report, inspected.inspection, inspected.reading)
        let style = console.style
        let tone = report.isVerified == false ? Style.Tone.doubtful : report.decision.tone
        var rows = reading.rows.map { ($0.label, Table.Cell($0.text, $0.label == "note" ? .doubtful : nil)) }
        rows.append(("text", Table.Cell(Printable.text(report.input, limit: .max))))
        rows.append(("decision", Table.Cell(report.decision.rawValue, tone)))
        // The next step of a text that no provider takes says the reason, and what pays it nevertheless.
        if report.decision != .recognized { rows.append(("why", Table.Cell(Printable.text(report.reason)))) }
        if let provider = report.provider { rows.append(("provider", Table.Cell(provider))) }
        if !report.candidates.isEmpty {
            rows.append(("candidates", Table.Cell(report.candidates.joined(separator: ", "))))
        }
        if let standard = report.standard { rows.append(("standard", Table.Cell(standard))) }
        if let role = report.role { rows.append(("role", Table.Cell(role))) }
        if report.decision == .unroutable, let error = inspection.error, !error.contains(report.reason) {
            rows.append(("error", Table.Cell(Printable.text(error, limit: .max))))
        }
        let fields = inspection.rows.map { ($0.label, Table.Cell($0.text)) }
        console.output.write(style(.strong, Printable.text(reading.summary, limit: 2000)) + "\n")
        write(rows, on: console)
        if !fields.isEmpty {
            console.output.write("  " + style(.faint, inspection.title(standard: report.standard)) + "\n")
            write(fields, indent: "    ", on: console)
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

    /// Writes rows under each other, wrapped at words where there is a terminal.
    private static func write(_ rows: [(String, Table.Cell)], indent: String = "  ", on console: Console) {
        let width = rows.reduce(0) { max($0, $1.0.count) }
        for (label, cell) in rows {
            let head = indent + label + String(repeating: " ", count: width - label.count + 2)
            let pieces = console.pieces(cell.text, behind: head.count)
            for (index, piece) in pieces.enumerated() {
                let start =
                    index == 0
                    ? indent + console.style(.faint, label) + head.dropFirst(indent.count + label.count)
                    : String(repeating: " ", count: head.count)
                console.output.write(start + console.style(cell.tone, piece) + "\n")
            }
        }
    }
}

/// One text with everything that the commands show of it.
struct InspectedText {
    let report: RouteReport
    let reading: Reading
    /// Reads the content of the text.
    private let inspect: () -> Inspection

    /// The content, which is read each time that it is asked for: `route` has no use for it.
    var inspection: Inspection { inspect() }

    init(_ input: LinkInput, in context: ReadingContext) {
        switch input {
        case .text(let text):
            self.init(text, Installation.route(text, context.registry), in: context)
        case .unreadable(let shown, let reason):
            self.init(
                report: RouteReport(unreadable: shown, reason: reason), reading: Reading(unreadable: reason),
                inspect: { Inspection(unreadable: reason) })
        }
    }

    init(_ text: String, _ answer: RouteDecision, in context: ReadingContext) {
        self.init(
            report: RouteReport(text, answer, in: context), reading: Reading(answer, of: text, in: context),
            inspect: { Inspection(answer, of: context.vendors, reveals: context.reveals) })
    }

    private init(report: RouteReport, reading: Reading, inspect: @escaping () -> Inspection) {
        self.report = report
        self.reading = reading
        self.inspect = inspect
    }
}
