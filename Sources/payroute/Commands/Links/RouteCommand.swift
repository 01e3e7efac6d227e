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

// MARK: - Report

/// The route of one input, with its reason: the object of `route --json`.
struct RouteReport {
    /// The kinds of decision, in the order of the totals.
    enum Decision: String, CaseIterable {
        case matched, ambiguous, recognized, rejected, unroutable

        /// True if a provider or a standard takes the link.
        var isSettled: Bool { self == .matched || self == .recognized }

        var tone: Style.Tone {
            switch self {
            case .matched, .recognized: .good
            case .ambiguous: .doubtful
            case .rejected, .unroutable: .bad
            }
        }
    }

    /// The input, as far as it may be shown.
    let input: String
    var decision: Decision
    var provider: String?
    var candidates: [String] = []
    var reference: String?
    var role: String?
    /// `verified`, `unverified`, `unclear`, or nil if no provider takes the link.
    var trust: String?
    var isVerified: Bool? { trust.map { $0 == "verified" } }
    var standard: String?
    var reason: String
    /// The registered host that the link's host only resembles.
    var resembles: LookAlike?

    /// Describes the router's answer about `input`.
    ///
    /// - Parameters:
    ///   - vendors: The vendors whose texts may be of a standard.
    ///   - reveals: True if a link that holds a secret is shown whole.
    init(_ input: String, _ answer: RouteDecision, of vendors: SandboxVendors, reveals: Bool = false) {
        self.input = reveals && answer.mayBeRevealed ? input : answer.shown(input)
        reason = answer.explanation
        switch answer {
        case .matched(let route):
            decision = .matched
            provider = route.provider.rawValue
            reference = route.match.reference
            role = route.match.role.rawValue
            standard = answer.instruction(of: vendors)?.standard
            trust = Self.word(for: route.match.trust)
        case .ambiguous(let routes):
            decision = .ambiguous
            candidates = routes.map(\.provider.rawValue)
        case .recognized(let instruction):
            decision = .recognized
            standard = instruction.standard
            role = instruction.role?.rawValue
        case .unclear(let instructions):
            decision = .ambiguous
            candidates = instructions.map(\.standard)
        case .defective(let name, _, _):
            decision = .rejected
            standard = name
        case .rejected: decision = .rejected
        case .unroutable(_, let real):
            decision = .unroutable
            resembles = real
        }
    }

    /// The trust in a link, for programs.
    static func word(for trust: LinkMatch.Trust) -> String {
        switch trust {
        case .verified: "verified"
        case .unverified: "unverified"
        case .unclear: "unclear"
        }
    }

    /// An input that is not a text.
    init(unreadable input: String, reason: String) {
        self.input = input
        self.reason = reason
        decision = .rejected
    }

    /// Adds the object, with the reading and the members of `inspection`, as a line to `buffer`.
    func write(to buffer: inout [UInt8], with inspection: Inspection? = nil, reading: Reading) {
        buffer.addJSONLine { line in
            line.addMember("candidates", candidates)
            line.addMember("decision", decision.rawValue)
            if let inspection {
                line.addMember("error", inspection.error)
                line.addMember("fields", inspection.fields)
            }
            line.addMember("input", input)
            line.addMember("provider", provider)
            line.addObject("reading") { reading.write(to: &$0) }
            line.addMember("reason", reason)
            line.addMember("reference", reference)
            // Only if there is one. Other objects keep their members.
            if let resembles { line.addMember("resembles", resembles.members) }
            line.addMember("role", role)
            line.addMember("standard", standard)
            line.addMember("trust", trust)
            if let inspection { line.addMember("valid", inspection.isValid) }
        }
    }

    /// The titles of ``cells(_:)``.
    static let titles = ["WHAT IT IS", "DECISION", "PROVIDER", "PAYMENT", "LINK", "WHY"]
    /// Column widths for a table whose rows are not known at the start.
    static let streamWidths = [56, 10, 17, 38, 44, 3]

    /// Returns the report as a table's row, with the summary first.
    func cells(_ reading: Reading) -> [Table.Cell] {
        let tone = trust != nil && trust != "verified" ? Style.Tone.doubtful : decision.tone
        return [
            Table.Cell(Printable.text(reading.summary)),
            Table.Cell(decision.rawValue, tone),
            Table.Cell(provider ?? (candidates.isEmpty ? "-" : candidates.joined(separator: ","))),
            Table.Cell(Printable.short(reference ?? "-", 38)),
            Table.Cell(Printable.link(input, 44)),
            Table.Cell(Printable.text(reason)),
        ]
    }
}

extension RouteReport {
    /// Describes the router's answer, including payments that need a wallet and texts that are no payments.
    init(_ text: String, _ answer: RouteDecision, in context: ReadingContext) {
        self.init(text, answer, of: context.vendors, reveals: context.reveals)
        if let provider = context.settlingProvider(of: text, answer), case .recognized(let instruction) = answer {
            reason = "\(instruction.name.phrase); provider '\(provider)' pays it with a wallet"
        } else if case .unroutable(let link, nil) = answer, let other = OtherKinds.kind(of: link) {
            reason = "\(other.title): no payment"
        }
    }
}

extension LookAlike {
    /// The members of the object in `route --json`.
    fileprivate var members: [String: JSONValue] {
        ["difference": .string(difference.rawValue), "host": .string(host), "provider": .string(provider.rawValue)]
    }
}
