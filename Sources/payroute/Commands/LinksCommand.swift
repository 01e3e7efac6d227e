import PaymentCore
import PaymentTransport
import SandboxSupport

/// `payroute links`: private links with other users, for asking for payments.
enum LinksCommand: Command {
    static let name = "links"
    static let summary = "Exchange requests for payments with other users of a sandbox, privately."
    static let syntax = CommandSyntax(
        path: "payroute links",
        overview: "Exchange requests for payments with other users of a sandbox, privately.",
        discussion: """
            Two users add each other, and leave encrypted messages on their homeservers: neither has to be online when the other is. Each wallet is a user, and its links are stored beside its journal, which no other wallet may use. A request is paid with 'links pay'; the proof and the receipt go the same way.
            """,
        subcommands: subcommands.map { ($0.name, $0.summary) },
        examples: [
            .init("payroute links list --journal a.db", "the own name, and the links so far"),
            .init("payroute links add pubky… --journal a.db --wallet 1", "begins a link"),
            .init("payroute links ask pubky… --amount 2100 --for tea --journal a.db --wallet 1", "asks"),
            .init("payroute links poll --journal b.db --wallet 2", "the other user reads"),
        ])

    static var subcommands: [any Command.Type] {
        [
            LinksListCommand.self, LinksAddCommand.self, LinksPollCommand.self, LinksAskCommand.self,
            LinksPayCommand.self, LinksAcceptCommand.self, LinksRejectCommand.self, LinksCancelCommand.self,
        ]
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode { .usage }

    static let json = CommandSyntax.Option(name: "json", help: "Print one JSON object per link, one line each.")
    static let request = CommandSyntax.Argument(
        name: "request", help: "The request, as 'payroute links list' shows it.")
    static let user = CommandSyntax.Argument(name: "user", help: "The other user, as their 'links list' shows it.")

    /// Opens the links of the wallet that the line names.
    static func open(_ arguments: ParsedArguments, _ console: Console) throws -> any PrivateLinks {
        let sandbox = try PayCommand.sandboxURL(arguments)
        guard let journal = arguments.value(PaymentOptions.journal.name) else {
            throw UsageError("Missing '--journal <file>': links are stored beside it", arguments.syntax)
        }
        let settings = PrivateSettings(seed: try WalletOption.number(arguments), journal: journal)
        for vendor in console.vendors.list {
            if let links = try vendor.links(
                settings, at: sandbox, over: StandardTransport(), clock: SystemPaymentClock(),
                random: SystemRandomSource())
            {
                return links
            }
        }
        throw CommandError(description: "no provider has private links")
    }

    /// Shows links with their requests.
    static func show(
        _ links: [PrivateLinkEntry], of user: String, _ arguments: ParsedArguments, _ console: Console
    ) {
        guard !arguments.has("json") else {
            for link in links { console.output.edit { $0.addJSONLine(json(link, user)) } }
            return
        }
        console.output.line("you  \(user)")
        for link in links {
            let status = link.status.map { "  \($0)" } ?? ""
            console.output.line("\n\(link.user)  \(Printable.name(link.app))\(status)")
            guard !link.requests.isEmpty else { continue }
            var table = Table(["REQUEST", "FROM", "AMOUNT", "FOR", "PHASE", "RECEIPTS"])
            for request in link.requests {
                table.add([
                    Table.Cell(request.id), Table.Cell(request.isOwn ? "you" : "them"),
                    Table.Cell(request.amount.map { AmountText.words($0) } ?? "unknown"),
                    Table.Cell(Printable.name(request.reference)), Table.Cell(request.phase),
                    Table.Cell("\(request.receipts)"),
                ])
            }
            console.show(table)
        }
    }

    private static func json(_ link: PrivateLinkEntry, _ user: String) -> [String: JSONValue] {
        let requests = link.requests.map { request -> JSONValue in
            [
                "amount": request.amount.map { .string($0.decimalText) } ?? .null, "for": .string(request.reference),
                "from": request.isOwn ? "you" : "them", "phase": .string(request.phase),
                "receipts": .number(JSONNumber(request.receipts)), "request": .string(request.id),
            ]
        }
        return [
            "app": .string(link.app), "requests": .array(requests), "status": link.status.map { .string($0) } ?? .null,
            "user": .string(link.user), "you": .string(user),
        ]
    }
}

// MARK: - Subcommands

/// `payroute links list`.
enum LinksListCommand: Command {
    static let name = "list"
    static let summary = "List the links and their requests. Sends nothing."
    static let syntax = CommandSyntax(
        path: "payroute links list", overview: "List the links and their requests. Sends nothing.",
        options: [LinksCommand.json] + PaymentOptions.links,
        examples: [.init("payroute links list --journal a.db", "the own name comes first")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let links = try LinksCommand.open(arguments, console)
        LinksCommand.show(try await links.links(), of: links.user, arguments, console)
        return .done
    }
}

/// `payroute links add`.
enum LinksAddCommand: Command {
    static let name = "add"
    static let summary = "Begin a link with a user."
    static let syntax = CommandSyntax(
        path: "payroute links add",
        overview: "Begin a link with a user. It is established once both users have added each other and polled.",
        arguments: [LinksCommand.user], options: [LinksCommand.json] + PaymentOptions.links,
        examples: [.init("payroute links add pubky… --journal a.db", "begins a link")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let links = try LinksCommand.open(arguments, console)
        LinksCommand.show([try await links.add(arguments.positionals[0])], of: links.user, arguments, console)
        return .done
    }
}

/// `payroute links poll`.
enum LinksPollCommand: Command {
    static let name = "poll"
    static let summary = "Send and receive the messages of all links."
    static let syntax = CommandSyntax(
        path: "payroute links poll",
        overview: "Send and receive the messages of all links, and confirm payments that have arrived.",
        options: [LinksCommand.json] + PaymentOptions.links,
        examples: [.init("payroute links poll --journal a.db", "from time to time")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let links = try LinksCommand.open(arguments, console)
        LinksCommand.show(try await links.poll(nil), of: links.user, arguments, console)
        return .done
    }
}

/// `payroute links ask`.
enum LinksAskCommand: Command {
    static let name = "ask"
    static let summary = "Ask a user for a payment."
    static let syntax = CommandSyntax(
        path: "payroute links ask",
        overview: "Ask a user for a payment, by an invoice that is made for it.",
        arguments: [LinksCommand.user],
        options: [
            .init(
                name: "amount", value: "satoshi", help: "The amount.", isRequired: true,
                form: "a whole number of satoshi above 0"),
            .init(name: "for", value: "text", help: "The purpose, which only the user can read.", isRequired: true),
            .init(
                name: "every", value: "interval", help: "Ask for it again each day, week, month or year, from now on.",
                values: units, form: "day, week, month or year"),
            .init(name: "json", help: "Print one JSON object."),
        ] + PaymentOptions.links,
        examples: [
            .init("payroute links ask pubky… --amount 2100 --for tea --journal a.db", "asks"),
            .init("payroute links ask pubky… --amount 2100 --for rent --every month --journal a.db", "asks each month"),
        ])
    private static let units = ["day", "week", "month", "year"]

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let amount = try PayCommand.amount(arguments) else {
            throw UsageError("Missing '--amount <satoshi>': the amount to ask for", syntax)
        }
        guard let reference = arguments.value("for") else {
            throw UsageError("Missing '--for <text>': the purpose of the payment", syntax)
        }
        let unit = arguments.value("every")
        if let unit, !units.contains(unit) {
            throw UsageError("'--every \(unit)' is no interval: day, week, month or year", syntax)
        }
        let links = try LinksCommand.open(arguments, console)
        let id = try await links.ask(arguments.positionals[0], for: amount, reference: reference, every: unit)
        if arguments.has("json") {
            console.output.edit { $0.addJSONLine(["request": .string(id)]) }
        } else {
            console.output.line("asked: \(id)")
        }
        return .done
    }
}

/// `payroute links pay`.
enum LinksPayCommand: Command {
    static let name = "pay"
    static let summary = "Pay what a user has asked for, once."
    static let syntax = CommandSyntax(
        path: "payroute links pay",
        overview: "Pay what a user has asked for, once, and send the proof.",
        discussion:
            "The payment is made as by 'payroute pay', with the same journal. Paying accepts the request. Of a request that recurs the earliest period that is not paid is paid. Exits with 0 only if the payment is made.",
        arguments: [LinksCommand.request],
        options: [AutoPayOption.option, .init(name: "json", help: "Print one JSON object per event, one line each.")]
            + PaymentOptions.payers,
        examples: [
            .init("payroute links pay 11111111-1111-4111-8111-000000000002 --journal b.db --wallet 2", "pays it")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let isJSON = arguments.has("json")
        let autoPay = try AutoPayOption.read(arguments)
        let links = try LinksCommand.open(arguments, console)
        let asked = try await links.payment(of: arguments.positionals[0])
        // It may have been cancelled since the last poll.
        _ = try await links.poll(asked.user)
        let session = try await PaymentSession(arguments, console, autoPay: autoPay) {
            console.narrate($0, isJSON: isJSON)
        }
        let (result, signal) = await Interrupts.run {
            guard let period = asked.period else {
                return await session.pay(asked.link, choice: autoPay == nil ? .first : .withinLimits)
            }
            return await session.pay(period, at: asked.link, isApproved: autoPay == nil)
        }
        console.show(result, isJSON: isJSON, hasSteps: true)
        // The proof is sent at once or, if that fails, by the next poll.
        do { _ = try await links.poll(asked.user) } catch {
            console.error("The proof was not sent, and is sent by the next 'payroute links poll': \(error)")
        }
        return result.exitCode(after: signal)
    }
}

// MARK: - Answers to requests

/// The answers to requests for payments, which are sent at once.
extension LinksCommand {
    fileprivate static let reason = CommandSyntax.Option(
        name: "reason", value: "text", help: "The reason, which only the other user can read.")

