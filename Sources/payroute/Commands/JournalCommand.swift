import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import SandboxSupport

/// `payroute journal`: past and interrupted payments.
enum JournalCommand: Command {
    static let name = "journal"
    static let summary = "List, show, resume, end or prune a journal's payments."
    static let syntax = CommandSyntax(
        path: "payroute journal",
        overview: "List, show, resume, end or prune a journal's payments.",
        subcommands: subcommands.map { ($0.name, $0.summary) })

    static var subcommands: [any Command.Type] {
        [
            JournalListCommand.self, JournalShowCommand.self, JournalResumeCommand.self, JournalEndCommand.self,
            JournalPruneCommand.self,
        ]
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode { .usage }
}

// MARK: - Subcommands

/// `payroute journal list`.
enum JournalListCommand: Command {
    static let name = "list"
    static let summary = "List the latest attempts."
    static let syntax = CommandSyntax(
        path: "payroute journal list",
        overview: "List the latest attempts to pay, oldest first.",
        options: [
            JournalOption.syntax,
            .init(
                name: "limit", value: "number", help: "Show at most this many. (default: 1000)",
                form: "a whole number above 0"),
            .init(name: "open", help: "Only those that have not ended."),
            .init(name: "provider", value: "id", help: "Only those of this provider.", names: .providers),
            .init(name: "json", help: "Print one JSON object per attempt, one line each."),
        ],
        examples: [.init("payroute journal list --journal payments.db --open", "attempts that have not ended")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let limit = try arguments.value("limit") { Int($0).flatMap { $0 > 0 ? $0 : nil } } ?? 1000
        let query = AttemptQuery(
            provider: arguments.value("provider").map { ProviderID(rawValue: $0) },
            state: arguments.has("open") ? .unfinished : nil, limit: limit)
        let histories = try await JournalOption.open(arguments).attempts(query).histories.reversed()
        if arguments.has("json") {
            for history in histories { console.output.edit { AttemptSummary(history: history).write(to: &$0) } }
            return .done
        }
        var table = Table(["ATTEMPT", "STARTED", "PROVIDER", "SUBJECT", "REFERENCE", "AMOUNT", "OUTCOME"])
        for history in histories {
            let summary = AttemptSummary(history: history)
            let attempt = history.attempt
            table.add([
                Table.Cell(Printable.text(attempt.id.rawValue)), Table.Cell(AttemptSummary.text(attempt.startedAt)),
                Table.Cell(Printable.text(attempt.reference.provider.rawValue)),
                Table.Cell(attempt.reference.subject.kind),
                Table.Cell(Printable.text(attempt.reference.id)),
                Table.Cell(AmountText.words(attempt.option.amount)),
                Table.Cell(summary.state, summary.tone),
            ])
        }
        console.show(table)
        return .done
    }
}

/// `payroute journal show`.
enum JournalShowCommand: Command {
    static let name = "show"
    static let summary = "Show everything about one attempt."
    static let syntax = CommandSyntax(
        path: "payroute journal show",
        overview: "Show one attempt and its steps. Results of steps are not shown.",
        arguments: [.init(name: "attempt", help: "The attempt, as 'payroute journal list' shows it.")],
        options: [
            JournalOption.syntax,
            .init(name: "json", help: "Print one JSON object for the attempt and one per entry, one line each."),
        ],
        examples: [.init("payroute journal show att_a6cb8812fcbf9ece949c667d --journal payments.db", "one attempt")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let journal = try JournalOption.open(arguments)
        let id = AttemptID(rawValue: arguments.positionals[0])
        guard let history = try await journal.history(of: id) else { throw JournalError.unknownAttempt(id) }
        let summary = AttemptSummary(history: history)
        if arguments.has("json") {
            console.output.edit { summary.write(to: &$0) }
            for entry in history.entries {
                console.output.edit { buffer in
                    buffer.addJSONLine { line in
                        line.addMember("date", AttemptSummary.text(entry.date))
                        line.addMember("detail", entry.words.detail)
                        line.addMember("event", entry.words.what)
                    }
                }
            }
            return .done
        }
        let attempt = history.attempt
        let rows: [(String, String?)] = [
            ("attempt", attempt.id.rawValue), ("provider", attempt.reference.provider.rawValue),
            (attempt.reference.subject.kind, attempt.reference.id),
            ("of", attempt.reference.refundedPayment?.id),
            ("option", "\(attempt.option.id): \(attempt.option.title)"),
            ("amount", AmountText.words(attempt.option.amount)), ("key", attempt.idempotencyKey),
            ("started", AttemptSummary.text(attempt.startedAt)),
            ("expires", attempt.expiresAt.map(AttemptSummary.text)), ("outcome", summary.state),
            ("transaction", summary.transaction),
        ]
        for case (let label, let text?) in rows {
            let cells = [Table.Cell(label, .faint), Table.Cell(Printable.text(text))]
            console.output.line(Table.line(cells, [11, 0], console.style))
        }
        console.output.line()
        for entry in history.entries {
            let (what, detail) = entry.words
            let cells = [
                Table.Cell(AttemptSummary.text(entry.date), .faint), Table.Cell(what),
                Table.Cell(Printable.text(detail)),
            ]
            console.output.line("  " + Table.line(cells, [20, 9, 0], console.style))
        }
        return .done
    }
}

/// `payroute journal resume`.
enum JournalResumeCommand: Command {
    static let name = "resume"
    static let summary = "Settle interrupted attempts."
    static let syntax = CommandSyntax(
        path: "payroute journal resume",
        overview: "Settle one interrupted attempt, or all of them.",
        discussion: """
            Finished steps are not run again. An attempt that may have moved money is settled by asking the service. One that had sent nothing continues. With your own wallet, real money leaves only with --yes: without it the wallet is asked about what it has begun, and what it was not asked for is abandoned.

            Exits with 0 only if every attempt is settled: paid, or certainly not.
            """,
        arguments: [
            .init(
                name: "attempt", help: "The attempt, as 'payroute journal list' shows it. (default: all)",
                isOptional: true)
        ],
        options: [
            .init(name: "json", help: "Print one JSON object per attempt, one line each."),
            .init(name: "yes", help: "Pay what is left to be paid with real money from your own wallet."),
        ] + PaymentOptions.payers.map { $0.name == JournalOption.syntax.name ? JournalOption.syntax : $0 },
        examples: [
            .init("payroute journal resume --journal payments.db", "after a crash")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        _ = try JournalOption.path(arguments)
        let session = try await PaymentSession(arguments, console, creatingJournal: false) { _ in }
        var payer = session.payer
        if try WalletOption.movesRealMoney(arguments), !arguments.has(PaymentConsent.option.name) {
            payer.settler = payer.settler.map { UnpaidSettler(base: $0) }
        }
        let id = arguments.positionals.first.map { AttemptID(rawValue: $0) }
        let (result, signal) = await Interrupts.run { [payer] () -> Result<[RecoveryReport], PaymentError> in
            do throws(PaymentError) {
                guard let id else { return .success(try await session.router.recover(as: payer)) }
                return .success([try await session.router.recover(id, as: payer)])
            } catch {
                return .failure(error)
            }
        }
        let reports = try result.get()
        let layout = console.layout(["ATTEMPT", "SUBJECT", "REFERENCE", "OUTCOME", "WHY"], [28, 7, 40, 9, 24])
        for report in reports {
            await show(report, isJSON: arguments.has("json"), layout, console, router: session.router)
        }
        let isDone = reports.allSatisfy(\.isSettled)
        if !isDone { console.diagnostics.line("Not everything is settled. Run the same command again later.") }
        return isDone ? .done : signal.map(ExitCode.interrupted(by:)) ?? .failed
    }

    private static func show(
        _ report: RecoveryReport, isJSON: Bool, _ layout: Table.Layout, _ console: Console, router: PaymentRouter
    ) async {
        let attempt = report.attempt
        var result = PaymentResult("")
        switch report.result {
        case .success(let outcome): result.end(.stated(outcome))
        case .failure(let error):
            result.end(await router.statement(on: error, of: attempt.reference))
            if error.code == .unroutable {
                result.reason += "; name it with --with \(attempt.reference.provider) if it is an external provider"
            }
        }
        if isJSON {
            console.output.edit { buffer in
                buffer.addJSONLine { line in
                    line.addMember("askAgain", report.askAgain.map(AttemptSummary.text))
                    line.addMember("attempt", attempt.id.rawValue)
                    line.addMember("outcome", result.ending.rawValue)
                    line.addMember("provider", attempt.reference.provider.rawValue)
                    line.addMember("reason", result.reason)
                    line.addMember("reference", attempt.reference.id)
                    line.addMember("settled", report.isSettled)
                    line.addMember("subject", attempt.reference.subject.kind)
                    line.addMember("transaction", result.transaction)
                }
            }
        } else {
            let cells = [
                Table.Cell(Printable.text(attempt.id.rawValue)), Table.Cell(attempt.reference.subject.kind),
                Table.Cell(Printable.text(attempt.reference.id)),
                Table.Cell(result.ending.rawValue, result.ending.tone), Table.Cell(Printable.text(result.reason)),
            ]
            for line in layout.lines(cells) { console.output.line(line) }
        }
    }
}

/// `payroute journal end`.
enum JournalEndCommand: Command {
    static let name = "end"
    static let summary = "End an attempt by a person's decision."
    static let syntax = CommandSyntax(
        path: "payroute journal end",
        overview: "End an attempt whose service, wallet or settler never answers, by a person's decision.",
        discussion: """
            Resume it first: that asks the service once more. The journal keeps the decision with the person, the evidence and the date, and the outcome names them. A payment that is ended as paid is not made again. One that is ended as not paid can be: if the decision was wrong, it is then paid twice.

            While the wallet has reported a transaction, not-paid is refused; not-paid-despite-transaction is for one that the network has dropped. With --wallet your own wallet's order is ended as well: without it the order stays open, and keeps its invoice from being paid again.
            """,
        arguments: [.init(name: "attempt", help: "The attempt, as 'payroute journal list' shows it.")],
        options: [
            JournalOption.syntax,
            .init(
                name: "as", value: "decision", help: "paid, not-paid or not-paid-despite-transaction.",
                isRequired: true, values: ["paid", "not-paid", "not-paid-despite-transaction"]),
            .init(
                name: "evidence", value: "text", help: "The evidence, such as a statement of account. No secrets.",
                isRequired: true),
            .init(name: "by", value: "name", help: "The person who decides. (default: the user's name)"),
            .init(name: "json", help: "Print one JSON object."),
        ] + WalletOption.options,
        examples: [
            .init(
                "payroute journal end att_a6cb8812fcbf9ece949c667d --journal payments.db --as paid --evidence 'statement 7'",
                "by a person")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let decision = try arguments.value("as", { PaymentDecision(rawValue: $0) }) else {
            throw UsageError("Missing '--as <decision>': paid, not-paid or not-paid-despite-transaction", syntax)
        }
        guard let evidence = arguments.value("evidence") else {
            throw UsageError("Missing '--evidence <text>': what shows it, such as a statement of account", syntax)
        }
        guard let person = arguments.value("by") ?? console.environment("USER") else {
            throw UsageError("Missing '--by <name>': the person who decides", syntax)
        }
        let router = PaymentRouter(
            registry: try console.vendors.registry(), transport: StandardTransport(),
            journal: try JournalOption.open(arguments))
        var payer = Payer()
        if WalletOption.namesOwn(arguments) {
            let journal = try JournalOption.path(arguments)
            payer.settler = try await WalletOption.open(arguments, console, journal: journal).settler
        }
        let id = AttemptID(rawValue: arguments.positionals[0])
        let outcome = try await router.end(id, as: decision, by: person, evidence: evidence, as: payer)
        var result = PaymentResult(id.rawValue)
        result.end(.stated(outcome))
        console.show(result, isJSON: arguments.has("json"))
        return .done
    }
}

/// `payroute journal prune`.
enum JournalPruneCommand: Command {
    static let name = "prune"
    static let summary = "Remove attempts that ended long ago."
    static let syntax = CommandSyntax(
        path: "payroute journal prune",
        overview: "Remove attempts that ended long ago.",
        discussion: """
            Attempts that have not ended are never removed. Proofs of payments, and records that money may have moved, are kept longer: without them only the service's status prevents a second payment of the same link. The keys of callers of 'payroute serve' are kept as long as proofs.
            """,
        options: [
            JournalOption.syntax,
            .init(
                name: "older-than", value: "days", help: "Remove attempts that ended more than this many days ago.",
                isRequired: true,
                form: "a whole number of days"),
            .init(
                name: "keep-proofs", value: "days",
                help: "Keep proofs and callers' keys for this many days. (default: 400)",
                form: "a whole number of days"),
        ],
        examples: [.init("payroute journal prune --journal payments.db --older-than 90", "a quarter")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let age = try days("older-than", arguments) else {
            throw UsageError("Missing '--older-than <days>': how old what is removed has to be", arguments.syntax)
        }
        let proofs = try days("keep-proofs", arguments) ?? 400
        let journal = try JournalOption.open(arguments)
        let now = SystemPaymentClock().now
        let count = try await journal.prune(
            endedBefore: now.addingTimeInterval(-age * 86400),
            keepingProofsSince: now.addingTimeInterval(-proofs * 86400))
        console.output.line("\(count) \(count == 1 ? "attempt" : "attempts") removed")
        let file = try JournalOption.path(arguments) + ServeCommand.fileSuffix
        guard FileManager.default.fileExists(atPath: file) else { return .done }
        let served = try await ServeTable.prune(
            try SQLiteRecords(path: file, creating: false), called: file,
            endedBefore: now.addingTimeInterval(-max(age, proofs) * 86400))
        console.output.line("\(served) \(served == 1 ? "key" : "keys") of callers removed")
        return .done
    }

    private static func days(_ name: String, _ arguments: ParsedArguments) throws -> Double? {
        try arguments.value(name) { Int($0).flatMap { (0...100_000).contains($0) ? Double($0) : nil } }
    }
}

// MARK: - Helpers

/// The `--journal` option.
enum JournalOption {
    /// Opens the journal of a command that needs one. It must exist already.
    static func open(_ arguments: ParsedArguments) throws -> SQLiteJournal {
        try SQLiteJournal(path: try path(arguments), creating: false)
    }

