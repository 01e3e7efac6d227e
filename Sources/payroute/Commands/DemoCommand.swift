import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// `payroute demo`: routes a mixed list of links and pays one per scenario over loopback HTTP.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "Route a mixed list of links and pay one per scenario."
    static let syntax = CommandSyntax(
        path: "payroute demo",
        overview: "Route a mixed list of links, then pay one per scenario at a sandbox, over HTTP on this machine.",
        discussion:
            "Exits with 0 only if every link has its expected route and every outcome agrees with the sandbox's ledger.",
        options: [.init(name: "verbose", help: "Show every step of every payment, and the whole ledger.")],
        examples: [.init("payroute demo --verbose", "with every step")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let style = console.style
        let isVerbose = arguments.has("verbose")
        console.output.line(style(.strong, "1. Where links go") + "\n")
        let routesAgree = try MixedBag.show(console)

        let services = SandboxServices(console.vendors, pace: 200)
        let demos = console.vendors.list.flatMap { vendor in vendor.demo.map { (vendor.id, $0) } }
        let faults = FaultInjector(services.service)
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let session = try PaymentSession(
            console.vendors, sandbox: server.baseURL, wallet: DevelopmentWallet(seed: 1),
            transport: StandardTransport(),
            privately: PrivateSettings(seed: 1)
        ) { event in
            if isVerbose { for line in Narration.lines(event, console) { console.output.line(line) } }
        }

        console.output.line("\n" + style(.strong, "2. Paying at the sandbox \(server.baseURL.text)"))
        var table = Table(["SERVICE", "SCENARIO", "OUTCOME", "SANDBOX LEDGER", "AGREE"])
        // Rows are shown as they arrive, so the widths have to be known before.
        let widths = [
            services.all.map(\.title.count).max() ?? 0, demos.map(\.1.title.count).max() ?? 0, 9, 10, 5,
        ]
        let short = console.layout(["SERVICE", "SCENARIO", "OUTCOME", "LEDGER", "AGREE"], widths)
        if !isVerbose {
            console.output.line()
            for line in short.headerLines { console.output.line(line) }
        }
        var outcomesAgree = true
        for (provider, demo) in demos {
            guard let service = services[provider],
                let payment = await service.make(demo.scenario, amount: nil, at: server.baseURL)
            else { throw CommandError(description: "the sandbox cannot show '\(demo.title)'") }
            if isVerbose {
                let shown = Printable.link(session.router.route(payment.link).shown(payment.link), 100)
                console.output.line("\n\(style(.strong, demo.title)): \(shown)")
            }
            if let lost = demo.lostAnswer {
                faults.inject(.dropAfter) { _, path in path.hasSuffix("/\(payment.id)\(lost)") }
                session.narrate(SessionEvent("fault", "the answer to \(lost.dropFirst()) will be lost"))
            }
            let choice = demo.isRefused ? PaymentSession.Choice.none : .first
            var result = await session.pay(payment.link, choice: choice, trustsLink: !payment.isTrusted)
            if demo.isPaidTwice {
                result = await session.pay(payment.link, choice: choice, trustsLink: !payment.isTrusted)
            }
            if isVerbose {
                let end = SessionEvent("end", result.reason)
                for line in Narration.lines(end, console, tone: result.ending.tone) { console.output.line(line) }
            }
            let ledger = await service.ledger
            let agrees = demo.agrees(result.ending, ledger, payment: payment.id)
            outcomesAgree = outcomesAgree && agrees
            func row(_ words: String) -> [Table.Cell] {
                [
                    Table.Cell(service.title), Table.Cell(demo.title),
                    Table.Cell(result.ending.rawValue, result.ending.tone), Table.Cell(words),
                    Table.Cell(agrees ? "yes" : "NO", agrees ? .good : .bad),
                ]
            }
            table.add(row(ledger.words(for: payment.id)))
            guard !isVerbose else { continue }
            let last = ledger.events(of: payment.id).last.map { LedgerStatus($0).rawValue }
            for line in short.lines(row(last ?? "-")) { console.output.line(line) }
        }

        if isVerbose {
            console.output.line("\n" + style(.strong, "3. The sandbox's ledger") + "\n")
            console.show(table)
        }
        guard routesAgree else { throw CommandError(description: "a link has another route than expected") }
        guard outcomesAgree else { throw CommandError(description: "an outcome does not agree with the ledger") }
        return .done
    }
}

/// Texts of every kind that a scanner or a deep link may bring: each vendor's, and some of no vendor.
enum MixedBag {
    static func samples(of vendors: SandboxVendors) -> [SampleText] { vendors.list.flatMap(\.samples) + others }
    private static let others = [
        SampleText("some web page", "https://example.com/checkout?order=42", .unroutable),
        SampleText("merchant QR code (EMV)", emv, .recognized),
        SampleText("no link at all", "two for the price of one!", .unroutable),
    ]

    // EMVCo's merchant-presented layout: tag, length, value. 63 is the checksum.
    private static let emv =
        "00020101021226180014com.example.qr5204581253038405802US5911Coffee Cart6008New York6304947F"

    /// Shows the routed texts as a table, and returns true if every text was routed as expected.
    static func show(_ console: Console) throws -> Bool {
        let registry = try console.vendors.registry()
        var table = Table(["TEXT", "WHAT IT IS", "DECISION", "TRUST", "WHY"])
        var agrees = true
        for sample in samples(of: console.vendors) {
            let report = RouteReport(
                sample.text, Installation.route(sample.text, registry), of: console.vendors)
            agrees = agrees && sample.agrees(with: report)
            let tone = report.isVerified == false ? Style.Tone.doubtful : report.decision.tone
            table.add([
                Table.Cell(Printable.link(report.input, 36)), Table.Cell(sample.title),
                Table.Cell(report.decision.rawValue, tone), Table.Cell(report.trust ?? "-"),
                Table.Cell(Printable.text(report.reason)),
            ])
        }
        console.show(table)
        return agrees
    }
}

extension DemoScenario {
    /// Returns true if the command line's result and the sandbox's ledger are both as expected.
    func agrees(_ ending: PaymentResult.Ending, _ ledger: SandboxLedger, payment: String) -> Bool {
        ending.rawValue == self.ending.rawValue && ledger.captures(of: payment) == captures
            && ledger.events(of: payment).last.map(LedgerStatus.init) == lastEvent
    }
}

extension SampleText {
    /// Returns true if the router's report is the expected one.
    func agrees(with report: RouteReport) -> Bool {
        report.decision.rawValue == decision.rawValue && report.isVerified == isVerified
    }
}
