import PaymentCore
import SandboxSupport

/// `payroute pay`: pays one link at a sandbox with the development wallet.
enum PayCommand: Command {
    static let name = "pay"
    static let summary = "Pay a link at a sandbox with the development wallet."
    static let syntax = CommandSyntax(
        path: "payroute pay",
        overview: "Pay a link at a sandbox with the development wallet, showing each step.",
        discussion: """
            Never real money: the wallet's key can be computed from its number, and Lightning invoices and coin addresses are paid in a simulated ledger, so only a sandbox on this machine is called. That is why the first option that can be paid is taken, whatever it costs, when --option names none; where there are several the command says which one it took.

            With --journal the payment survives a crash: 'payroute journal resume' settles it, and paying the same link again resumes it. Several commands may share one file. Receipts of private payments are kept beside it, in FILE.receipts.

            People of Paykit (pubky:// and a key) who say where they can be spoken to are asked there for an invoice of their own, and notified when it is paid; their public endpoints are paid where that fails before they have answered, unless --private is given. A payee who answers with anything but what was asked for is not paid.

            Ends with 0 only when the payment is made. Ctrl-C stops it: what is known of it then is printed, and the command ends with 130 (143 for SIGTERM); a second Ctrl-C, later than a moment after, ends it at once.
            """,
        arguments: [
            .init(
                name: "uri",
                help:
                    "The payment link. - reads it from standard input, so that no list of processes shows it; a line that begins with \" is a JSON string."
            )
        ],
        options: [
            .init(name: "option", value: "id", help: "The option to pay with. (default: the first that can be paid)"),
            AutoPayOption.option,
            amountOption,
            PrivateOption.option,
            .init(name: "trust-host", help: "Pay although the link does not prove where it leads."),
            .init(name: "json", help: "Print one JSON object per event, one line each; the last is the ending."),
        ] + PaymentOptions.payers)

    /// The amount where the payee leaves it open.
    static let amountOption = CommandSyntax.Option(
        name: "amount", value: "satoshi",
        help: "How much, where a payee of Paykit or a bitcoin text leaves it to the payer.")

    static func amount(_ arguments: ParsedArguments) throws(UsageError) -> Money? {
        try arguments.value(amountOption.name) { text -> Money? in
            guard let satoshi = UInt64(text), satoshi > 0 else { return nil }
            return try? Money(minorUnits: UInt128(satoshi), currency: .satoshi)
        }
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let isJSON = arguments.has("json")
        let autoPay = try AutoPayOption.read(arguments)
        let amount = try amount(arguments)
        let choice =
            arguments.value("option").map(PaymentSession.Choice.option) ?? (autoPay == nil ? .first : .withinLimits)
        let trustsLink = arguments.has("trust-host")
        // Before standard input is read.
        _ = try sandboxURL(arguments)
        let link = try SingleLink.read(arguments, console)
        let session = try PaymentSession(arguments, console, amount: amount, autoPay: autoPay) { label, text in
            console.narrate(label, text, isJSON: isJSON)
        }
        let (result, signal) = await Interrupts.run {
            await session.pay(link, choice: choice, trustsLink: trustsLink)
        }
        console.show(result, isJSON: isJSON)
        if result.ending == .unknown || result.ending == .pending {
            console.output.flush()
            console.diagnostics.line("Ask again before paying in any other way: run the same command once more.")
        }
        return result.exitCode(after: signal)
    }

    /// The address of the sandbox, which must be on this machine.
    static func sandboxURL(_ arguments: ParsedArguments) throws(UsageError) -> HTTPURL {
        let syntax = arguments.syntax
        guard let url = try arguments.value("sandbox", { try? HTTPURL($0) }) else {
            throw UsageError(
                "Missing '--sandbox <url>': the development wallet is for the sandbox only, never for real money. "
                    + "Start one with 'payroute sandbox'",
                syntax)
        }
        guard url.isLoopback else {
            throw UsageError(
                "The sandbox must be on this machine (http://127.0.0.1:<port>): the development wallet is never for "
                    + "real money",
                syntax)
        }
        return url
    }
}

/// The form of steps on a terminal.
enum Narration {
    /// One step as a line.
    static func line(_ label: String, _ text: String, _ style: Style, tone: Style.Tone? = nil) -> String {
        "  " + Table.line([Table.Cell(label, .faint), Table.Cell(Printable.text(text), tone)], [6, 0], style)
    }
}

extension Console {
    /// Reports one step at once: as a line for people, or as a JSON object.
    func narrate(_ label: String, _ text: String, isJSON: Bool) {
        guard isJSON else { return output.line(Narration.line(label, text, style)) }
        output.edit { buffer in
            buffer.addJSONLine { line in
                line.addMember("event", label)
                line.addMember("message", text)
            }
        }
        output.flush()
    }
}
