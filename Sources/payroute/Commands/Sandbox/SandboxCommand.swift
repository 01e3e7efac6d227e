import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting

/// `payroute sandbox`: the simulated services on this machine, until a signal comes.
enum SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Serve simulated payment services on this machine."
    static let syntax = CommandSyntax(
        path: "payroute sandbox",
        overview: "Serve simulated payment services on this machine, with a payment link for each scenario.",
        discussion:
            "Runs until Ctrl-C (or SIGTERM), then prints what happened to every payment. There is no money and no chain.",
        options: [
            .init(name: "port", value: "number", help: "The port on 127.0.0.1. (default: any free one)"),
            .init(name: "seed", value: "number", help: "Makes the random part of ids and nonces repeatable."),
            .init(
                name: "webhooks", value: "url",
                help: "Send WalletConnect Pay's webhooks to a server on this machine, signed and tried again."),
            .init(
                name: "dishonest", help: "List payments of a dishonest gateway as well: nothing of them may be signed."),
        ], subcommands: subcommands.map { ($0.name, $0.summary) }, runsAlone: true)

    static var subcommands: [any Command.Type] { [NewPaymentCommand.self, TailCommand.self, NotifyCommand.self] }
    static let runsAlone = true

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let port = try arguments.value("port") { UInt16($0) } ?? 0
        let seed = try arguments.value("seed") { UInt64($0) }
        let random: any RandomSource = seed.map { SeededRandomSource(seed: $0) } ?? SystemRandomSource()
        // A person needs longer than the real services' patience to try everything.
        let webhooks = try arguments.value("webhooks") { text in
            (try? HTTPURL(text)).flatMap { $0.isLoopback ? $0 : nil }
        }
        let sites = SandboxSites(random: random, lifetime: 24 * 3600, webhooks: webhooks)
        let server = try LoopbackServer(sites.service, port: port)
        let base = server.baseURL
        console.output.write("Sandbox at \(console.style(.strong, base.text)) (simulated: \(sites.titles))\n")
        var table = Table(["PAYMENT", "SCENARIO", "WHAT HAPPENED"])
        var announced: [(site: any SandboxSite, payment: SandboxPayment)] = []
        func announce(_ scenarios: [String], of site: any SandboxSite) async {
            for scenario in scenarios {
                guard let payment = await site.payment(scenario, at: base) else { continue }
                Self.announce(payment, base, console)
                announced.append((site, payment))
            }
        }
        for site in sites.all {
            console.output.line("\n" + console.style(.strong, site.title))
            if let hint = site.hint { console.output.line(hint) }
            await announce(site.scenarios, of: site)
        }
        for site in sites.all where arguments.has("dishonest") && !site.lies.isEmpty {
            console.output.line("\n" + console.style(.strong, "\(site.title), dishonest gateway"))
            console.output.line("Each of these is refused before anything is signed, with the reason.")
            await announce(site.lies, of: site)
        }
        console.output.line("\nCtrl-C stops it.")
        _ = await Interrupts.run { await sleepUntilCancelled() }
        server.stop()
        console.output.line()
        for (site, payment) in announced {
            table.add([
                Table.Cell(payment.id), Table.Cell(payment.scenario),
                Table.Cell(await site.ledger.words(for: payment.id)),
            ])
        }
        for site in sites.all {
            // Those that merchants made meanwhile.
            let ledger = await site.ledger
            let known = Set(announced.map(\.payment.id))
            for entry in ledger.entries where entry.event == .created && !known.contains(entry.payment) {
                table.add([
                    Table.Cell(Printable.text(entry.payment)), Table.Cell("made meanwhile"),
                    Table.Cell(ledger.words(for: entry.payment)),
                ])
            }
        }
        console.show(table)
        return .done
    }

    private static func announce(_ payment: SandboxPayment, _ base: HTTPURL, _ console: Console) {
        console.output.write(
            """

            \(console.style(.strong, payment.scenario)): \(payment.summary)
              \(program) pay '\(payment.link)' --sandbox \(base.text)\(payment.isTrusted ? "" : " --trust-host")\(payment.satoshi.map { " --amount \($0)" } ?? "")

            """)
    }

    /// How this program was called, so that the commands shown can be pasted.
    private static var program: String {
        guard let path = CommandLine.arguments.first, path.contains("/") else { return "payroute" }
        let isPlain = path.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "/._-+".utf8.contains($0) }
        return isPlain
            ? path : "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }

    private static func sleepUntilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
}
