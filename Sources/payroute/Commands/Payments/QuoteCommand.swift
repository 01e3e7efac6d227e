import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute quote`: the amount that a link asks for, and the ways to pay it.
enum QuoteCommand: Command {
    static let name = "quote"
    static let summary = "Show payee, amount and options of a link; on a terminal, choose and pay."
    static let syntax = CommandSyntax(
        path: "payroute quote",
        overview: "Show payee and amount of a link, and the options to pay it with.",
        discussion: """
            On a terminal it then asks for the option, and pays with that one, like 'payroute pay --option'. Nothing is paid unless a number is typed. Elsewhere, and with --json, nothing is paid at all.

            Exits with 0 if there is a quote, and if the chosen payment is made.
            """,
        arguments: PayCommand.syntax.arguments,
        options: [
            PayCommand.amountOption,
            .init(name: "trust-host", help: "Ask although the link does not prove where it leads."),
            .init(name: "accept-unclear", help: "Ask although a part of the text is not known that could change it."),
            .init(name: "json", help: "Print one JSON object, and ask nothing."),
        ] + PaymentOptions.payers,
        examples: [
            .init(
                "payroute quote 'https://pay.walletconnect.com/?pid=pay_…'",
                "asks there")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        // Before standard input is read.
        try WalletOption.check(arguments)
        let (trustsLink, isJSON) = (arguments.has("trust-host"), arguments.has("json"))
        let acceptsUnclear = arguments.has("accept-unclear")
        let link = try SingleLink.read(arguments, console)
        let session = try await PaymentSession(arguments, console, amount: try PayCommand.amount(arguments)) { event in
            if !isJSON, event.label != "route" { console.narrate(event, isJSON: false) }
        }
        let (asked, signal) = await Interrupts.run {
            await session.quote(
                link, trustsLink: trustsLink, acceptsUnclear: acceptsUnclear)
        }
        guard let quote = asked.quote else {
            console.show(asked.result, isJSON: isJSON)
            return signal.map(ExitCode.interrupted(by:)) ?? .failed
        }
        guard !isJSON else {
            console.output.edit { quote.write(to: &$0, input: asked.result.input) }
            return .done
        }
        show(quote, console)
        if quote.outcome == nil, let option = quote.options.first(where: \.unmet.isEmpty), let wallet = session.wallet {
            console.output.line("\nIt is paid \(PaymentConsent.terms(option, wallet)).")
        }
        guard quote.outcome == nil, let id = choose(from: quote.options, console) else { return .done }
        let (result, end) = await Interrupts.run {
            await session.pay(link, quote, option: id, acceptsUnclear: acceptsUnclear, asked.result)
        }
        console.show(result, isJSON: false)
        return result.exitCode(after: end)
    }

    private static func show(_ quote: PaymentQuote, _ console: Console) {
        let amount = quote.amount.map(AmountText.words) ?? "an amount that it does not state"
        console.output.line("\(Printable.name(quote.payee.name)) asks for \(console.style(.strong, amount))")
        if let end = quote.expiresAt { console.output.line("It can be paid until \(AttemptSummary.text(end)).") }
        if let outcome = quote.outcome {
            let state = outcome.isFinal ? "Nothing is left to pay" : "It was begun already"
            console.output.line("\(state): \(Printable.text(outcome.description)).")
        }
        guard !quote.options.isEmpty else {
            if quote.outcome == nil { console.output.line("None of the wallet's accounts can pay this.") }
            return
        }
        var table = Table(["#", "OPTION", "AMOUNT", "NEEDS", "ID"])
        for (index, option) in quote.options.enumerated() {
            let needs = option.unmet.map(\.description).joined(separator: ", ")
            table.add([
                Table.Cell("\(index + 1)"), Table.Cell(Printable.name(option.title)),
                Table.Cell((option.isEstimate ? "about " : "") + AmountText.words(option.amount)),
                Table.Cell(needs.isEmpty ? "-" : needs, needs.isEmpty ? nil : .bad),
                Table.Cell(Printable.name(option.id)),
            ])
        }
        console.output.line()
        console.show(table)
    }

    /// Asks for the option to pay with, and returns nil for none. The question is repeated a few times for a number
    /// that is not listed.
    private static func choose(from options: [PaymentMethodOption], _ console: Console) -> PaymentMethodOption.ID? {
        guard console.isInteractive, options.contains(where: \.unmet.isEmpty) else { return nil }
        for _ in 0..<3 {
            let answer = console.ask("\nPay with which one (1-\(options.count), or Enter for none)? ")
            guard let answer, !answer.isEmpty else { break }
            guard let number = Int(answer), options.indices.contains(number - 1) else {
                console.output.line("There is no option \(Printable.short(answer, 20)).")
                continue
            }
            let option = options[number - 1]
            guard option.unmet.isEmpty else {
                console.output.line("This wallet cannot pay with it: it needs more than the wallet can do.")
                continue
            }
            return option.id
        }
        console.output.line("Nothing was paid.")
        return nil
    }
}

extension PaymentQuote {
    /// The object of `quote --json` as a line.
    fileprivate func write(to buffer: inout [UInt8], input: String) {
        buffer.addJSONLine { line in
            line.addAmount(amount)
            line.addMember("expires", expiresAt.map(AttemptSummary.text))
            line.addMember("input", input)
            line.addJSON("options", .array(options.map(\.members)))
            line.addMember("outcome", outcome.map { PaymentResult.Ending($0).rawValue })
            line.addMember("payee", payee.name)
            line.addMember("provider", reference.provider.rawValue)
            line.addMember("reference", reference.id)
            line.addUnit(amount)
        }
    }
}

extension PaymentMethodOption {
    /// The members of an option in JSON.
    var members: JSONValue {
        [
            "amount": .string(amount.decimalText), "estimate": .bool(isEstimate), "id": .string(id),
            "title": .string(title), "unit": .string(amount.currency.mainUnit),
            "unmet": .array(unmet.map(\.members)),
        ]
    }
}

extension PayerNeed {
    /// The members of a need in JSON.
    fileprivate var members: JSONValue {
        var members: [String: JSONValue] = ["words": .string(description)]
        switch self {
        case .signing(let method): (members["need"], members["method"]) = ("signing", .string(method))
        case .data: members["need"] = "data"
        case .page: members["need"] = "page"
        case .app(let name): (members["need"], members["name"]) = ("app", .string(name))
        case .code: members["need"] = "code"
        case .settlement(let kind, let network):
            (members["need"], members["kind"]) = ("settlement", .string(kind.rawValue))
            members["network"] = network.map { .string($0) }
        }
        return .object(members)
    }
}