    /// Returns the path of the journal.
    ///
    /// - Throws: ``UsageError`` if the line names none.
    static func path(_ arguments: ParsedArguments) throws(UsageError) -> String {
        guard let path = arguments.value("journal") else {
            throw UsageError(
                "Missing '--journal <file>': the file that 'payroute pay --journal' wrote", arguments.syntax)
        }
        return path
    }

    static let syntax = CommandSyntax.Option(
        name: "journal", value: "file", help: "The journal file.", isRequired: true, variable: "PAYROUTE_JOURNAL")
    static let beside = CommandSyntax.Option(
        name: "journal", value: "file", help: "The wallet's journal: its links are stored beside it, in FILE.private.",
        isRequired: true, variable: "PAYROUTE_JOURNAL")
}

/// A summary of one attempt in a journal.
struct AttemptSummary {
    let history: AttemptHistory

    /// The state: an outcome, `abandoned` (nothing was paid), or `interrupted`.
    var state: String {
        if let outcome = history.outcome { return PaymentResult.Ending(outcome).rawValue }
        return history.isFinished ? "abandoned" : "interrupted"
    }

    var tone: Style.Tone {
        switch state {
        case "succeeded": .good
        case "interrupted", "unknown", "pending": .doubtful
        default: .bad
        }
    }

