import SandboxSupport

/// The answers to requests for payments, which are sent at once.
extension LinksCommand {
    fileprivate static let reason = CommandSyntax.Option(
        name: "reason", value: "text", help: "The reason, which only the other user can read.")

    /// Returns the syntax of a command that answers a request.
    ///
    /// - Parameters:
    ///   - words: an example's options; empty where the command has none.
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
