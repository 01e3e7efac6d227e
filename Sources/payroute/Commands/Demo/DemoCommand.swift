import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentSandbox
import PaymentTesting
import PaymentTransport
import PaymentWallet

/// `payroute demo`: routes a mixed bag of links and pays one per scenario over loopback HTTP.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "Route a mixed bag of links and pay one per scenario."
    static let syntax = CommandSyntax(
        path: "payroute demo",
        overview: "Route a mixed bag of links, then pay one per scenario at a sandbox, over HTTP on this machine.",
        discussion:
            "Ends with 0 only when every link went where it should and every outcome agrees with the sandbox's ledger.")

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let style = console.style
        console.output.line(style(.strong, "1. Where links go") + "\n")
        let routesAgree = try MixedBag.show(console)

        let sites = SandboxSites(pace: 200)
        let faults = FaultInjector(sites.service)
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let session = try PaymentSession(
            sandbox: server.baseURL, wallet: DevelopmentWallet(seed: 1), transport: StandardTransport()
        ) { label, text in
            console.output.line(Narration.line(label, text, style))
        }

        console.output.line("\n" + style(.strong, "2. Paying at the sandbox \(server.baseURL.text)"))
        var table = Table(["SERVICE", "SCENARIO", "OUTCOME", "SANDBOX LEDGER SAYS", "AGREE"])
        var outcomesAgree = true
        for demo in DemoScenario.all {
            guard let site = sites[demo.payment.provider],
                let payment = await site.payment(demo.payment.scenario, at: server.baseURL)
            else { throw CommandFailure(description: "the sandbox cannot show '\(demo.title)'") }
            console.output.line(
                "\n\(style(.strong, demo.title)): \(Printable.link(session.router.route(payment.link).shown(payment.link), 100))"
            )
            if demo.losesAnswer {
                faults.inject(.dropAfter) { _, path in path.hasSuffix("/\(payment.id)/confirm") }
                console.output.line(Narration.line("fault", "the answer to the confirmation will be lost", style))
            }
            var result = await session.pay(payment.link, choice: demo.choice, trustsLink: !payment.isTrusted)
            if demo.isPaidTwice {
                result = await session.pay(payment.link, choice: demo.choice, trustsLink: !payment.isTrusted)
            }
            console.output.line(Narration.line("end", result.reason, style, result.ending.tone))
            let ledger = await site.ledger
            let agrees = demo.agrees(result.ending, ledger, payment: payment.id)
            outcomesAgree = outcomesAgree && agrees
            table.add([
                Table.Cell(site.title), Table.Cell(demo.title), Table.Cell(result.ending.rawValue, result.ending.tone),
                Table.Cell(ledger.words(for: payment.id)), Table.Cell(agrees ? "yes" : "NO", agrees ? .good : .bad),
            ])
        }

        console.output.line("\n" + style(.strong, "3. What the sandbox knows") + "\n")
        for line in table.lines(style) { console.output.line(line) }
        guard routesAgree else { throw CommandFailure(description: "a link did not go where it should") }
        guard outcomesAgree else { throw CommandFailure(description: "an outcome does not agree with the ledger") }
        return .done
    }
}
