import PaymentCore
import PaymentRouting
import PaymentStore

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