    /// Returns the syntax of a command that answers a request.
    ///
    /// - Parameters:
    ///   - words: an example's options, empty if the command has none.
    ///   - effect: the example's effect.
    fileprivate static func syntax(
        _ name: String, _ overview: String, more discussion: String? = nil, with words: String = "", effect: String
    ) -> CommandSyntax {
        CommandSyntax(
            path: "payroute links \(name)", overview: overview, discussion: discussion, arguments: [request],
            options: (words.isEmpty ? [] : [reason]) + [json] + PaymentOptions.links,
            examples: [
                .init("payroute links \(name) 11111111-1111-4111-8111-000000000002 \(words)--journal b.db", effect)
            ])
    }
}

/// A command that answers a request.
protocol LinksAnswerCommand: Command {
    /// Returns the answer with the line's reason.
    static func answer(_ reason: String?) -> RequestAnswer
}

extension LinksAnswerCommand {
    /// Answers the request that the line names, and shows its link.
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let links = try LinksCommand.open(arguments, console)
        let link = try await links.answer(arguments.positionals[0], answer(arguments.value(LinksCommand.reason.name)))
        LinksCommand.show([link], of: links.user, arguments, console)
        return .done
    }
}

/// `payroute links accept`.
enum LinksAcceptCommand: LinksAnswerCommand {
    static let name = "accept"
    static let summary = "Accept a request. Nothing is paid by it."
    static let syntax = LinksCommand.syntax(
        name, summary, more: "Paying a request accepts it, too.", effect: "the other user may expect the payment")

    static func answer(_ reason: String?) -> RequestAnswer { .accept }
}

/// `payroute links reject`.
enum LinksRejectCommand: LinksAnswerCommand {
    static let name = "reject"
    static let summary = "Reject a request: it is not paid."
    static let syntax = LinksCommand.syntax(
        name, summary, with: "--reason 'too much' ", effect: "the other user reads why")

    static func answer(_ reason: String?) -> RequestAnswer { .reject(reason: reason) }
}

/// `payroute links cancel`.
enum LinksCancelCommand: LinksAnswerCommand {
    static let name = "cancel"
    static let summary = "Cancel a request, from either side."
    static let syntax = LinksCommand.syntax(
        name, summary,
        more: "A payment in progress is made all the same. Of a request that recurs no later period is paid.",
        with: "--reason 'moved away' ", effect: "no further period is paid")

    static func answer(_ reason: String?) -> RequestAnswer { .cancel(reason: reason) }
}