    /// The transaction on the payment network.
    var transaction: String? {
        if case .succeeded(let receipt)? = history.outcome { receipt.transactionID } else { nil }
    }

    /// A date as RFC 3339 text in UTC.
    static func text(_ date: Date) -> String {
        RFC3339(date).text
    }

    /// The members of `journal list --json` for this attempt.
    func write(to buffer: inout [UInt8]) {
        let attempt = history.attempt
        buffer.addJSONLine { line in
            line.addAmount(attempt.option.amount)
            line.addMember("attempt", attempt.id.rawValue)
            line.addMember("outcome", state)
            line.addMember("provider", attempt.reference.provider.rawValue)
            line.addMember("reference", attempt.reference.id)
            line.addMember("started", Self.text(attempt.startedAt))
            line.addMember("subject", attempt.reference.subject.kind)
            line.addMember("transaction", transaction)
            line.addUnit(attempt.option.amount)
        }
    }
}

extension JournalEntry {
    /// The event in words: never a step's result, which may hold a wallet's signature.
    var words: (what: String, detail: String) {
        switch event {
        case .stepStarted(let name, let kind): ("started", "\(name) (\(kind.note))")
        case .stepFinished(let name, _): ("finished", name)
        case .stepFailed(let name, let reason, let wasSent): (wasSent ? "failed" : "not sent", "\(name): \(reason)")
        case .outcome(let outcome): ("outcome", outcome.description)
        case .abandoned(let reason): ("abandoned", reason)
        }
    }
}
