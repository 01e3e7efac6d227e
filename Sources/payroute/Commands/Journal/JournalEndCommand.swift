import PaymentCore
import PaymentRouting
import PaymentTransport
import SandboxSupport

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
