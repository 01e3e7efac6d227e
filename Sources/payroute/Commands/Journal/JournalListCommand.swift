import PaymentCore
import PaymentRouting
import PaymentStore

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
