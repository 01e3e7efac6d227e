import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute pay`: pays one link, at a sandbox with the development wallet, or with a wallet of the payer's own.
enum PayCommand: Command {
    static let name = "pay"
    static let summary = "Pay a link, at a sandbox or with your own Lightning wallet."
    static let syntax = CommandSyntax(
        path: "payroute pay",
        overview:
            "Pay a link, at a sandbox with the development wallet or with your own Lightning wallet, showing each step.",
        discussion: """
            At a sandbox no real money is involved: the wallet's key can be computed from its number, Lightning invoices and coin addresses are paid in a simulated ledger, and only a sandbox on this machine is called. Without --option the first option that can be paid is taken, whatever it costs, and named.

            With --wallet lnbits://host (or lnd, cln, phoenixd) your own wallet pays Lightning invoices, with real money and once. On a terminal payee, amount and fees are shown first, and nothing is paid unless 'yes' is typed; elsewhere, and with --json, --yes or --auto-within has to be given. Its key comes from --wallet-key-file or PAYROUTE_WALLET_KEY, and is sent to that host only. A payment whose fate is not known stays unknown until the wallet itself says what became of it.

            A name such as ₿user@domain is looked up at the resolver that --dns names, and paid only if DNSSEC proves its link, from the root's keys down.

            With --journal the payment survives a crash: 'payroute journal resume' settles it, and paying the same link again resumes it. Several commands may share one file.

            A Paykit payee is paid by what they have sent over a private link ('payroute links'), or else by an invoice that payroute asks them for over their private channel. If there is neither, it falls back to the published endpoints, unless --private is given. A reply that does not match the request is never paid.

            Exits with 0 only if the payment is made. Ctrl-C stops it: the command prints the state of the payment and exits with 130 (143 for SIGTERM). Press Ctrl-C again to quit immediately.
            """,
        arguments: [
            .init(
                name: "uri",
                help:
                    "The payment link. - reads it from standard input, where no list of processes shows it; a line that begins with \" is a JSON string."
            )
        ],
        options: [
            .init(name: "option", value: "id", help: "The option to pay with. (default: the first that can be paid)"),
            PaymentConsent.option,
            AutoPayOption.option,
            amountOption, commentOption,
            PrivateOption.option,
            .init(name: "trust-host", help: "Pay although the link does not prove where it leads."),
            .init(
                name: "accept-unclear",
                help: "Pay although a part of the text is not known that could change coin, amount, payee or time."),
            .init(name: "json", help: "Print one JSON object per event, one line each; the last is the outcome."),
        ] + PaymentOptions.payers,
        examples: [
            .init(
                "payroute pay 'https://pay.walletconnect.com/?pid=pay_…'", "pays there"),
            .init(
                "payroute pay 'lnbc…' --wallet lnbits://host --journal payments.db",
                "asks, and pays from your own wallet, whose key is in PAYROUTE_WALLET_KEY"),
            .init(
                "payroute pay '₿user@domain' --amount 21 --dns https://dns.example/dns-query",
                "looks the name up, and pays what it proves"),
            .init("payroute pay - --json --journal payments.db < link.txt", "survives a crash; for scripts"),
        ],
        files: [
            ("FILE.orders", "orders at your own wallets, beside the journal FILE"),
            ("FILE.private", "receipts and private links, beside the journal FILE"),
        ])

    /// The amount if the payee leaves it open.
    static let amountOption = CommandSyntax.Option(
        name: "amount", value: "satoshi",
        help: "The amount, where a Paykit payee or a bitcoin text leaves it to the payer.",
        form: "a whole number of satoshi above 0")

    /// The comment for the payee of an address.
    static let commentOption = CommandSyntax.Option(
        name: "comment", value: "text",
        help: "A comment for the payee of a Lightning address or LNURL, paid from your own wallet.")

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
        var choice =
            arguments.value("option").map(PaymentSession.Choice.option) ?? (autoPay == nil ? .first : .withinLimits)
        let (trustsLink, acceptsUnclear) = (arguments.has("trust-host"), arguments.has("accept-unclear"))
        // Before standard input is read.
        try WalletOption.check(arguments)
        let consent = try PaymentConsent.read(arguments, console, isJSON: isJSON)
        let link = try SingleLink.read(arguments, console)
        let session = try await PaymentSession(arguments, console, amount: amount, autoPay: autoPay) {
            console.narrate($0, isJSON: isJSON)
        }
        if case .asked = consent, let wallet = session.wallet {
            let id = arguments.value("option")
            choice = .asked { await PaymentConsent.choose(id, from: $0, paidBy: wallet, console) }
        }
        let (result, signal) = await Interrupts.run { [choice] in
            await session.pay(link, choice: choice, trustsLink: trustsLink, acceptsUnclear: acceptsUnclear)
        }
        console.show(result, isJSON: isJSON, hasSteps: true)
        if result.ending == .unknown || result.ending == .pending {
            console.output.flush()
            let isKept = arguments.value(PaymentOptions.journal.name) != nil
            let resume = isKept ? result.attempt.map { ", or 'payroute journal resume \($0)'" } ?? "" : ""
            console.diagnostics.line(
                "Ask again before paying in any other way: run the same command again\(resume).")
        }
        return result.exitCode(after: signal)
    }

    /// The address of the sandbox, which must be on this machine.
    static func sandboxURL(_ arguments: ParsedArguments) throws(UsageError) -> HTTPURL {
        let syntax = arguments.syntax
        guard let url = try arguments.value("sandbox", { try? HTTPURL($0) }) else {
            let other =
                syntax.options.contains { $0.name == AccountsOption.option.name }
                ? ", or '--accounts <file>' for real money" : ""
            throw UsageError(
                "Missing '--sandbox <url>': the development wallet is for the sandbox only, never for real money. "
                    + "Start one with 'payroute sandbox'\(other)",
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

/// `--private`: payees are paid by what they have sent over a private link, or over a private channel when asked.
enum PrivateOption {
    static let option = CommandSyntax.Option(
        name: "private",
        help: "Pay a Paykit payee only by an invoice over a private link or channel.")

    /// Returns the reason why no payee can be asked over a private channel by a link, or nil if one can.
    static func objection(to vendor: (any SandboxVendor)?, _ route: Route) -> PaymentError? {
        if vendor?.paysPrivately == true, route.match.payee != nil { return nil }
        return PaymentError(
            .unsupported, "--private asks a person for an invoice, and this link names none (pubky://…): leave it out",
            provider: route.provider)
    }
}

/// The form of steps on a terminal.
enum Narration {
    /// Returns one step as lines, wrapped at words on a terminal.
    static func lines(_ event: SessionEvent, _ console: Console, tone: Style.Tone? = nil) -> [String] {
        event.lines.flatMap { line in
            console.pieces(Printable.text(line), behind: 10).enumerated().map { index, piece in
                let label = Table.Cell(index == 0 ? event.label : "", .faint)
                return "  " + Table.line([label, Table.Cell(piece, tone)], [6, 0], console.style)
            }
        }
    }
}

extension Console {
    /// Reports one step at once: as a line for people, or as a JSON object.
    func narrate(_ event: SessionEvent, isJSON: Bool) {
        guard isJSON else {
            for line in Narration.lines(event, self) { output.line(line) }
            return
        }
        output.edit { $0.addJSONLine(event.json) }
        output.flush()
    }
}
