/// The command line: finds the command, runs it, and maps every result to an exit code.
package enum CommandLineTool {
    /// The version, as in the change log.
    static let version = "0.1.0"
    /// True once the change log gives that version a date.
    static let isReleased = false
    /// The version for people.
    static var versionText: String { isReleased ? version : "\(version), not released yet" }

    static var commands: [any Command.Type] {
        [
            RouteCommand.self, InspectCommand.self, QRCommand.self, QuoteCommand.self, PayCommand.self,
            StatusCommand.self, RefundCommand.self, CancelCommand.self, ReviewCommand.self, JournalCommand.self,
            LinksCommand.self, ProvidersCommand.self, ServeCommand.self, SandboxCommand.self, DemoCommand.self,
            DoctorCommand.self, CompletionCommand.self, ManualCommand.self, NewProviderCommand.self,
        ]
    }

    static var syntax: CommandSyntax {
        CommandSyntax(
            path: "payroute",
            overview:
                "Reads any payment link, URI or QR text, says who gets how much until when, and pays it once at the right provider.",
            subcommands: commands.map { ($0.name, $0.summary) },
            examples: [
                .init("payroute inspect 'upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR'", "who gets how much"),
                .init("payroute sandbox", "simulated services, with a home page"),
                .init("export PAYROUTE_SANDBOX=http://127.0.0.1:8080", "the address that it prints"),
                .init("payroute pay 'https://pay.walletconnect.com/?pid=pay_…'", "pays there"),
            ],
            files: [
                ("FILE (--journal)", "the journal of payments, an SQLite database that only its owner can read"),
                ("FILE.receipts", "receipts of private payments, beside the journal"),
                ("FILE.orders", "orders at your own wallets, beside the journal"),
                ("FILE.links", "private links, beside the journal"),
                ("FILE.served", "payments of 'payroute serve', beside the journal"),
            ])
    }

    /// Runs the command that `words` name; `words` exclude the program's own name.
    package static func run(_ words: [String], _ console: Console) async -> ExitCode {
        var code: ExitCode
        do {
            code = try await dispatch(words[...], syntax, among: commands, console)
        } catch let error as UsageError {
            console.error(error.message, hint: error.hint)
            code = .usage
        } catch {
            console.error("\(error)")
            code = .failed
        }
        console.output.flush()
        if let failure = console.output.failure {
            console.error("The output cannot be written: \(failure)")
            code = code == .done ? .failed : code
        }
        return code
    }

    /// Runs the command that `words` name among `commands`, which stand below `syntax`.
    private static func dispatch(
        _ words: ArraySlice<String>, _ syntax: CommandSyntax, among commands: [any Command.Type], _ console: Console
    ) async throws -> ExitCode {
        guard let word = words.first else { return help(syntax, console) }
        let first = CommandSynonyms.names[word] ?? word
        if first == "help" { return try help(on: words.dropFirst(), syntax, commands, console) }
        guard let command = commands.first(where: { $0.name == first }) else {
            // Reads `--help` and `--version`, and reports every other option.
            let arguments = try ParsedArguments(first.hasPrefix("-") ? Array(words) : [], for: syntax)
            if let code = answer(arguments, console) { return code }
            throw unknown(arguments.positionals.first ?? first, syntax, commands)
        }
        let isForAnother = words.dropFirst().first.map { word in
            word == "help" || command.subcommands.contains { $0.name == word }
        }
        guard command.subcommands.isEmpty || command.runsAlone && isForAnother != true else {
            return try await dispatch(words.dropFirst(), command.syntax, among: command.subcommands, console)
        }
        var arguments = try ParsedArguments(
            words.dropFirst(), for: command.syntax, environment: console.environment)
        if let code = answer(arguments, console) { return code }
        if !command.syntax.variables.isEmpty, let settings = try Settings.named(by: console) {
            arguments.fill { settings.values[$0] }
        }
        return try await command.run(arguments, console)
    }

    /// The error for an unknown word, with a guess of its meaning.
    private static func unknown(_ word: String, _ syntax: CommandSyntax, _ commands: [any Command.Type]) -> UsageError {
        guard syntax.path == self.syntax.path, let advice = CommandSynonyms.advice(for: word) else {
            return UsageError.unknown("subcommand", word, known: commands.map { $0.name }, in: syntax)
        }
        return UsageError("Unknown subcommand '\(word)': \(advice)", syntax)
    }

    /// Answers a request for help or the version.
    private static func answer(_ arguments: ParsedArguments, _ console: Console) -> ExitCode? {
        switch arguments.request {
        case .run: return nil
        case .help: return help(arguments.syntax, console)
        case .version:
            console.output.line(versionText)
            return .done
        }
    }

    private static func help(
        on names: ArraySlice<String>, _ syntax: CommandSyntax, _ commands: [any Command.Type], _ console: Console
    ) throws -> ExitCode {
        guard let word = names.first, !word.hasPrefix("-") else { return help(syntax, console) }
        let name = CommandSynonyms.names[word] ?? word
        guard let command = commands.first(where: { $0.name == name }) else {
            throw unknown(name, syntax, commands)
        }
        guard !command.subcommands.isEmpty else { return help(command.syntax, console) }
        return try help(on: names.dropFirst(), command.syntax, command.subcommands, console)
    }

    private static func help(_ syntax: CommandSyntax, _ console: Console) -> ExitCode {
        console.output.write(HelpText.of(syntax, width: console.width))
        return .done
    }
}
