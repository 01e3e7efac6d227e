import PaymentCore
import PaymentSandbox

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
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let port = try arguments.value("port") { UInt16($0) } ?? 0
        let seed = try arguments.value("seed") { UInt64($0) }
        var configuration = WalletConnectPaySandbox.Configuration()
        // A person needs longer than the real service's quarter of an hour to try everything.
        configuration.lifetime = 24 * 3600
        let random: any RandomSource = seed.map { SeededRandomSource(seed: $0) } ?? SystemRandomSource()
        let sandbox = WalletConnectPaySandbox(configuration, random: random)
        let server = try LoopbackServer(sandbox, port: port)
        var payments: [WalletConnectPaySandbox.Payment] = []
        for scenario in WalletConnectPaySandbox.Scenario.allCases {
            payments.append(await sandbox.createPayment(scenario))
        }
        announce(payments, server.baseURL, console)
        _ = await Interrupts.run { await sleepUntilCancelled() }
        server.stop()
        console.output.line()
        var table = Table(["PAYMENT", "SCENARIO", "WHAT HAPPENED"])
        let ledger = await sandbox.ledger
        for payment in payments {
            table.add([
                Table.Cell(payment.id), Table.Cell(payment.scenario.rawValue),
                Table.Cell(ledger.words(for: payment.id)),
            ])
        }
        for line in table.lines(console.style) { console.output.write(line + "\n") }
        return .done
    }

    private static func announce(
        _ payments: [WalletConnectPaySandbox.Payment], _ url: HTTPURL, _ console: Console
    ) {
        let style = console.style
        console.output.write("Sandbox at \(style(.strong, url.text)) (WalletConnect Pay, simulated)\n")
        for payment in payments {
            console.output.write(
                """

                \(style(.strong, payment.scenario.rawValue)): \(payment.scenario.summary)
                  \(payment.link)
                  \(program) pay '\(payment.link)' --sandbox \(url.text)

                """)
        }
        console.output.line("\nCtrl-C stops it.")
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
